import type { ServerResponse } from 'node:http';

/** A text or a tool call in a model's turn. */
export type ReplyBlock = { readonly text: string } | { readonly tool: string; readonly input: object };

/** A model's whole turn, or an error for which the client does not retry. */
export type Reply = ReplyBlock | readonly ReplyBlock[] | { readonly error: string };

/** The usage that every turn reports: so small that the client never compacts a conversation. */
const USAGE = { input_tokens: 1, output_tokens: 1 };

/**
 * Sends a turn like the Messages API (https://docs.anthropic.com/en/api/messages-streaming).
 *
 * @param turn the turn's number, from which ids are made
 * @param streamed whether to send server-sent events instead of one JSON object
 */
export function sendReply(
	response: ServerResponse,
	reply: Reply,
	model: string,
	turn: number,
	streamed: boolean,
): void {
	if ('error' in reply) {
		sendError(response, 400, reply.error);
		return;
	}
	const said = Array.isArray(reply) ? (reply as readonly ReplyBlock[]) : [reply as ReplyBlock];
	const content = said.map((block, index) =>
		'text' in block
			? { type: 'text' as const, text: block.text }
			: { type: 'tool_use' as const, id: `toolu_${turn}_${index}`, name: block.tool, input: block.input },
	);
	const stop_reason = content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
	const message = { id: `msg_${turn}`, type: 'message', role: 'assistant', model, stop_sequence: null, usage: USAGE };
	if (!streamed) {
		sendJson(response, 200, { ...message, content, stop_reason });
		return;
	}
	response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
	const send = (type: string, data: object) => {
		response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
	};
	send('message_start', { message: { ...message, content: [], stop_reason: null } });
	for (const [index, block] of content.entries()) {
		const [start, delta] =
			block.type === 'text'
				? [
						{ ...block, text: '' },
						{ type: 'text_delta', text: block.text },
					]
				: [
						{ ...block, input: {} },
						{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
					];
		send('content_block_start', { index, content_block: start });
		send('content_block_delta', { index, delta });
		send('content_block_stop', { index });
	}
	send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: USAGE });
	send('message_stop', {});
	response.end();
}

/** Sends an error for which the client does not retry. */
export function sendError(response: ServerResponse, status: 400 | 404, message: string): void {
	const type = status === 404 ? 'not_found_error' : 'invalid_request_error';
	sendJson(response, status, { type: 'error', error: { type, message } });
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
	response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
