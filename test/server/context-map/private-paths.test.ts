import { describe, expect, test } from 'vitest';
import { markdownPathsIn, markdownPathsInText, pathsIn } from '../../../server/context-map/private-paths.ts';

describe('in a text that is no TOML', () => {
	test.each([
		['k = "~/a.md"', '~/a.md'],
		["k = '~/a b/c.md'", '~/a b/c.md'],
		['k = ~/a.md', '~/a.md'],
		['k = ~/my files/a.md # mine', '~/my files/a.md'],
		['k = "~/a.md', '~/a.md'],
		['k = ~/a.md"', '~/a.md'],
		["k = '~/jo's/a.md'", "~/jo's/a.md"],
		['k = {path="~/a.md",agents=["x"}', '~/a.md'],
		['a = ["x.md", "~/a=b, c.md]', '~/a=b, c.md'],
		['k = "C:\\\\notes\\\\a.md"', 'C:\\notes\\a.md'],
		['k = "~/caf\\u00e9.md"', '~/café.md'],
		['k = "~\\private\\a.md"', '~\\private\\a.md'],
		['k = "C:\\Users\\jo\\a.md"', 'C:\\Users\\jo\\a.md'],
		['k = "\\\\srv\\share\\a.md"', '\\\\srv\\share\\a.md'],
		['k = """\\\n  ~/a.md"""', '~/a.md'],
		['[keys\r\nk="~/A.MD"\r\n', '~/A.MD'],
	])('%j has the path %j', (text, path) => {
		expect(markdownPathsInText(text)).toContain(path);
	});

	test.each(['', '[keys', 'k = notes.txt', 'k = a.mdx', 'k = a.md.bak'])('%j has none', (text) => {
		expect(markdownPathsInText(text)).toEqual([]);
	});

	test('a text of many, or of one line, is looked through in no time', () => {
		const many = Array.from({ length: 10_000 }, (_, index) => `k${index} = "~/private files/${index}.md"`);
		for (const end of ['\n', ', ']) {
			const paths = markdownPathsInText(many.join(end));
			expect(paths).toContain('~/private files/0.md');
			expect(paths).toContain('~/private files/9999.md');
		}
		expect(markdownPathsInText('.md-'.repeat(1_000_000)).length).toBeGreaterThan(0);
	});
});

test('in a value, whatever its shape: all texts, or those of which only the end is known', () => {
	const value = { pth: '~/a.md', agents: ['x', '', 'b\0.md'], deep: [{ b: 'B.MD' }], n: 5 };
	expect(pathsIn(value).sort()).toEqual(['B.MD', 'x', '~/a.md']);
	expect(markdownPathsIn(value).sort()).toEqual(['B.MD', '~/a.md']);
	expect(pathsIn(5)).toEqual([]);
});

test.each([
	['$HOME/a.md', '~/a.md'],
	[`\${HOME}/a.md`, '~/a.md'],
	['%USERPROFILE%\\a.md', '~\\a.md'],
	['file:///home/jo/a.md', '/home/jo/a.md'],
	['C:\temp\names.md', 'C:\\temp\\names.md'],
	[' “~/a.md”\n', '~/a.md'],
])('in the value %j also the path that is meant', (written, meant) => {
	expect(pathsIn(written)).toEqual([written, meant]);
});

test.each(['~/a.md', "my notes/jo's.md", 'C:\\new\\a.md', 'a "b".md', '/$HOME/a.md', 'é.md'])(
	'%j means itself',
	(path) => {
		expect(pathsIn(path)).toEqual([path]);
	},
);
