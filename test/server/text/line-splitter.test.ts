import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter, TooLong } from '../../../server/text/line-splitter.ts';

function split(chunks: readonly Buffer[], limit = 1_000): (string | TooLong)[] {
	const splitter = new LineSplitter(limit);
	return chunks.flatMap((chunk) => [...splitter.push(chunk)]);
}

test('lines come out the same however the bytes are cut', () => {
	const cuts = fc.array(fc.nat(200), { maxLength: 20 });
	fc.assert(
		fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 10 })), cuts, (texts, places) => {
			const lines = texts.map((text) => text.replaceAll('\n', ' '));
			const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
			const chunks: Buffer[] = [];
			let start = 0;
			for (const end of [...places.sort((a, b) => a - b), bytes.length]) {
				chunks.push(bytes.subarray(start, Math.max(start, end)));
				start = Math.max(start, end);
			}
			expect(split(chunks)).toEqual(lines);
		}),
	);
});

test('a line over the limit is dropped, and the next one is whole', () => {
	const [first, ...rest] = split([Buffer.from('12345'), Buffer.from('678901\nnext\n1234567890\n')], 10);
	expect(first).toBeInstanceOf(TooLong);
	expect(rest).toEqual(['next', '1234567890']);
});

test('what no line end follows does not come out', () => {
	expect(split([Buffer.from('a\nb')])).toEqual(['a']);
});
