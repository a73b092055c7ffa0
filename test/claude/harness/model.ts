import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { serveLoopback } from './loopback.ts';
import { type Reply, sendError, sendJson, sendReply } from './reply.ts';
import { type ModelRequest, readRequest } from './request.ts';

/** The model's answers, except for auxiliary requests. Should depend on the request alone, because the client retries. */
export type Script = (request: ModelRequest) => Reply;

/** A scripted model behind the Messages API, on the loopback interface. */
export interface Model {
	/** The client's `ANTHROPIC_BASE_URL`. */
	readonly url: string;
	/** Every `POST /v1/messages`, in order of arrival. */
	readonly requests: readonly ModelRequest[];
	/**
	 * Stops the server.
	 *
	 * @throws AggregateError if the script threw or looped
	 */
	close(): Promise<void>;
}

/** Starts a model that answers by a script. @param limit number of requests from which the script counts as looping */
export async function startModel(script: Script, limit = 200): Promise<Model> {
	const requests: ModelRequest[] = [];
	const failures: unknown[] = [];

	async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const raw = await text(request);
		const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
		if (request.method === 'POST' && pathname === '/v1/messages') {
			const asked = readRequest(request.headers, raw);
			const turn = requests.push(asked);
			if (turn > limit) throw new Error(`Over ${limit} requests: the script goes in a circle`);
			const reply = asked.agent === 'auxiliary' ? { text: 'Test' } : script(asked);
			sendReply(response, reply, asked.body.model, turn, asked.body.stream === true);
		} else if (request.method === 'POST' && pathname === '/v1/messages/count_tokens') {
			sendJson(response, 200, { input_tokens: Math.ceil(raw.length / 4) });
		} else {
			sendError(response, 404, `Not scripted: ${request.method} ${pathname}`);
		}
	}

	const server = await serveLoopback((request, response) => {
		answer(request, response).catch((error: unknown) => {
			// If the client was ended during a request, the script is not at fault.
			if (request.errored) return;
			failures.push(error);
			sendError(response, 400, String(error));
		});
	});
	return {
		url: server.url,
		requests,
		close: async () => {
			await server.close();
			if (failures.length > 0) throw new AggregateError(failures, `The scripted model failed: ${String(failures[0])}`);
		},
	};
}
