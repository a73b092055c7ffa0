import * as z from 'zod/mini';
import { parseInput } from '../../claude-code/hooks.ts';
import { isTable } from '../../context-map/fields.ts';
import type { ToolOrigin } from '../../context-map/isolated-tools.ts';
import { lazy } from '../../memoize.ts';
import { sha256 } from '../../text/digest.ts';
import { truncate } from '../../text/truncate.ts';

/** The plugin's agent that runs one tool, by the name that Claude Code gives it. */
export const EXECUTOR = 'context-broker:mcp-executor';

const requestSchema = lazy(() =>
	z.object({
		/** For people and models: `name` alone decides which tool it is. */
		server: z.string(),
		tool: z.string(),
		name: z.string().check(z.startsWith('mcp__')),
		/** `z.record` would drop a field `__proto__`. */
		arguments: z._default(z.custom<Readonly<Record<string, unknown>>>(isTable), {}),
	}),
);

export type Request = z.infer<ReturnType<typeof requestSchema>>;

const DEFAULT_QUESTION = 'Answer with the result as it is if it is short, else with what matters in it.';

/** In characters. Longer arguments are left out, since Claude Code cuts a refusal that is much longer. */
const MAX_ARGUMENTS_LENGTH = 20_000;

/** The next step instead of a call: the input of the tool `Agent` with which an executor makes it. */
export function delegationHint({ server, tool }: ToolOrigin, name: string, input: unknown): string {
	const isLong = JSON.stringify(input).length > MAX_ARGUMENTS_LENGTH;
	const request: Request = { server, tool, name, arguments: isLong ? {} : Object(input) };
	const prompt = `${JSON.stringify(request)}\n${DEFAULT_QUESTION}`;
	const json = JSON.stringify({ subagent_type: EXECUTOR, description: taskDescription(request), prompt });
	const insert = isLong ? ', with the arguments of your call in place of the {} after "arguments"' : '';
	return `Call the Agent tool with exactly this input${insert}. You may change its last sentence to what you need from the result: ${json}`;
}

export function taskDescription({ server, tool }: ToolOrigin): string {
	return `${shorten(tool)} of ${shorten(server)}`;
}

function shorten(name: string): string {
	return name.length > 40 ? `${truncate(name, 39)}…` : name;
}

/** The request with which the prompt of an executor begins. */
export function parseRequest(prompt: unknown): Request | undefined {
	const json = typeof prompt === 'string' ? firstObject(prompt) : undefined;
	const request = requestSchema().safeParse(json);
	return request.success ? request.data : undefined;
}

/** The first JSON object of a text. Its strings may hold raw control characters: 2.1.126 unescapes `\u001b` and the like. */
function firstObject(text: string): unknown {
	let start = text.indexOf('{');
	let json = '';
	let depth = 0;
	let isInText = false;
	for (let index = start; index < text.length; index++) {
		const letter = text.charAt(index);
		if (isInText) {
			if (letter === '\\') index += 1;
			else if (letter === '"') isInText = false;
			else if (letter < ' ') {
				json += text.slice(start, index) + JSON.stringify(letter).slice(1, -1);
				start = index + 1;
			}
		} else if (letter === '"') isInText = true;
		else if (letter === '{') depth += 1;
		else if (letter === '}') depth -= 1;
		if (depth === 0) return parseInput(json + text.slice(start, index + 1));
	}
	return undefined;
}

/** SHA-256 of the arguments of a call as compact JSON, the names of each object in the order of code units. */
export function digestOf(input: unknown): string {
	return sha256(canonical(input ?? {}));
}

/** By hand: a sorted copy of an object would still have names that are numbers first. */
function canonical(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
	if (typeof value !== 'object' || value === null) return JSON.stringify(value);
	const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
	return `{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(',')}}`;
}
