import type { IncomingHttpHeaders } from 'node:http';
import { noteErrors } from '../../support/given-errors.ts';

/** The fields of a content block that the tests use. */
export interface Block {
	readonly type: string;
	readonly text?: string;
	readonly id?: string;
	readonly name?: string;
	readonly input?: unknown;
	readonly tool_use_id?: string;
	readonly content?: string | readonly Block[];
	readonly is_error?: boolean;
}

/** The fields of a `POST /v1/messages` body that the tests use. */
export interface MessagesBody {
	readonly model: string;
	readonly stream?: boolean;
	readonly system?: string | readonly Block[];
	readonly tools?: readonly { readonly name: string; readonly description?: string; readonly input_schema?: unknown }[];
	/** In newer clients (2.1.332), messages of the role `system` can stand between the others. */
	readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
}

/** Who makes a request. `auxiliary` is the client's own, such as for the session's title. */
export type Asker = 'main' | 'subagent' | 'auxiliary';

/** One `POST /v1/messages`. */
export interface ModelRequest {
	readonly agent: Asker;
	/** The subagent's id. Older clients (2.1.126) do not send it. */
	readonly agentId: string | undefined;
	readonly headers: IncomingHttpHeaders;
	readonly body: MessagesBody;
	/** The body as received. It is JSON, so search it with {@link mentions}. */
	readonly raw: string;
}

/** A tool's result as the model received it. */
export interface DeliveredResult {
	/** The id of its tool use. */
	readonly id: string;
	/** The texts of all text blocks, in order. */
	readonly parts: readonly string[];
	/** The parts, joined without a separator. */
	readonly text: string;
	readonly isError: boolean;
}

/** A line in the system prompt of every subagent, and in no other prompt (2.1.126 and 2.1.332). */
const SUBAGENT_NOTE = 'Agent threads always have their cwd reset';

/** @param raw the body; must be JSON */
export function readRequest(headers: IncomingHttpHeaders, raw: string): ModelRequest {
	noteErrors(raw);
	const body = JSON.parse(raw) as MessagesBody;
	const id = headers['x-claude-code-agent-id'];
	const agentId = typeof id === 'string' ? id : undefined;
	return { agent: askerOf(body, agentId), agentId, headers, body, raw };
}

function askerOf(body: MessagesBody, agentId: string | undefined): Asker {
	if (agentId !== undefined || textOf(body.system).includes(SUBAGENT_NOTE)) return 'subagent';
	return (body.tools ?? []).length === 0 ? 'auxiliary' : 'main';
}

/** Whether a text occurs anywhere in a request: in a prompt, a tool's description, or a result. */
export function mentions({ raw }: Pick<ModelRequest, 'raw'>, text: string): boolean {
	return raw.includes(JSON.stringify(text).slice(1, -1));
}

/** The system prompt and the messages of the role `system`, separated by line breaks. */
export function systemText({ body }: ModelRequest): string {
	const later = body.messages.filter(({ role }) => role === 'system').map(({ content }) => textOf(content));
	return [textOf(body.system), ...later].join('\n');
}

/** The user messages' text without tool results. Line breaks separate blocks. */
export function userText({ body }: ModelRequest): string {
	const messages = body.messages.filter(({ role }) => role === 'user');
	return messages.map(({ content }) => textOf(content)).join('\n');
}

/** The names of the tools that the model may use. */
export function toolNames({ body }: ModelRequest): string[] {
	return (body.tools ?? []).map(({ name }) => name);
}

/** The tool uses of the conversation so far, in order. */
export function toolUses({ body }: ModelRequest): Block[] {
	return body.messages.flatMap(({ content }) => blocksOf(content).filter(({ type }) => type === 'tool_use'));
}

/** The tool results of the conversation so far, in order. */
export function toolResults({ body }: ModelRequest): DeliveredResult[] {
	return body.messages.flatMap(({ content }) => resultsIn(content));
}

function resultsIn(content: string | readonly Block[]): DeliveredResult[] {
	return blocksOf(content)
		.filter(({ type }) => type === 'tool_result')
		.map((block) => {
			const parts = textsOf(block.content ?? '');
			return { id: block.tool_use_id ?? '', parts, text: parts.join(''), isError: block.is_error === true };
		});
}

function blocksOf(content: string | readonly Block[]): readonly Block[] {
	return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function textsOf(content: string | readonly Block[]): string[] {
	return blocksOf(content).flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []));
}

/** A message's or tool result's text blocks, separated by line breaks. */
export function textOf(content: string | readonly Block[] | undefined): string {
	return textsOf(content ?? []).join('\n');
}
