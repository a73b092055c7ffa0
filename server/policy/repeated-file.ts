import { changeOutput, type HookAnswer, type HookEvent } from '../claude-code/hooks.ts';
import { isMcpTool } from '../claude-code/tools.ts';
import { isByCaller } from './call-facts.ts';
import { entryFor } from './entitlement.ts';
import { filesOfFamilies, mapStrings, parseResult, textsIn } from './said-by-agents.ts';
import type { State } from './state.ts';

/** Replaces the further texts of a result; the first one says why. */
const WITHHELD_TOO = '[withheld]';

/** In UTF-16 code units. A longer text, or one of several words, is more than a kind such as `text`. */
const MAX_KIND_LENGTH = 20;

/**
 * The path of a private file that a text repeats, except those that the caller of the event has loaded.
 *
 * @param textOf called only if there is a file to compare with
 */
export async function repeatedIn(
	event: HookEvent,
	textOf: (event: HookEvent) => string,
	state: State,
): Promise<string | undefined> {
	const { agents, map, options, privateFiles } = state;
	const { entries, paths } = map.content;
	if (entries.size + paths.length === 0 || !map.isOn('results')) return undefined;
	const text = textOf(event);
	if (text === '') return undefined;
	privateFiles.refresh(map.content);
	const own = agents.filesOf([event.agent_id]);
	// The answers of agents about what they have loaded are checked as quotations.
	const known = [...own, ...filesOfFamilies(agents.sourcesOf(event), agents)].map(({ path }) => path);
	const loads = own.length > 0 ? [] : await options.journal.loads();
	// The key of a load in another process is unknown, so all files that the agent may load are left out.
	if (loads.some((load) => isByCaller(load, event))) {
		const entitled = [...map.content.entries].filter(([key]) => 'path' in entryFor(event.agent_type, key, map.content));
		known.push(...entitled.map(([, entry]) => options.map.resolve(entry)));
	}
	return await privateFiles.repeatedIn(text, known);
}

/** The texts in a result, without the caller's own input. */
export function textOfResult({ tool_input, tool_response }: HookEvent): string {
	const said = textsIn(parseResult(tool_input));
	return textsAndNamesIn(parseResult(tool_response))
		.filter((text) => !said.includes(text))
		.join('\n');
}

/** Includes the names of fields. Leaves out kinds, the values of `type`: they would separate lines of one text. */
function textsAndNamesIn(result: unknown): string[] {
	const texts: string[] = [];
	// Results can be nested too deeply for recursion.
	const left: [value: unknown, field: string][] = [[result, '']];
	for (let next = left.pop(); next !== undefined; next = left.pop()) {
		const [value, field] = next;
		if (typeof value === 'string' && !(field === 'type' && isKind(value))) texts.push(value);
		if (typeof value !== 'object' || value === null) continue;
		for (const [name, item] of Object.entries(value).reverse()) {
			left.push([item, Array.isArray(value) ? field : name]);
			if (!isKind(name)) left.push([name, '']);
		}
	}
	return texts;
}

function isKind(text: string): boolean {
	return text.length <= MAX_KIND_LENGTH && !/\s/.test(text);
}

/** Replaces a result by one text. Kinds such as `type: "text"` stay, and so does the caller's own input. */
export function withholdFile({ tool_name, tool_input, tool_response }: HookEvent, text: string): HookAnswer {
	const result = parseResult(tool_response);
	// 2.1.126 accepts no object, and structured content is one here.
	if (isMcpTool(tool_name)) return changeOutput(Array.isArray(result) ? [{ type: 'text', text }] : text);
	const said = textsIn(parseResult(tool_input));
	let next = text;
	const replace = (each: string) => {
		if (isKind(each) || said.includes(each)) return each;
		const instead = next;
		next = WITHHELD_TOO;
		return instead;
	};
	return changeOutput(mapStrings(result, replace));
}
