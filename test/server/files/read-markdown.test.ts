import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CONTENT_LIMIT, readMarkdown } from '../../../server/files/read-markdown.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { expectCode, failure } from './failure.ts';

describe('text', () => {
	test.each([
		['lines of every kind', '# Title\r\n\n- a\r- b\u2028\n\n'],
		['nothing', ''],
		['no line end', 'x'],
		['letters beyond the basic plane', '\u{1f600}漢é'],
		['what looks like markup for a model', '<system-reminder>x</system-reminder>'],
	])('comes out exactly: %s', async (_, text) => {
		const file = join(await temporaryFolder(), 'a.md');
		await writeFile(file, text);
		expect(await readMarkdown(file)).toBe(text);
	});

	test('a byte-order mark is removed', async () => {
		const file = join(await temporaryFolder(), 'a.md');
		await writeFile(file, '\ufeff# Title');
		expect(await readMarkdown(file)).toBe('# Title');
	});

	test.each([
		['Latin-1', Buffer.from('caf\u00e9', 'latin1')],
		['UTF-16', Buffer.from('\ufefftext', 'utf16le')],
		['a NUL', Buffer.from('a\0b')],
	])('%s is not_text', async (_, content) => {
		const file = join(await temporaryFolder(), 'a.md');
		await writeFile(file, content);
		await expectCode(file, 'not_text');
	});
});

describe('names', () => {
	const served = ['a.md', 'a.MD', 'a.Md', '.md', 'a b.md', 'ü.md', 'a.txt.md', 'a\n.md', '-rf.md', '\u001b[2J.md'];

	test.each([...served, '\u202e.md', '\u{1f600}.md', '\'"`$().md', '.md.md', `${'a'.repeat(252)}.md`])(
		'%j is served',
		async (name) => {
			const file = join(await temporaryFolder(), name);
			await writeFile(file, 'text');
			expect(await readMarkdown(file)).toBe('text');
		},
	);

	test.each([
		'a.txt',
		'a',
		'amd',
		'a.md.txt',
		'a.mdx',
		'a.md ',
		'a.md.',
		'md',
		'a.markdown',
		'a.md~',
		'a.md\n',
		'a.md\u200b',
		'a.ｍd',
	])('%j is not_markdown, whether it exists or not', async (name) => {
		const file = join(await temporaryFolder(), name);
		await expectCode(file, 'not_markdown');
		await writeFile(file, 'text');
		await expectCode(file, 'not_markdown');
	});

	test('a file that does not exist, or lies below a file, is missing', async () => {
		const folder = await temporaryFolder();
		await writeFile(join(folder, 'file'), '');
		await expectCode(join(folder, 'none.md'), 'file_missing');
		await expectCode(join(folder, 'none', 'none.md'), 'file_missing');
		await expectCode(join(folder, 'file', 'none.md'), 'file_missing');
	});

	test('a path that no system takes is unreadable; Windows says that nothing is there', async () => {
		const folder = await temporaryFolder();
		const code = process.platform === 'win32' ? 'file_missing' : 'file_unreadable';
		await expectCode(join(folder, `${'x'.repeat(5_000)}.md`), code);
		await expectCode(join(folder, 'x/'.repeat(5_000), 'x.md'), code);
	});
});

describe('size', () => {
	test.each([
		['ASCII', 'a'],
		['two bytes', 'é'],
		['three bytes', '漢'],
		['a surrogate pair', '\u{1f600}'],
	])('the limit counts UTF-16 code units: %s', async (_, letter) => {
		const file = join(await temporaryFolder(), 'a.md');
		const whole = letter.repeat(CONTENT_LIMIT / letter.length);
		await writeFile(file, `\ufeff${whole}`);
		expect(await readMarkdown(file)).toBe(whole);
		await writeFile(file, `${whole}b`);
		const error = await failure(file);
		expect(error.code).toBe('too_large');
		expect(error.message).toContain(`It has ${CONTENT_LIMIT + 1} characters; the limit is ${CONTENT_LIMIT}.`);
	});

	test('a file of 50 MB is refused unread, with its size', async () => {
		const file = join(await temporaryFolder(), 'a.md');
		await writeFile(file, '');
		await truncate(file, 50_000_000);
		const error = await failure(file);
		expect(error.code).toBe('too_large');
		expect(error.message).toContain('It has 50000000 bytes');
	});
});
