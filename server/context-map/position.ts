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
 * run of leading statements in which `path` exists ends with that statement.
 *
 * @param text a document that parses
 * @param path names and indexes from the document's root; the longest part that exists is located
 */
export function positionOf(text: string, path: readonly PropertyKey[]): Position {
	const whole = parse(text);
	let length = path.length;
	while (length > 0 && !has(whole, path.slice(0, length))) length--;
	const existing = path.slice(0, length);
	if (existing.length === 0) return { line: 1, column: 1 };

	const starts = statementStarts(text);
	let without = 0;
	let within = starts.length;
	while (without + 1 < within) {
		const middle = Math.floor((without + within) / 2);
		if (has(parse(text.slice(0, starts[middle])), existing)) within = middle;
		else without = middle;
	}
	const start = starts[without] ?? 0;
	return positionAt(text, start + text.slice(start).search(/\S|$/));
}

/** What begins or ends something that goes on over the end of a line, or hides what does; and the ends of lines. */
const MARK = /"""|'''|["'#[\]{}\n]/g;

/** What ends a text or comment that begins so; after a backslash, nothing does. */
const ENDS: Readonly<Record<string, RegExp>> = {
	'"""': /\\[\s\S]|"{3,5}/g,
	"'''": /'{3,5}/g,
	'"': /\\[\s\S]|"/g,
	"'": /'/g,
	'#': /(?=\n)/g,
};

/**
 * The indexes at which statements begin: of the lines that are not within a list, table or text. Found by itself, not
 * by asking the parser line by line, which takes minutes for a list of some ten thousand lines.
 *
 * @param text a document that parses
 */
function statementStarts(text: string): number[] {
	const starts = [0];
	let depth = 0;
	let mark = nextMatch(MARK, text, 0);
	while (mark !== undefined) {
		const [found] = mark;
		let end = mark.index + found.length;
		const endOf = ENDS[found];
		if (endOf !== undefined) end = endAfter(endOf, text, end);
		else if (found === '[' || found === '{') depth++;
		else if (found === ']' || found === '}') depth--;
		else if (depth === 0) starts.push(end);
		mark = nextMatch(MARK, text, end);
	}
	return starts;
}

function endAfter(ends: RegExp, text: string, from: number): number {
	let found = nextMatch(ends, text, from);
	while (found?.[0].startsWith('\\')) found = nextMatch(ends, text, found.index + found[0].length);
	return found === undefined ? text.length : found.index + found[0].length;
}

function nextMatch(pattern: RegExp, text: string, from: number): RegExpExecArray | undefined {
	pattern.lastIndex = from;
	return pattern.exec(text) ?? undefined;
}

function has(document: unknown, path: readonly PropertyKey[]): boolean {
	let value = document;
	for (const name of path) {
		if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false;
		value = (value as Record<PropertyKey, unknown>)[name];
	}
	return true;
}
