import type { Agents, LoadedFile } from '../record/agents.ts';
import type { State } from './state.ts';

/** What whoever started the agent has said. */
const OWN_FIELDS = ['prompt', 'description'];

/** Where a tool's response holds what an agent said. Elsewhere a text without blanks is a name or an id. */
const ANSWER_FIELDS = /^(text|result|output|content|message|summary)$/;

/** What agents have loaded in this process, and those that they started. */
export function filesOfFamilies(ids: readonly string[], agents: Agents): LoadedFile[] {
	return agents.filesOf(ids.flatMap((id) => agents.familyOf(id)));
}

/** The type of the first of some agents that has loaded while another process served it. */
export async function loadedElsewhere(
	ids: readonly string[],
	{ agents, options }: Pick<State, 'agents' | 'options'>,
): Promise<string | undefined> {
	const elsewhere = ids.filter((id) => id !== '' && agents.filesOf([id]).length === 0);
	return (await options.journal.loads()).find(({ agent }) => elsewhere.includes(agent))?.type;
}

/**
 * A copy of a tool's response in which the texts are replaced. All else stays as it is: the client passes the old one on
 * if the new one has not the shape that it expects.
 */
export function mapTexts(value: unknown, replace: (text: string) => string, field = 'text'): unknown {
	if (OWN_FIELDS.includes(field)) return value;
	if (typeof value === 'string') return ANSWER_FIELDS.test(field) || /\s/.test(value) ? replace(value) : value;
	if (Array.isArray(value)) return value.map((item) => mapTexts(item, replace, field));
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapTexts(item, replace, name)]));
}

/** All texts of a tool's response. */
export function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** What an event passes as JSON text; a plain text as it is. */
export function parseResult(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		return json;
	}
}
