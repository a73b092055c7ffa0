import type { Agents, LoadedFile } from '../record/agents.ts';
import type { State } from './state.ts';

/** Fields that contain the starter's words. */
const OWN_FIELDS = ['prompt', 'description'];

/** Fields that contain an answer. In other fields, a text without white space is a name or an id. */
const ANSWER_FIELDS = /^(text|result|output|content|message|summary)$/;

export function filesOfFamilies(ids: readonly string[], agents: Agents): LoadedFile[] {
	return agents.filesOf(ids.flatMap((id) => agents.familyOf(id)));
}

/** The type of the first agent that has loaded in another process. */
export async function loadedElsewhere(
	ids: readonly string[],
	{ agents, options }: Pick<State, 'agents' | 'options'>,
): Promise<string | undefined> {
	const elsewhere = ids.filter((id) => id !== '' && agents.filesOf([id]).length === 0);
	return (await options.journal.loads()).find(({ agent }) => elsewhere.includes(agent))?.type;
}

/** Replaces the texts of a tool's response and keeps its shape: the client drops a response of another shape. */
export function mapTexts(value: unknown, replace: (text: string) => string, field = 'text'): unknown {
	return mapStrings(
		value,
		(text, name) => {
			const isText = ANSWER_FIELDS.test(name) || /\s/.test(text);
			return isText ? replace(text) : text;
		},
		field,
		OWN_FIELDS,
	);
}

/** Replaces strings anywhere in a value. @param except fields that stay as they are */
export function mapStrings(
	value: unknown,
	replace: (text: string, field: string) => string,
	field = 'text',
	except: readonly string[] = [],
): unknown {
	if (except.includes(field)) return value;
	if (typeof value === 'string') return replace(value, field);
	if (Array.isArray(value)) return value.map((item) => mapStrings(item, replace, field, except));
	if (typeof value !== 'object' || value === null) return value;
	const entries = Object.entries(value);
	return Object.fromEntries(entries.map(([name, item]) => [name, mapStrings(item, replace, name, except)]));
}

export function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	return Object.values(Object(value)).flatMap(textsIn);
}

/** Parses the JSON of an event; keeps a plain text. */
export function parseResult(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		return json;
	}
}
