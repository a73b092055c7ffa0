import { type Assignment, findAssignments } from './assignments.ts';
import { quoteValue } from './quote.ts';

/** What replaces the text from `start` to `end`. */
interface Replacement {
	readonly start: number;
	readonly end: number;
	readonly by: string;
}

type Variable = Pick<Assignment, 'name' | 'value'>;

/**
 * Holds each quote twice, so that one further up that is not closed does not find its end here or below: what follows
 * the first of the two is no comment.
 */
const BARRIER = '# \'\' "" `` A quote above is not closed.';

/**
 * The text of an env file with one variable set, or removed where the value is undefined. All else stays byte for byte.
 *
 * The last assignment of the name is changed in place and keeps `export`, indentation, comment and, where the value
 * allows it, its quotes; a new one is appended. All assignments of the name are removed, with their lines.
 *
 * Where a quote is not closed, a change below can close it, and the lines between would be lost in it. Then, and only
 * then, a comment is added that keeps it from that.
 *
 * @param name `[A-Za-z_][A-Za-z0-9_]*`
 * @returns a text of which `parseEnvFile` gives exactly that value, and all others as before
 * @throws TypeError where the name is none
 */
export function editEnvFile(text: string, name: string, value: string | undefined): string {
	if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new TypeError('The name of a variable has letters, digits and _');
	const before = findAssignments(text);
	const last = before.findLast((assignment) => assignment.name === name);
	const expected = value === undefined ? without(before, name) : withValue(before, last, { name, value });
	const change = (barrier: string): string => {
		if (value === undefined) return replace(text, removals(before, name, barrier));
		if (last === undefined) return replace(text, [addition(text, name, value, barrier)]);
		return replace(text, edits(text, last, value, barrier));
	};
	const edited = change('');
	return isSame(findAssignments(edited), expected) ? edited : change(BARRIER + lineEnding(text));
}

function without(before: readonly Assignment[], name: string): Variable[] {
	return before.filter((assignment) => assignment.name !== name);
}

function withValue(before: readonly Assignment[], last: Assignment | undefined, variable: Variable): Variable[] {
	if (last === undefined) return [...before, variable];
	return before.map((assignment) => (assignment === last ? variable : assignment));
}

function removals(before: readonly Assignment[], name: string, barrier: string): Replacement[] {
	return before.filter((assignment) => assignment.name === name).map(({ start, end }) => ({ start, end, by: barrier }));
}

function edits(text: string, last: Assignment, value: string, barrier: string): Replacement[] {
	const { start, valueStart, valueEnd, quote } = last;
	// dotenv takes `'value'#…` for a comment; without quotes it would be a part of the value.
	const space = text[valueEnd] === '#' ? ' ' : '';
	return [
		{ start, end: start, by: barrier },
		{ start: valueStart, end: valueEnd, by: quoteValue(value, quote) + space },
	];
}

function addition(text: string, name: string, value: string, barrier: string): Replacement {
	const ending = lineEnding(text);
	const separator = text === '' || /[\r\n]$/.test(text) ? '' : ending;
	const line = `${name}=${quoteValue(value, 'none')}${ending}`;
	return { start: text.length, end: text.length, by: separator + barrier + line };
}

/** The most frequent one; LF where none is. */
function lineEnding(text: string): string {
	const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
	const [lf, crlf, cr] = [count(/(?<!\r)\n/g), count(/\r\n/g), count(/\r(?!\n)/g)];
	if (lf >= crlf && lf >= cr) return '\n';
	return crlf >= cr ? '\r\n' : '\r';
}

/** @param replacements in order, and apart from each other */
function replace(text: string, replacements: readonly Replacement[]): string {
	let position = 0;
	const parts: string[] = [];
	for (const { start, end, by } of replacements) {
		parts.push(text.slice(position, start), by);
		position = end;
	}
	return parts.join('') + text.slice(position);
}

function isSame(found: readonly Variable[], expected: readonly Variable[]): boolean {
	if (found.length !== expected.length) return false;
	return found.every(({ name, value }, index) => name === expected[index]?.name && value === expected[index]?.value);
}
