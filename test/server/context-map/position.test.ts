import { expect, test } from 'vitest';
import { parseContextMap } from '../../../server/context-map/parse.ts';
import { positionOf } from '../../../server/context-map/position.ts';

const LINES = 30_000;

// The parser was asked line by line where such a statement ends: minutes, in which the broker did nothing else.
test.each([
	['list', '[\n', '"x",\n', ']'],
	['text', '"""\n', 'x\\"\n', '"""'],
	['literal text', "'''\n", 'x"[{#\n', "'''"],
])('a %s of many lines is located, and what follows it', (_, begin, line, end) => {
	const text = `[a]\n\n  long = ${begin}${line.repeat(LINES)}${end}\nlast = 1\n`;
	expect(positionOf(text, ['a', 'long'])).toEqual({ line: 3, column: 3 });
	expect(positionOf(text, ['a', 'last'])).toEqual({ line: LINES + 5, column: 1 });
});

test('what begins and ends lists, tables and texts does not where it stands within texts, keys or comments', () => {
	const statements = [
		`a = "[ \\" ' # {"`,
		"b = '[ \\'",
		'c = ""',
		`d = """"[ " "" \\"""\n[{'"""""`,
		`e = ''''{ ' ''\n"['''''`,
		'f = """"""',
		'g = [ "]", # ]\n{ h = "}" } ]',
		`"]" = "x" # [ { " '`,
		"'}' = 'x'\r",
		`[i.'x"['] # "`,
		'j = true',
		'[[k."[\\""]] # [',
		'  last = 1 # no end',
	];
	const text = statements.join('\n');
	const lines = text.split('\n').length;
	expect(positionOf(text, ['k', '["', 0, 'last'])).toEqual({ line: lines, column: 3 });
	expect(positionOf(text, ['i', 'x"[', 'j'])).toEqual({ line: lines - 2, column: 1 });
	expect(positionOf(text, ['}'])).toEqual({ line: lines - 4, column: 1 });
	expect(positionOf(text, ['g', 1, 'h'])).toEqual({ line: lines - 7, column: 1 });
});

// Each of them was located, in case that another one has its name.
test('a map of very many servers is parsed', () => {
	const servers = Array.from({ length: 5_000 }, (_, index) => `[mcp_servers.s${index}]\nisolated = true\n`);
	expect(parseContextMap(Buffer.from(`[keys]\n${servers.join('')}`)).isolation).toHaveLength(5_000);
});
