import type { IncomingHttpHeaders } from 'node:http';
import { noteErrors } from '../../support/given-errors.ts';

/** As much of a content block as the tests look at. */
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

/** As much of the body of `POST /v1/messages` as the tests look at. */
export interface MessagesBody {
	readonly model: string;
	readonly stream?: boolean;
	readonly system?: string | readonly Block[];
	readonly tools?: readonly { readonly name: string; readonly description?: string; readonly input_schema?: unknown }[];
	/** Since some version before 2.1.332 there are messages of the role `system` between the others. */
	readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
}

/** Whose thoughts a request asks for: `auxiliary` is the client's own business, such as a title for the session. */
export type Asker = 'main' | 'subagent' | 'auxiliary';

/** One `POST /v1/messages`. */
export interface ModelRequest {
	readonly agent: Asker;
	/** The subagent's id. Older clients (2.1.126) do not tell it. */
	readonly agentId: string | undefined;
	readonly headers: IncomingHttpHeaders;
	readonly body: MessagesBody;
	/** The body as it came: JSON, so look for text in it with {@link mentions}. */
	readonly raw: string;
}

/** What a tool's call gave, as the model got it. */
export interface DeliveredResult {
	/** The id of the tool use that it answers. */
	readonly id: string;
	/** The text of every text block, in order. */
	readonly parts: readonly string[];
	/** The parts with nothing in between. */
	readonly text: string;
	readonly isError: boolean;
}

/** A line that the client puts into the system prompt of every subagent, and of nothing else (2.1.126 and 2.1.332). */
const SUBAGENT_NOTE = 'Agent threads always have their cwd reset';

/** @param raw the body, which has to be JSON */
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

/** Whether a text occurs anywhere in a request, be it a prompt, a tool's description or a result. */
export function mentions({ raw }: Pick<ModelRequest, 'raw'>, text: string): boolean {
	return raw.includes(JSON.stringify(text).slice(1, -1));
}

/** The system prompt and the messages of the role `system`, a line break between them. */
export function systemText({ body }: ModelRequest): string {
	const later = body.messages.filter(({ role }) => role === 'system').map(({ content }) => textOf(content));
	return [textOf(body.system), ...later].join('\n');
}

/** What the user's messages say, tool results not included, a line break between blocks. */
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

/** The text blocks of a message or a tool result, a line break between them. */
export function textOf(content: string | readonly Block[] | undefined): string {
	return textsOf(content ?? []).join('\n');
}
