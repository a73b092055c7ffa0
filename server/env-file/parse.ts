/** A line that assigns a value. It consists of `before`, `value` in its quotes, and `after`. */
export interface Assignment {
	readonly name: string;
	readonly value: string;
	/** Empty if there is none, or if it is not closed on the same line. */
	readonly quote: string;
	readonly before: string;
	readonly after: string;
}

const BEFORE = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/;
const QUOTED = /^(\s*)(['"`])((?:(?!\2).)*)\2(\s*(?:#.*)?)$/s;

export const LINE_ENDING = /\r\n|\n|\r/;

export function assignmentIn(line: string): Assignment | undefined {
	const [before, name] = BEFORE.exec(line) ?? [];
	if (before === undefined || name === undefined) return undefined;
	const rest = line.slice(before.length);
	const [, blanks = '', quote = '', inner, after = ''] = QUOTED.exec(rest) ?? [];
	if (inner !== undefined) return { name, value: inner, quote, before: before + blanks, after };
	const comment = rest.search(/\s#/);
	const written = comment === -1 ? rest : rest.slice(0, comment);
	const value = written.trim();
	const start = value === '' ? 0 : written.indexOf(value);
	return { name, value, quote: '', before: before + rest.slice(0, start), after: rest.slice(start + value.length) };
}

export function assignmentsIn(text: string): Assignment[] {
	return text.split(LINE_ENDING).flatMap((line) => assignmentIn(line) ?? []);
}

/**
 * Own code, because `util.parseEnv` loses lines: behind one that is not an assignment (Node 20), and below an unclosed quote
 * (20, 22, 24). A lost denial would show a tool.
 */
export function parseEnvFile(text: string): ReadonlyMap<string, string> {
	return new Map(assignmentsIn(text).map(({ name, value }) => [name, value]));
}
