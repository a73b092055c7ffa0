import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeText } from '../../../server/files/decode.ts';
import { runs } from '../../support/runs.ts';

test.each([
	['plain text', Buffer.from('# Title\r\n- a\n'), '# Title\r\n- a\n'],
	['nothing', Buffer.alloc(0), ''],
	['a byte-order mark', Buffer.from('\ufefftext'), 'text'],
	['only the first of two byte-order marks', Buffer.from('\ufeff\ufefftext'), '\ufefftext'],
	['a byte-order mark inside', Buffer.from('a\ufeffb'), 'a\ufeffb'],
	['other control characters', Buffer.from('a\u001b[31m\u0007b'), 'a\u001b[31m\u0007b'],
	['Latin-1', Buffer.from('caf\u00e9', 'latin1'), undefined],
	['UTF-16 with a byte-order mark', Buffer.from('\ufefftext', 'utf16le'), undefined],
	['UTF-16 without one', Buffer.from('text', 'utf16le'), undefined],
	['a NUL', Buffer.from('a\0b'), undefined],
	['a lone surrogate', Buffer.from([0xed, 0xa0, 0x80]), undefined],
	['an overlong form', Buffer.from([0xc0, 0xaf]), undefined],
	['a character cut off at the end', Buffer.from('é').subarray(0, 1), undefined],
])('%s', (_, content, text) => {
	expect(decodeText(content)).toBe(text);
});

test('every text without NUL comes out as it went in', () => {
	fc.assert(
		fc.property(fc.string({ unit: 'binary' }), (text) => {
			fc.pre(!text.includes('\0') && !text.startsWith('\ufeff'));
			expect(decodeText(Buffer.from(text))).toBe(text);
		}),
	);
});

test('no text with a NUL or bytes that are not UTF-8 anywhere in it comes out', () => {
	const damage = [[0], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xff], [0x80], [0xe2, 0x28, 0xa1]];
	fc.assert(
		fc.property(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom(...damage), (before, after, bytes) => {
			const content = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
			expect(decodeText(content)).toBeUndefined();
		}),
		{ numRuns: runs() },
	);
});
