import { parse } from 'smol-toml';

/** Both count from 1, as in editors. */
export interface Position {
	readonly line: number;
	readonly column: number;
}

/** @param index in UTF-16 code units */
export function positionAt(text: string, index: number): Position {
	const lines = text.slice(0, index).split('\n');
	return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/**
 * The start of the statement that sets `path`, or the longest existing part of it. The parser keeps no positions. So this
 * searches for the shortest sequence of leading statements in which `path` exists: the last of them sets it.
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

/** Line ends, and marks at which something begins or ends that can span lines or hide such marks. */
const MARK = /"""|'''|["'#[\]{}\n]/g;

const ENDS: Readonly<Record<string, RegExp>> = {
	'"""': /\\[\s\S]|"{3,5}/g,
	"'''": /'{3,5}/g,
	'"': /\\[\s\S]|"/g,
	"'": /'/g,
	'#': /(?=\n)/g,
};

/** Starts of lines outside lists, inline tables and strings. Parsing line by line would take minutes for 10,000 lines. */
function statementStarts(text: string): number[] {
	const starts = [0];
	let depth = 0;
	for (let pattern = MARK, at = 0; ; ) {
		pattern.lastIndex = at;
		const mark = pattern.exec(text)?.[0];
		if (mark === undefined) return starts;
		at = pattern.lastIndex;
		if (pattern !== MARK) pattern = mark.startsWith('\\') ? pattern : MARK;
		else if (mark === '[' || mark === '{') depth++;
		else if (mark === ']' || mark === '}') depth--;
		else if (mark !== '\n') pattern = ENDS[mark] ?? MARK;
		else if (depth === 0) starts.push(at);
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
