import { describe, expect, test } from 'vitest';
import { prepareFile } from '../../../server/redaction/passages.ts';
import { redact } from '../../../server/redaction/redact.ts';
import { expectLinear } from '../../support/growth.ts';

const SIZE = 500_000;

type TextOf = (size: number) => string;

const filled =
	(piece: string): TextOf =>
	(size) =>
		piece.repeat(Math.ceil(size / piece.length)).slice(0, size);

/** Pieces that grow: as many different lengths as fit. */
const growing =
	(pieceOf: (n: number) => string): TextOf =>
	(size) => {
		let text = '';
		for (let n = 1; text.length < size; n++) text += pieceOf(n);
		return text.slice(0, size);
	};

const texts: [string, TextOf][] = [
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

describe('twice as many characters take twice as long, in a file and in an answer, and half a million are redacted once', () => {
	test.each(texts)('%s', async (_, textOf) => {
		await expectLinear(SIZE / 2, (size) => {
			const [text, other] = [textOf(size), filled('a ')(size)];
			return () => {
				const file = prepareFile(text);
				for (const answer of [text, other]) redact(answer, [file]);
			};
		});
		const file = prepareFile(textOf(SIZE));
		for (const answer of [textOf(SIZE), filled('a ')(SIZE)]) {
			const redacted = redact(answer, [file]).text;
			expect(redact(redacted, [file])).toEqual({ text: redacted, passages: 0, lines: [] });
		}
	});
});
