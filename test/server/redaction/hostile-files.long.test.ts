import { describe, expect, test } from 'vitest';
import { prepareFile } from '../../../server/redaction/passages.ts';
import { redact } from '../../../server/redaction/redact.ts';

const SIZE = 500_000;

function filled(piece: string): string {
	return piece.repeat(Math.ceil(SIZE / piece.length)).slice(0, SIZE);
}

/** Pieces that grow: as many different lengths as fit. */
function growing(pieceOf: (n: number) => string): string {
	let text = '';
	for (let n = 1; text.length < SIZE; n++) text += pieceOf(n);
	return text.slice(0, SIZE);
}

const texts: [string, string][] = [
	...['a', 'A ', 'aB', '1 ', '`', '`a', '``a` ', '"', '"a ', "'", "'a ", '| |', '|a', '- ', '> ', '1. ', '- [ ] '],
	...['*', '**a', '_', 'a: ', ': ', 'a, ', '; ', '(', '[', '](', '<', '</b>', '<!--', '&', '&#', '&amp;', '[context:L'],
	...['#', '# a\n', 'a\n---\n', '|a|\n|-|\n', '~~~\n', '```\n', '\n', '\r', ' ', ' - ', ' / ', '=', 'a@', '://', 'a.b'],
	...['\\', '\\n', '\\na', '\\u', '\\u0061', '%', '%25', '%C3', '=C3', '\x1b[', '+', '+1', '&a', '&auml;'],
	...['- Zeb Quack\n', '- Zeb Q. Quack\n', '- 1984-03-07\n', '- +49 170 1234\n', '- ab.cd@ef.gh\n', 'Zeb Q. '],
	...['字', '한', 'e\u0301', '\u0301', '\u200b', '\ud800', '😀', 'ﷺ', 'Jane Doe ', '[context:L1]'],
].map((piece) => [JSON.stringify(piece), filled(piece)]);

texts.push(
	['words that grow', growing((n) => `${'a'.repeat(n)} `)],
	['backticks that grow', growing((n) => `${'`'.repeat(n)}a`)],
	['items that grow', growing((n) => `- ${'Ab '.repeat(n)}\n`)],
	['numbers', growing((n) => `${n} `)],
	['names', growing((n) => `- Anna Quack${n.toString(36)}\n`)],
	['dates', growing((n) => `- ${1900 + (n % 150)}-${1 + (n % 12)}-${1 + (n % 28)}\n`)],
);

/** The limit catches what grows with the square of the size: that takes minutes. All of these take below a second. */
describe('half a million characters take no long time, in a file and in an answer', () => {
	test.each(texts)('%s', (_, text) => {
		const file = prepareFile(text);
		for (const answer of [text, filled('a ')]) {
			const redacted = redact(answer, [file]).text;
			expect(redact(redacted, [file])).toEqual({ text: redacted, passages: 0, lines: [] });
		}
	});
});
