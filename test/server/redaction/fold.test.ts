import { describe, expect, test } from 'vitest';
import { foldCodePoint, KIND } from '../../../server/redaction/code-points.ts';
import { BOUNDARY, foldText } from '../../../server/redaction/fold.ts';

/** The stream with a blank where words are parted and a dot where a word is; a reference is `^`. */
function folded(text: string): string {
	const { stream, boundaries } = foldText(text, 'references', 'blanks');
	let shown = '';
	for (const [at, unit] of stream.entries()) {
		if (at > 0 && boundaries[at] === BOUNDARY.words) shown += ' ';
		if (boundaries[at] === BOUNDARY.inWord) shown += '.';
		shown += unit === 0 ? '^' : String.fromCharCode(unit);
	}
	return shown;
}

describe('what is the same when folded', () => {
	test.each([
		['case', 'JANE DOE'],
		['white space', '  jane \t\n\u00a0\u2003doe'],
		['marks of Markdown', '**Jane** `Doe`'],
		['underscores', '_jane_doe_'],
		['backslash escapes', 'jane\\_doe'],
		['accents, composed', 'Jáñe Döe'],
		['accents, decomposed', 'Ja\u0301n\u0303e Do\u0308e'],
		['full width', 'Ｊａｎｅ　Ｄｏｅ'],
		['mathematical letters', '𝐉𝐚𝐧𝐞 𝒟𝑜𝑒'],
		['zero-width characters, soft hyphens, byte order marks', '\ufeffJa\u200bn\u00ade Do\u2060e'],
		['invisible letters', 'Ja\u3164ne Doe'],
		['named character references', 'jane&nbsp;&quot;doe&gt;'],
		['numeric character references', '&#74;ane&#32;D&#x6f;&#X65;'],
		['letters in JSON', 'j\\u0061ne D\\u00f6e'],
		['letters in JSON within JSON', 'j\\\\u0061ne\\\\nDoe'],
		['white space in JSON', 'jane\\ndoe'],
		['white space in a pattern', 'jane\\s+doe'],
		['code points in JavaScript', 'j\\x61ne d\\u{f6}e'],
		['percent-encoding', 'jane%20d%C3%B6e'],
		['percent-encoding, twice', 'jane%2520d%25C3%25B6e'],
		['quoted-printable letters', 'jane d=C3=B6e'],
		['named letters', 'j&aacute;ne d&ouml;e'],
		['colours of a terminal', '\x1b[1;31mjane\x1b[0m doe'],
		['colours in JSON', '\\u001b[31mjane\\u001b[0mdoe'],
		['formatting tags', '<b>Jane</b><br/>Doe'],
		['lone surrogates', 'Jane\ud800Doe\udc00'],
	])('%s', (_, text) => {
		expect(folded(text)).toBe('jane doe');
	});

	test.each([
		['straße', 'strasse'],
		['STRAẞE', 'strasse'],
		['Łódź Øre Ǿre Ærø Œuvre Đorđe Ðórr Þór Ħal Ŧor', 'lodz ore ore aero oeuvre dorde dorr thor hal tor'],
		['ΟΔΥΣΣΕΥΣ ὀδυσσεύς', 'οδυσσευσ οδυσσευσ'],
		['ILIK ılık İlik', 'ilik ilik ilik'],
		['ﬁle ½ ℡', 'file 12 tel'],
		['\u1fb3', 'α'],
	])('%s', (text, expected) => {
		expect(folded(text)).toBe(expected);
	});
});

describe('where words are parted', () => {
	test.each([
		['seedJaneDoe', 'seed.jane.doe'],
		['JANEDoe user42Jane', 'janedoe user42jane'],
		['straßeÄgypten', 'strasse.agypten'],
		['山田太郎さん', '山 田 太 郎 さ ん'],
		['abc山d', 'abc 山 d'],
		['กข', 'ก ข'],
		['a&b & c', 'a b c'],
		['a &unknown; &#x110000; b', 'a unknown x110000 b'],
		['a%zz %ff =40 \\u12 \\x4', 'a zz ff 40 u12 x4'],
		['&szlig;&aelig;&oslash;&lstrok;', 'ssaeol'],
		['+491701234567 +1555 +12', '49 1701234567 1 555 1 2'],
		['<jane@example.org> <i class="x">', 'jane example org i class x'],
		['see [context:L12]now', 'see ^ now'],
		['[context:Lx] [context:12]', 'context lx context 12'],
	])('%s', (text, expected) => {
		expect(folded(text)).toBe(expected);
	});

	test('a Korean syllable is one word, composed and decomposed', () => {
		expect(folded('김민')).toBe(folded('김민'.normalize('NFD')));
		expect(folded('김민').split(' ')).toHaveLength(2);
	});
});

test('a reference is text like any other where references are not kept', () => {
	expect([...foldText('[context:L1]', 'nothing').stream]).toEqual(
		[...'contextl1'].map((letter) => letter.charCodeAt(0)),
	);
});

test('offsets lead to the characters of the text, with their accents and whole references', () => {
	const text = '&#74;ane\u0301 ﬁ𝐉.';
	const { stream, starts, ends, streamAt } = foldText(text, 'references');
	const pieces = [...stream].map((unit, at) => [String.fromCharCode(unit), text.slice(starts[at], ends[at])]);
	expect(pieces).toEqual([
		['j', '&#74;'],
		['a', 'a'],
		['n', 'n'],
		['e', 'e\u0301'],
		['f', 'ﬁ'],
		['i', 'ﬁ'],
		['j', '𝐉'],
	]);
	expect([...streamAt]).toEqual([0, 1, 1, 1, 1, 1, 2, 3, 4, 4, 4, 6, 7, 7, 7]);
});

test('each ideograph is a word by itself', () => {
	const others = Array.from({ length: 0x9fcb - 0x4e00 + 1 }, (_, at) => 0x4e00 + at).filter((code) => {
		const { kind, units } = foldCodePoint(code);
		const ideograph = String.fromCodePoint(code);
		const isPlain = /^\p{Lo}$/u.test(ideograph) && ideograph.normalize('NFKD') === ideograph;
		return !isPlain || kind !== KIND.word || units.length !== 1 || units[0] !== code;
	});
	expect(others).toEqual([]);
});
