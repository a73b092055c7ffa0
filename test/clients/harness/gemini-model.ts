import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { serveLoopback } from '../../claude/harness/loopback.ts';

/** As much of a part of a message as the tests look at. */
export interface Part {
	readonly text?: string;
	readonly functionCall?: { readonly name: string; readonly args: object };
	readonly functionResponse?: { readonly name: string; readonly response: Readonly<Record<string, unknown>> };
}

/** As much of the body of `streamGenerateContent` as the tests look at. */
export interface GeminiRequest {
	readonly contents: readonly { readonly role: string; readonly parts: readonly Part[] }[];
	readonly tools?: readonly { readonly functionDeclarations?: readonly { readonly name: string }[] }[];
}

/** A scripted model behind the Gemini API, on the loopback interface. */
export interface GeminiModel {
	/** What the client gets as `GOOGLE_GEMINI_BASE_URL`. */
	readonly url: string;
	/** Every request, in the order in which they came. */
	readonly requests: readonly GeminiRequest[];
	/** What was asked for beside the model's answers: nothing, if all is well. */
	readonly strays: readonly string[];
}

/** Starts a model that says what a script says, for the running test. */
export async function startGeminiModel(script: (request: GeminiRequest) => Part): Promise<GeminiModel> {
	const requests: GeminiRequest[] = [];
	const strays: string[] = [];
	async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const raw = await text(request);
		if (!/^\/v1beta\/models\/[^/]+:streamGenerateContent\?alt=sse$/.test(request.url ?? '')) {
			strays.push(`${request.method} ${request.url}`);
			response.writeHead(404).end();
			return;
		}
		const asked = JSON.parse(raw) as GeminiRequest;
		requests.push(asked);
		const candidate = { content: { role: 'model', parts: [script(asked)] }, finishReason: 'STOP', index: 0 };
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		response.end(`data: ${JSON.stringify({ candidates: [candidate] })}\r\n\r\n`);
	}
	const { url, close } = await serveLoopback((request, response) => {
		answer(request, response).catch((error: unknown) => {
			strays.push(String(error));
			response.destroy();
		});
	});
	onTestFinished(close);
	return { url, requests, strays };
}

/** The names of the tools that the model may use. */
export function toolNames({ tools = [] }: GeminiRequest): string[] {
	return tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name));
}

/** The results of tools in the conversation so far, in order. */
export function toolResponses({ contents }: GeminiRequest): NonNullable<Part['functionResponse']>[] {
	return contents.flatMap(({ parts }) => parts.flatMap(({ functionResponse }) => functionResponse ?? []));
}
