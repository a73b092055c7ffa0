import * as z from 'zod/mini';
import { parseInput } from '../../claude-code/hooks.ts';
import { OWN_TOOLS } from '../../claude-code/tools.ts';
import { isTable } from '../../context-map/fields.ts';
import type { ToolOrigin } from '../../context-map/isolated-tools.ts';
import { lazily } from '../../lazily.ts';
import { truncate } from '../../text/truncate.ts';

/** The plugin's agent that runs one tool, by the name that Claude Code gives it. */
export const EXECUTOR = 'context-broker:mcp-executor';

/** What an executor is started for. */
const errandSchema = lazily(() =>
	z.object({
		/** For the person and the models; which tool it is says `name` alone. */
		server: z.string(),
		tool: z.string(),
		/** The full name, `mcp__…`. */
		name: z.string().check(z.startsWith('mcp__')),
		/** Not `z.record`: that leaves out one of the name `__proto__` without a word. */
		arguments: z._default(z.custom<Readonly<Record<string, unknown>>>(isTable), {}),
	}),
);

export type Errand = z.infer<ReturnType<typeof errandSchema>>;

/** What the executor is asked, unless the main agent asks for something else. */
const ASKED = 'Answer with the result as it is if it is short, else with what matters in it.';

/** Characters of arguments that are handed over: Claude Code cuts a refusal that is much longer. */
const LONGEST_ARGUMENTS = 20_000;

/** What the main agent is told instead of a call: the input of the tool `Agent` that has an executor make it. */
export function wayOn({ server, tool }: ToolOrigin, name: string, input: unknown): string {
	const isLong = JSON.stringify(input).length > LONGEST_ARGUMENTS;
	const errand: Errand = { server, tool, name, arguments: isLong ? {} : Object(input) };
	const prompt = `${JSON.stringify(errand)}\n${ASKED}`;
	const json = JSON.stringify({ subagent_type: EXECUTOR, description: describe(errand), prompt });
	const insert = isLong ? ', with the arguments of your call in the place of {} after "arguments"' : '';
	return `Call the Agent tool with exactly this input${insert}; its last sentence you may change to what you need of the result: ${json}`;
}

/** A few words for the person. */
export function describe({ server, tool }: ToolOrigin): string {
	return `${shorten(tool)} of ${shorten(server)}`;
}

function shorten(name: string): string {
	return name.length > 40 ? `${truncate(name, 39)}…` : name;
}

/** What the prompt of an executor says first, in JSON; undefined where it says no such thing. */
export function errandOf(prompt: unknown): Errand | undefined {
	const json = typeof prompt === 'string' ? firstObject(prompt) : undefined;
	const errand = errandSchema().safeParse(json);
	return errand.success ? errand.data : undefined;
}

/**
 * The first JSON object of a text, which may have words before and after it, and line breaks in it. Control characters
 * may stand in its texts as they are: 2.1.126 puts them in the place of `\u001b` in what a model gives a tool.
 */
function firstObject(text: string): unknown {
	let start = text.indexOf('{');
	let json = '';
	let depth = 0;
	let isInText = false;
	for (let index = start; index !== -1 && index < text.length; index++) {
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

/** The broker's own tools, which nobody can have an executor call. @param isRelayed whether one is of another server */
export function isOwnTool(name: string, isRelayed: boolean): boolean {
	return name.startsWith(OWN_TOOLS) && !isRelayed;
}
