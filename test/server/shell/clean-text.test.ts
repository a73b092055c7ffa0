import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanText } from '../../../server/shell/clean-text.ts';
import { runs } from '../../support/runs.ts';

const MIB = 1024 * 1024;

function clean(text: string): string {
	return cleanText(Buffer.from(text));
}

describe('stays as it is', () => {
	test.each([
		['nothing', ''],
		['trailing blanks, tabs and empty lines', ' a\t b  \n\n\n\tc \n'],
		['a prompt at the end', 'done\n$ '],
		['another prompt at the end', '>>> '],
		['emoji, joined ones too', '👍🏽 👩‍👩‍👧 🇩🇪'],
		['combining characters', 'e\u0301 q\u0307\u0323'],
		['right-to-left text and its marks', 'שלום \u202bعربي\u202c \u200f'],
		['blanks that are not spaces, and soft hyphens', 'a\u00a0b\u00adc\u2028d'],
		['byte-order marks', '\ufeff\ufeffa\ufeff'],
		['what looks like the rest of a sequence', '[31m ]0;a (B'],
		['backslashes', String.raw`\x1b[31m \r \b`],
	])('%s', (_, text) => {
		expect(clean(text)).toBe(text);
	});
});

describe('bytes', () => {
	test.each([
		['an invalid byte', [0x61, 0xff, 0x62], 'a\ufffdb'],
		['a character cut off at the end', [0x61, 0xe2, 0x82], 'a\ufffd'],
		['an encoded surrogate', [0xed, 0xa0, 0x80], '\ufffd\ufffd\ufffd'],
		['the byte 9B, which is no CSI in UTF-8', [0x9b, 0x33, 0x31, 0x6d], '\ufffd31m'],
		['a NUL', [0x61, 0, 0x62], 'a\ufffdb'],
	])('%s', (_, bytes, text) => {
		expect(cleanText(Uint8Array.from(bytes))).toBe(text);
	});

	test('a part of a larger buffer', () => {
		expect(cleanText(Buffer.from('abcdef').subarray(2, 4))).toBe('cd');
	});
});

describe('escape sequences', () => {
	test.each([
		['colours', '\x1b[1;31mred\x1b[0m \x1b[mplain', 'red plain'],
		['colours with colons', '\x1b[38:2::1:2:3mred', 'red'],
		['a private mode', '\x1b[?25lhidden\x1b[?25h', 'hidden'],
		['an intermediate character', '\x1b[2 qbar', 'bar'],
		['U+009B in the place of ESC [', '\x9b31mred', 'red'],
		['a sequence with a final @ or ~', '\x1b[@a\x1b[3~b', 'ab'],
		['a sequence cut off by the end of its line', 'a\x1b[31\nb', 'a\nb'],
		['a sequence cut off by the end of the text', 'a\x1b[31', 'a'],
		['a sequence cut off after an intermediate character', 'a\x1b[2 ', 'a'],
		['an introducer at the end', 'a\x1b[', 'a'],
		['a sequence broken off by another', 'a\x1b[1\x1b[31mb', 'ab'],
		['a character set', '\x1b(Ba\x1b)0b', 'ab'],
		['escapes of two characters', '\x1b7a\x1b8b\x1bcc\x1b=d\x1b>e\x1bMf', 'abcdef'],
		['an escape cut off by the end', 'a\x1b(', 'a'],
		['a lone ESC at the end', 'a\x1b', 'a'],
		['a lone ESC in front of a line end', 'a\x1b\nb', 'a\nb'],
		['a lone ESC in front of a sequence', 'a\x1b\x1b[31mb', 'ab'],
		['a lone ESC in front of other letters', 'a\x1bé', 'aé'],
		['parts around a sequence do not make another', 'a\x1b\x1b[m[31mb', 'a[31mb'],
	])('%s', (_, text, expected) => {
		expect(clean(text)).toBe(expected);
	});
});

describe('control strings', () => {
	test.each([
		['a window title up to BEL', '\x1b]0;my own title\x07text', 'text'],
		['a window title up to ST', '\x1b]0;my own title\x1b\\text', 'text'],
		['a window title up to U+009C', '\x1b]0;my own title\x9ctext', 'text'],
		['a window title with a tab and an emoji', '\x1b]2;a\tb 👍\x07text', 'text'],
		['a link', 'see \x1b]8;id=1;https://example.com/a b\x1b\\the page\x1b]8;;\x1b\\.', 'see the page.'],
		['DCS', '\x1bP0;1;0q"1;1;2;2#0~~-~~\x1b\\text', 'text'],
		['SOS', '\x1bXany thing\x1b\\text', 'text'],
		['PM', '\x1b^any thing\x1b\\text', 'text'],
		['APC', '\x1b_Gf=24,s=10;AAAA\x1b\\text', 'text'],
		['without an end in its line: only the introducer goes', 'a\x1b]b c\nd\x07', 'ab c\nd'],
		['without an end in its line, with a number', 'a\x1b]0;b\nc', 'a0;b\nc'],
		['broken off by another sequence', 'a\x1b]b \x1b]0;title\x07c', 'ab c'],
		['broken off by a carriage return', '\x1b]0;1 %\r2 %\x07', '2 %'],
		['stray at the end of the text', 'a\x1b]important', 'aimportant'],
		['stray, of another kind', 'a\x1bPb\x1bXc\x1b^d\x1b_e', 'abcde'],
		['an introducer at the end', 'a\x1b]', 'a'],
		['cut off in its number', 'a\x1b]13', 'a'],
		['cut off in its text', 'a\x1b]0;my ti', 'a'],
		['cut off in its end', 'a\x1b]0;my title\x1b', 'a'],
		['a link cut off', 'a\x1b]8;;https://exa', 'a'],
		['a sixel picture cut off', 'a\x1bP0;1;0q"1;1#0~~', 'a'],
		['a sixel picture cut off in its numbers', 'a\x1bP0;1', 'a'],
		['a kitty picture cut off', 'a\x1b_Gf=24;AA', 'a'],
	])('%s', (_, text, expected) => {
		expect(clean(text)).toBe(expected);
	});
});

describe('carriage returns', () => {
	test.each([
		['line ends of Windows', 'a\r\nb\r\n', 'a\nb\n'],
		['line ends that were translated twice', 'a\r\r\nb', 'a\nb'],
		['a progress bar', '10 %\r50 %\r100 %\ndone', '100 %\ndone'],
		['a progress bar that ends with a return', '10 %\r100 %\r', '100 %'],
		['a progress bar that erases its line', '10 %\r\x1b[K50 %\r\x1b[2Kok\n', 'ok\n'],
		['a progress bar that erases its line in the end', '10 %\r100 %\r\x1b[K', '100 %'],
		['a shorter text after a longer one', 'downloading\rok\n', 'ok\n'],
		['blanks are not nothing', 'wait\r    \rok\r  \n', '  \n'],
		['what is dropped is nothing', '100 %\r\x07\x1b[0m\n', '100 %\n'],
		['what was taken back is nothing', '100 %\rx\b\n', '100 %\n'],
		['only in its own line', 'a\nb\rc\nd\n', 'a\nc\nd\n'],
		['at the start of a line', '\ra\n\rb', 'a\nb'],
		['alone', '\r\r\r', ''],
	])('%s', (_, text, expected) => {
		expect(clean(text)).toBe(expected);
	});
});

describe('backspaces', () => {
	test.each([
		['bold of man pages', 'N\bNA\bAM\bME\bE', 'NAME'],
		['underlined of man pages', '_\bf_\bi_\bl_\be', 'file'],
		['a spinner', '|\b/\b-\b\\\bdone', 'done'],
		['several at a time', '10 %\b\b\b\b20 %', '20 %'],
		['never beyond the start of the line', 'a\nb\b\b\bc', 'a\nc'],
		['never beyond the start of the text', '\b\ba', 'a'],
		['never beyond a carriage return', 'abc\r\b\b', 'abc'],
		['a character of two code units', 'a👍\bb', 'ab'],
		['a character of three bytes', 'a漢\b漢', 'a漢'],
		['over a colour', 'a\x1b[31m\bb', 'b'],
		['over an invalid byte', '\0\ba', 'a'],
	])('%s', (_, text, expected) => {
		expect(clean(text)).toBe(expected);
	});
});

test('other control characters are dropped', () => {
	const controls = [...Array(0x20).keys(), ...Array.from({ length: 0x21 }, (_, index) => 0x7f + index)];
	const meaningful = new Set(['\0', '\b', '\t', '\n', '\r', '\x1b', '\x9b']);
	for (const control of controls.map((code) => String.fromCharCode(code))) {
		if (!meaningful.has(control)) expect(clean(`a${control}1`), JSON.stringify(control)).toBe('a1');
	}
});

describe('binary output', () => {
	test.each([
		['NULs', Buffer.alloc(12_345), '[binary output, 12,345 bytes]'],
		['invalid bytes', Buffer.alloc(1_001, 0xff), '[binary output, 1,001 bytes]'],
		['few of them', Buffer.alloc(1_000), '\ufffd'.repeat(1_000)],
		['more than 30 %', Buffer.from('\0'.repeat(3_001) + '👍'.repeat(7_000)), '[binary output, 31,001 bytes]'],
		['30 %', Buffer.from('\0'.repeat(3_000) + 'é'.repeat(7_000)), '\ufffd'.repeat(3_000) + 'é'.repeat(7_000)],
		['where a carriage return hides it', Buffer.from(`${'\0'.repeat(2_000)}\rELF`), '[binary output, 2,004 bytes]'],
		['where what is dropped hides it', Buffer.from('\0\x01\x02\x03'.repeat(2_000)), '[binary output, 8,000 bytes]'],
	])('%s', (_, bytes, expected) => {
		expect(cleanText(bytes)).toBe(expected);
	});
});

describe('one MiB of hostile output', () => {
	test.each([
		['ESC', '\x1b'],
		['OSC', '\x1b]'],
		['OSC with a number', '\x1b]0;'],
		['OSC that looks ended', '\x1b]0;a\x1b'],
		['CSI', '\x1b['],
		['U+009B', '\x9b'],
		['U+009C', '\x9c'],
		['DCS with numbers', '\x1bP1;1'],
		['APC', '\x1b_G'],
		['OSC and CSI', '\x1b]\x1b['],
		['OSC, a line end', '\x1b]0;a\n'],
		['OSC, a carriage return', '\x1b]0;a\r'],
		['carriage returns', '\r'],
		['a character, a carriage return', 'a\r'],
		['a character, a carriage return, a backspace', 'ab\r\b'],
		['backspaces', '\b'],
		['a character, a backspace', 'a\b'],
		['one line', 'a'],
		['blanks', ' '],
		['line ends', '\n'],
		['NULs and backspaces', '\0\b'],
	])('%s', (_, unit) => {
		const result = clean(unit.repeat(MIB / unit.length));
		expect(result.length).toBeLessThanOrEqual(MIB);
	});

	test.each([
		['one CSI', '\x1b[', '1;'],
		['one CSI of intermediate characters', '\x1b[', ' '],
		['one OSC', '\x1b]', 'a '],
		['one OSC that is all number', '\x1b]', '1'],
		['one OSC with a number', '\x1b]0;', 'a '],
		['one DCS', '\x1bP', '1;'],
		['a long line that keeps being returned over', 'a'.repeat(MIB / 2), '\r'],
		['a long line that is overwritten', 'a'.repeat(MIB / 2), '\rb'],
		['a long line that is taken back', 'a'.repeat(MIB / 2), '\b'],
	])('%s', (_, start, unit) => {
		const result = clean(start + unit.repeat((MIB - start.length) / unit.length));
		expect(result.length).toBeLessThanOrEqual(MIB);
	});
});

/** Bytes among which those with a meaning are common. */
const bytes = fc
	.array(
		fc.oneof(
			fc.constantFrom(
				'\x1b',
				'\x1b[',
				'\x1b]',
				'\x1b\\',
				'\x07',
				'\r',
				'\n',
				'\b',
				'\0',
				'\x9b',
				'\x9c',
				'\ufeff',
				'👍',
			),
			fc.constantFrom('0;', '1', 'm', '(B', 'P', 'q', '_G', 'a b', 'é'),
			fc.uint8Array({ maxLength: 4 }),
		),
		{ size: 'medium' },
	)
	.map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part))));

test('no control character and no lone surrogate comes out', () => {
	fc.assert(
		fc.property(bytes, (input) => {
			const text = cleanText(input);
			expect(text).not.toMatch(/[^\P{Cc}\n\t]/u);
			expect(text).not.toMatch(/\p{Cs}/u);
		}),
		{ numRuns: runs(1_000) },
	);
});

test('printable characters, tabs and line feeds stay as they are', () => {
	const unit = fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), fc.constantFrom('\t', '\n', ' '));
	const printable = unit.filter((character) => /[\P{Cc}\t\n]/u.test(character));
	fc.assert(
		fc.property(fc.string({ unit: printable }), (text) => {
			expect(clean(text)).toBe(text);
		}),
	);
});

test('what is clean stays as it is', () => {
	fc.assert(
		fc.property(bytes, (input) => {
			const text = cleanText(input);
			expect(clean(text)).toBe(text);
		}),
		{ numRuns: runs(1_000) },
	);
});
