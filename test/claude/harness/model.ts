import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { serveLoopback } from './loopback.ts';
import { type Reply, sendError, sendJson, sendReply } from './reply.ts';
import { type ModelRequest, readRequest } from './request.ts';

/** What the model answers. It gets no auxiliary requests. Best a function of the request alone: retries occur. */
export type Script = (request: ModelRequest) => Reply;

/** A scripted model behind the Messages API, on the loopback interface. */
export interface Model {
	/** What the client gets as `ANTHROPIC_BASE_URL`. */
	readonly url: string;
	/** Every `POST /v1/messages`, in the order in which they came. */
	readonly requests: readonly ModelRequest[];
	/**
	 * Stops the server.
	 *
	 * @throws AggregateError if the script threw or went in a circle
	 */
	close(): Promise<void>;
}

/** Starts a model that says what a script says. @param limit after how many requests the script is taken to go in a circle */
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
			// A client that was ended in mid-request is no fault of the script.
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
