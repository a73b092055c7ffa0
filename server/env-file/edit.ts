import { assignmentIn, LINE_ENDING } from './parse.ts';

/** What means nothing to a shell or to dotenv. */
const PLAIN = /^[\w.,-]*$/;

/**
 * The text of an env file with one variable set, or removed where the value is undefined. All else stays byte for byte.
 *
 * The last line of the name is changed and keeps `export`, indentation, comment and quotes; a new one is appended. All
 * lines of the name are removed.
 *
 * @param value of words as lists have them: without blanks and line breaks
 */
export function editEnvFile(text: string, name: string, value: string | undefined): string {
	// Lines at even places, and behind each its ending.
	const parts = text.split(new RegExp(`(${LINE_ENDING.source})`));
	const places = [...parts.keys()].filter((at) => at % 2 === 0 && assignmentIn(parts[at] ?? '')?.name === name);
	const last = places.at(-1);
	if (value === undefined) {
		for (const at of places) parts.splice(at, 2, parts[at]?.startsWith('\ufeff') ? '\ufeff' : '', '');
	} else if (last !== undefined) {
		const { before = '', quote = '', after = '' } = assignmentIn(parts[last] ?? '') ?? {};
		parts[last] = before + quoted(value, quote) + after;
	} else {
		const ending = parts[1] ?? '\n';
		parts.push(parts.at(-1) === '' ? '' : ending, `${name}=${quoted(value, '')}${ending}`);
	}
	return parts.join('');
}

/** @param old the quote around the value before; a backtick would make a shell run what is in it */
function quoted(value: string, old: string): string {
	const fits = (quote: string) => (quote === '' ? PLAIN.test(value) : !value.includes(quote));
	const quote = [old.replace('`', "'"), '', "'", '"'].find(fits) ?? '';
	return quote + value + quote;
}
