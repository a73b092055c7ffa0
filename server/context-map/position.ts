import { parse } from 'smol-toml';

/** Both from 1, as editors count. */
export interface Position {
	readonly line: number;
	readonly column: number;
}

/** The position of the character at `index`, in UTF-16 code units from the start of the text. */
export function positionAt(text: string, index: number): Position {
	const lines = text.slice(0, index).split('\n');
	return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/**
 * Where the statement begins that gives `path` its value. The parser keeps no positions, so it is asked: the shortest
 * run of leading lines in which `path` exists ends with that statement, and the run before that it parses ends just
 * above it.
 *
 * @param text a document that parses
 * @param path names and indexes from the document's root; the longest part that exists is located
 */
export function positionOf(text: string, path: readonly PropertyKey[]): Position {
	const lines = text.split('\n');
	const whole = parse(text);
	let length = path.length;
	while (length > 0 && !has(whole, path.slice(0, length))) length--;
	const existing = path.slice(0, length);
	if (existing.length === 0) return { line: 1, column: 1 };

	let without = 0;
	let within = lines.length;
	while (without + 1 < within) {
		const middle = Math.floor((without + within) / 2);
		// Leading lines that end inside a statement do not parse: go on to where it is whole.
		let end = middle;
		let document = parsed(lines, end);
		while (document === undefined && end < within) document = parsed(lines, ++end);
		if (end >= within) within = middle;
		else if (has(document, existing)) within = end;
		else without = end;
	}
	const statement = lines[without] ?? '';
	return { line: without + 1, column: statement.length - statement.trimStart().length + 1 };
}

function parsed(lines: readonly string[], count: number): unknown {
	try {
		return parse(`${lines.slice(0, count).join('\n')}\n`);
	} catch {
		return undefined; // Cut inside a statement.
	}
}

function has(document: unknown, path: readonly PropertyKey[]): boolean {
	let value = document;
	for (const name of path) {
		if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false;
		value = (value as Record<PropertyKey, unknown>)[name];
	}
	return true;
}
