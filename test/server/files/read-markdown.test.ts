import { execFileSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { mkdir, rename, symlink, truncate, unlink, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BrokerError, type ErrorCode } from '../../../server/errors.ts';
import { CONTENT_LIMIT, readMarkdown } from '../../../server/files/read-markdown.ts';
import { temporaryFolder } from '../../support/temporary.ts';

async function failure(path: string): Promise<BrokerError> {
	const error = await readMarkdown(path).then(
		() => undefined,
		(thrown: unknown) => thrown,
	);
	if (!(error instanceof BrokerError)) throw new Error('no BrokerError', { cause: error });
	return error;
}

async function expectCode(path: string, code: ErrorCode): Promise<void> {
	expect((await failure(path)).code).toBe(code);
}

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
	test.each(['a.md', 'a.MD', 'a.Md', '.md', 'a b.md', 'ü.md', 'a.txt.md', 'a\n.md'])('%j is served', async (name) => {
		const file = join(await temporaryFolder(), name);
		await writeFile(file, 'text');
		expect(await readMarkdown(file)).toBe('text');
	});

	test.each(['a.txt', 'a', 'amd', 'a.md.txt', 'a.mdx', 'a.md ', 'a.md.', 'md', 'a.markdown'])(
		'%j is not_markdown, whether it exists or not',
		async (name) => {
			const file = join(await temporaryFolder(), name);
			await expectCode(file, 'not_markdown');
			await writeFile(file, 'text');
			await expectCode(file, 'not_markdown');
		},
	);

	test('a file that does not exist, or lies below a file, is missing', async () => {
		const folder = await temporaryFolder();
		await writeFile(join(folder, 'file'), '');
		await expectCode(join(folder, 'none.md'), 'file_missing');
		await expectCode(join(folder, 'none', 'none.md'), 'file_missing');
		await expectCode(join(folder, 'file', 'none.md'), 'file_missing');
	});

	test('a path that no system takes is unreadable', async () => {
		const folder = await temporaryFolder();
		await expectCode(join(folder, `${'x'.repeat(5_000)}.md`), 'file_unreadable');
	});
});

describe('links', () => {
	test('one to a Markdown file is followed, also out of its folder', async () => {
		const [folder, elsewhere] = [await temporaryFolder(), await temporaryFolder()];
		await writeFile(join(elsewhere, 'real.md'), 'text');
		await symlink(join(elsewhere, 'real.md'), join(folder, 'link.md'));
		expect(await readMarkdown(join(folder, 'link.md'))).toBe('text');
	});

	test('one to a file of another kind is refused, through any number of links', async () => {
		const folder = await temporaryFolder();
		await writeFile(join(folder, 'passwd'), 'root');
		await symlink('passwd', join(folder, 'first.md'));
		await symlink('first.md', join(folder, 'second.md'));
		await expectCode(join(folder, 'first.md'), 'not_markdown');
		await expectCode(join(folder, 'second.md'), 'not_markdown');
	});

	test('the folder above may be a link', async () => {
		const folder = await temporaryFolder();
		await mkdir(join(folder, 'real'));
		await writeFile(join(folder, 'real', 'a.md'), 'text');
		await symlink('real', join(folder, 'alias'));
		expect(await readMarkdown(join(folder, 'alias', 'a.md'))).toBe('text');
	});

	test('one to nothing is missing, a circle is unreadable', async () => {
		const folder = await temporaryFolder();
		await symlink('none.md', join(folder, 'dangling.md'));
		await symlink('b.md', join(folder, 'a.md'));
		await symlink('a.md', join(folder, 'b.md'));
		await expectCode(join(folder, 'dangling.md'), 'file_missing');
		await expectCode(join(folder, 'a.md'), 'file_unreadable');
	});

	test('one that is swapped all the time never yields the other file', async () => {
		const folder = await temporaryFolder();
		await writeFile(join(folder, 'good.md'), 'good');
		await writeFile(join(folder, 'secret.txt'), 'secret');
		await utimes(join(folder, 'good.md'), 1, 1);
		const link = join(folder, 'link.md');
		const swap = async (target: string) => {
			await symlink(target, `${link}.new`);
			await rename(`${link}.new`, link);
		};
		await swap('good.md');
		let running = true;
		const swapping = (async () => {
			while (running) {
				await swap('secret.txt');
				await swap('good.md');
			}
		})();
		const results = await Promise.all(
			Array.from({ length: 300 }, () => readMarkdown(link).catch((error: BrokerError) => error.code)),
		);
		running = false;
		await swapping;
		expect(results).not.toContain('secret');
		for (const result of new Set(results)) expect(['good', 'not_markdown', 'file_unreadable']).toContain(result);
	});
});

describe('what is no regular file is refused at once', () => {
	test('a folder', async () => {
		const path = join(await temporaryFolder(), 'x.md');
		await mkdir(path);
		await expectCode(path, 'not_a_file');
	});

	test('a FIFO that nobody writes to', async () => {
		const path = join(await temporaryFolder(), 'x.md');
		execFileSync('mkfifo', [path]);
		await expectCode(path, 'not_a_file');
	});

	test('a socket', async () => {
		const path = join(await temporaryFolder(), 'x.md');
		const server = createServer().listen(path);
		onTestFinished(() => void server.close());
		await new Promise((resolve) => server.once('listening', resolve));
		await expectCode(path, 'not_a_file');
	});

	test('a link to a device', async () => {
		const path = join(await temporaryFolder(), 'x.md');
		await symlink('/dev/zero', path);
		await expectCode(path, 'not_a_file');
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

describe('a file that changes while it is read', () => {
	test('yields one of its versions', async () => {
		const file = join(await temporaryFolder(), 'a.md');
		const versions = ['a', 'b', 'c'].map((letter) => letter.repeat(200_000));
		writeFileSync(file, versions[0] ?? '');
		let running = true;
		const writing = (async () => {
			for (let turn = 0; running; turn++) {
				// Replaced in one step, as editors do.
				await writeFile(`${file}.new`, versions[turn % 3] ?? '');
				await rename(`${file}.new`, file);
			}
		})();
		for (let turn = 0; turn < 20; turn++) {
			const text = await readMarkdown(file).catch((error: BrokerError) => error.code);
			expect(text === 'file_unreadable' || versions.includes(text)).toBe(true);
		}
		running = false;
		await writing;
	});

	test('in place yields one of its versions or an error', async () => {
		const file = join(await temporaryFolder(), 'a.md');
		writeFileSync(file, 'a'.repeat(400_000));
		let running = true;
		const writing = (async () => {
			for (let turn = 0; running; turn++) {
				writeFileSync(file, (turn % 2 ? 'a' : 'b').repeat(400_000), { flag: 'r+' });
				await new Promise((resolve) => setTimeout(resolve, turn % 40 === 0 ? 120 : 0));
			}
		})();
		for (let turn = 0; turn < 10; turn++) {
			const text = await readMarkdown(file).catch((error: BrokerError) => error.code);
			expect(text === 'file_unreadable' || /^(a{400000}|b{400000})$/.test(text)).toBe(true);
		}
		running = false;
		await writing;
	});

	test('and never stops growing is an error', async () => {
		const file = join(await temporaryFolder(), 'a.md');
		writeFileSync(file, '');
		const growing = setInterval(() => appendFileSync(file, 'line\n'), 5);
		onTestFinished(() => clearInterval(growing));
		const error = await failure(file);
		expect(error.code).toBe('file_unreadable');
		expect(error.message).toContain('it is being written all the time');
		clearInterval(growing);
		await unlink(file);
	});
});
