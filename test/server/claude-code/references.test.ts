import { expect, test } from 'vitest';
import { commandsIn, mentionsIn, withoutCode } from '../../../server/claude-code/references.ts';

test.each([
	['see @notes.md', ['notes.md']],
	['@~/private/notes.md#L3-9, please', ['~/private/notes.md']],
	['(see @notes.md).', ['notes.md).', 'notes.md']],
	['see @"a file.md" and @a\\ file.md', ['a file.md']],
	['見て。@notes.md', ['notes.md']],
])('a path behind an @ is a reference: %s', (text, expected) => {
	expect(mentionsIn(text)).toEqual(expect.arrayContaining(expected));
});

test.each(['jo@example.org', '`@notes.md`', 'notes.md', '"@types/node"', '@'])('this is none: %s', (text) => {
	expect(mentionsIn(text)).toEqual([]);
});

test('of a text with very many, the first thousand count', () => {
	const text = Array.from({ length: 100_000 }, (_, index) => `@file${index}`).join(' ');
	expect(mentionsIn(text).length).toBeLessThanOrEqual(1_003);
});

test('commands are run from a line and from a block, and nothing else is one', () => {
	expect(commandsIn('A !`cat a.md` and\n```!\ncat b.md\ncat c.md\n```\n`cat d.md` x!`cat e.md`')).toEqual([
		'cat a.md',
		'cat b.md\ncat c.md',
	]);
});

test('code of Markdown imports nothing', () => {
	const text = 'A `@a.md` b\n```\n@b.md\n```\n~~~sh\n@c.md\n~~~\n``x ` @d.md`` @e.md\n';
	expect(mentionsIn(withoutCode(text))).toEqual(['e.md']);
});

const MANY = 1_000_000;

test.each([
	['marks behind an @', `@${'-'.repeat(MANY)}a -`],
	['marks behind many an @', `@${'-'.repeat(4_000)}a- `.repeat(MANY / 4_000)],
	['backticks', '`'.repeat(MANY)],
	['an open block of blank lines', `\`\`\`!${'\n'.repeat(MANY)}`],
	['an open quotation', ' @"'.repeat(MANY / 3)],
])('a text of a megabyte holds nothing up: %s', (_, text) => {
	mentionsIn(text);
	commandsIn(text);
	withoutCode(text);
});

test('what is longer than any path is no reference', () => {
	expect(mentionsIn(`@${'a/'.repeat(MANY)} @b.md`)).toEqual(['b.md']);
});
