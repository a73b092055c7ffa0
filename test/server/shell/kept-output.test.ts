import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanText } from '../../../server/shell/clean-text.ts';
import { KeptOutput, OUTPUT_LIMIT } from '../../../server/shell/kept-output.ts';
import { runs } from '../../support/runs.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** The line between head and tail. */
const NOTE = /^\[… ([\d,]+) bytes left out …\]$/mu;

/** The note in `text`, and its number. */
function noteIn(text: string): [string, number] | [] {
	const match = NOTE.exec(text);
	return match ? [match[0], Number(match[1]?.replaceAll(',', ''))] : [];
}

/** An output that got `chunks` by way of memory that is used again for each. */
function outputOf(limit: number, chunks: readonly Uint8Array[]): KeptOutput {
	const output = new KeptOutput(limit);
	for (const chunk of chunks) {
		const memory = Buffer.from(chunk);
		output.push(memory);
		memory.fill('#');
	}
	return output;
}

function textOf(limit: number, ...chunks: string[]): string {
	return outputOf(
		limit,
		chunks.map((chunk) => Buffer.from(chunk)),
	).text();
}

/** `bytes`, cut at `places`. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
	const ends = [...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
	return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const places = fc.array(fc.nat(), { maxLength: 20 });

/** Bytes among which those with a meaning are common. */
const someBytes = fc
	.array(
		fc.oneof(
			fc.constantFrom('\n', '\r', '\b', '\x1b', '\x1b[1m', '\x1b]0;', '👍', 'é'),
			fc.uint8Array({ maxLength: 4 }),
		),
		{ size: 'medium' },
	)
	.map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part))));

describe('an output within the limit', () => {
	test('is whole, however it is cut into chunks', () => {
		fc.assert(
			fc.property(someBytes, places, fc.nat(20), (bytes, cuts, spare) => {
				const output = outputOf(bytes.length + spare, cut(bytes, cuts));
				expect(output.text()).toBe(cleanText(bytes));
				expect(output.bytes).toBe(bytes.length);
				expect(output.isTruncated).toBe(false);
			}),
			{ numRuns: runs(500) },
		);
	});

	test('is whole up to the last byte of the default limit', () => {
		const text = `${'x'.repeat(99)}\n`.repeat(OUTPUT_LIMIT / 100 + 1).slice(0, OUTPUT_LIMIT);
		const output = new KeptOutput();
		output.push(Buffer.from(text));
		expect(OUTPUT_LIMIT).toBe(MIB);
		expect(output.isTruncated).toBe(false);
		expect(output.text() === text).toBe(true);

		output.push(Buffer.from('\n'));
		expect(output.isTruncated).toBe(true);
		expect(output.text()).toMatch(NOTE);
	});

	test('can be nothing', () => {
		const output = new KeptOutput(10);
		output.push(Buffer.alloc(0));
		expect([output.text(), output.bytes, output.isTruncated]).toEqual(['', 0, false]);
	});

	test('can be read while it grows', () => {
		const output = new KeptOutput(8);
		const texts = ['a\nb\n', 'c\nd\n', 'e\nf\n'].map((chunk) => {
			output.push(Buffer.from(chunk));
			return output.text();
		});
		expect(texts).toEqual(['a\nb\n', 'a\nb\nc\nd\n', 'a\nb\n[… 6 bytes left out …]\nf\n']);
	});
});

describe('an output over the limit', () => {
	test('does not depend on how it is cut into chunks', () => {
		fc.assert(
			fc.property(someBytes, places, fc.nat(), (bytes, cuts, part) => {
				const limit = part % (bytes.length + 1);
				const output = outputOf(limit, cut(bytes, cuts));
				expect(output.text()).toBe(outputOf(limit, [bytes]).text());
				expect(output.bytes).toBe(bytes.length);
				expect(output.isTruncated).toBe(bytes.length > limit);
			}),
			{ numRuns: runs(500) },
		);
	});

	test('shows a beginning and an end of the original, and says how much is between them', () => {
		const line = fc.string({ unit: fc.constantFrom(...'abc 123'), maxLength: 30 }).map((text) => `${text}\n`);
		fc.assert(
			fc.property(fc.array(line, { minLength: 1, maxLength: 50 }), places, fc.nat(), (lines, cuts, part) => {
				const original = lines.join('');
				const limit = part % original.length;
				const text = outputOf(limit, cut(Buffer.from(original), cuts)).text();
				const [note = '', leftOut = 0] = noteIn(text);
				const index = text.indexOf(note);
				const tail = text.slice(index + note.length + 1);
				// A head that was cut in a line got a line end in front of the note.
				const head = text.slice(0, original.length - tail.length - leftOut);

				expect(original.startsWith(head)).toBe(true);
				expect(original.endsWith(tail)).toBe(true);
				expect(['', '\n']).toContain(text.slice(head.length, index));
				expect(head.length + tail.length).toBeLessThanOrEqual(limit);
			}),
			{ numRuns: runs(500) },
		);
	});

	test('says how much is left out, to the byte', () => {
		const output = new KeptOutput();
		const line = Buffer.from(`${'x'.repeat(127)}\n`);
		for (let count = 0; count < 10_000; count++) output.push(line);
		// Of the tail, the first line is dropped: that it is whole can't be seen.
		const shown = OUTPUT_LIMIT - line.length;
		expect(noteIn(output.text())).toEqual(['[… 231,552 bytes left out …]', 1_280_000 - shown]);
	});

	test.each([
		['in lines', 16, ['a\nbcd\nefghijklmnop\nqr\n'], 'a\nbcd\n[… 13 bytes left out …]\nqr\n'],
		['within a line', 8, ['abcdefghijkl'], 'abcd\n[… 4 bytes left out …]\nijkl'],
		['a chunk larger than all that is kept', 4, ['ab', 'cdefghijklmnop'], 'ab\n[… 12 bytes left out …]\nop'],
		['a chunk that ends where the ring does', 8, ['abcd', 'efgh', 'ijkl'], 'abcd\n[… 4 bytes left out …]\nijkl'],
		['chunks that go around the ring', 8, ['abcdefg', 'hi', 'jkl', 'm'], 'abcd\n[… 5 bytes left out …]\njklm'],
		['an odd limit', 5, ['abcdefgh'], 'ab\n[… 3 bytes left out …]\nfgh'],
		['no room for a head', 1, ['abc'], '[… 2 bytes left out …]\nc'],
		['no room at all', 0, ['abc'], '[… 3 bytes left out …]\n'],
	])('%s', (_, limit, chunks, expected) => {
		expect(textOf(limit, ...chunks)).toBe(expected);
	});

	test('a binary head and tail are notes of their sizes', () => {
		const output = outputOf(4_000, [Buffer.alloc(10_000)]);
		const half = '[binary output, 2,000 bytes]';
		expect(output.text()).toBe(`${half}\n[… 6,000 bytes left out …]\n${half}`);
	});
});

describe('the head is cut', () => {
	/** With a tail of the same length that has no line end. */
	function headOf(text: string): string {
		const { length } = Buffer.from(text);
		return textOf(2 * length, text, 'z'.repeat(2 * length)).split('\n[…')[0] ?? '';
	}

	test.each([
		['at a line end 4 KiB before its end', `abc\n${'x'.repeat(4 * KIB - 1)}`, 'abc'],
		['not at one that is farther away', `abc\n${'x'.repeat(4 * KIB)}`, `abc\n${'x'.repeat(4 * KIB)}`],
		['nowhere, where a line end is its end', 'abc\ndef\n', 'abc\ndef'],
		['after a whole character of two bytes', 'aé', 'aé'],
		['after a whole character of three bytes', 'a漢', 'a漢'],
		['after a whole character of four bytes', 'a👍', 'a👍'],
		['in front of a colour that is cut', 'abc\x1b[38;5', 'abc'],
		['in front of a lone ESC', 'abc\x1b', 'abc'],
		['in front of a title that is cut', 'abc\x1b]0;a tit', 'abc'],
	])('%s', (_, text, head) => {
		expect(headOf(text)).toBe(head);
	});

	test.each([
		['é', 1],
		['漢', 1],
		['漢', 2],
		['👍', 1],
		['👍', 2],
		['👍', 3],
	])('in front of a character of which only a part fits: %s, %i byte(s)', (character, fitting) => {
		const text = textOf(2 * (1 + fitting), `a${character}${'z'.repeat(10)}`);
		const leftOut = Buffer.from(character).length + 10 - (1 + fitting);
		expect(text).toBe(`a\n[… ${leftOut} bytes left out …]\n${'z'.repeat(1 + fitting)}`);
	});

	test('nowhere in bytes that are no text', () => {
		const text = outputOf(10, [Buffer.alloc(5, 0x80), Buffer.from('zzzzzzzz')]).text();
		expect(text).toBe(`${'\ufffd'.repeat(5)}\n[… 3 bytes left out …]\nzzzzz`);
	});
});

describe('the tail begins', () => {
	/** With a head of the same length that has no line end. */
	function tailOf(bytes: Buffer): string {
		const output = outputOf(2 * bytes.length, [Buffer.alloc(2 * bytes.length, 'z'), bytes]);
		return output.text().split('…]\n')[1] ?? '';
	}

	test.each([
		['after a line end in its first 4 KiB', `${'x'.repeat(4 * KIB - 1)}\nabc`, 'abc'],
		['not after one that is farther away', `${'x'.repeat(4 * KIB)}\nabc`, `${'x'.repeat(4 * KIB)}\nabc`],
		['after the first of several line ends', 'x\nabc\ndef\n', 'abc\ndef\n'],
		['with a whole character', '👍abc', '👍abc'],
	])('%s', (_, text, tail) => {
		expect(tailOf(Buffer.from(text))).toBe(tail);
	});

	test.each([
		['é', 1],
		['漢', 1],
		['漢', 2],
		['👍', 1],
		['👍', 2],
		['👍', 3],
	])('after a character that is cut: %s, from byte %i on', (character, from) => {
		expect(tailOf(Buffer.from(`${character}abc`).subarray(from))).toBe('abc');
	});

	test('after three bytes at most of what is no text', () => {
		expect(tailOf(Buffer.concat([Buffer.alloc(5, 0x80), Buffer.from('abc')]))).toBe('\ufffd\ufffdabc');
	});
});

describe('memory', () => {
	test('is taken as output comes', () => {
		const before = process.memoryUsage().arrayBuffers;
		const outputs = Array.from({ length: 1_000 }, () => outputOf(OUTPUT_LIMIT, [Buffer.alloc(100)]));
		expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * MIB);
		expect(outputs.length).toBe(1_000);
	});

	test('is not taken for what is dropped', () => {
		const output = new KeptOutput();
		const chunk = Buffer.alloc(64 * KIB);
		for (let count = 0; count < 32; count++) output.push(chunk);
		const before = process.memoryUsage().arrayBuffers;
		for (let count = 0; count < 1_000; count++) output.push(chunk);
		expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(MIB / 2);
		expect(output.bytes).toBe(1_032 * 64 * KIB);
	});
});
