import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { link, mkdir, open, rename, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { BrokerError } from '../../../server/errors.ts';
import { readMarkdown } from '../../../server/files/read-markdown.ts';
import { readStable } from '../../../server/files/read-stable.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { expectCode, failure } from './failure.ts';

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

	test('a FIFO with a writer that waits, which goes on waiting', async () => {
		const path = join(await temporaryFolder(), 'x.md');
		execFileSync('mkfifo', [path]);
		const writer = spawn('sh', ['-c', 'echo started; echo secret >"$0"', path]);
		onTestFinished(() => void writer.kill('SIGKILL'));
		await once(writer.stdout, 'data');
		await delay(200);
		await expectCode(path, 'not_a_file');
		await expect(once(writer, 'exit', { signal: AbortSignal.timeout(500) })).rejects.toThrow('aborted');
	});

	test('a FIFO that takes the place of the file just after it was looked at', async () => {
		const folder = await temporaryFolder();
		const [path, file, fifo] = [join(folder, 'x.md'), join(folder, 'file'), join(folder, 'fifo')];
		await writeFile(file, 'text');
		execFileSync('mkfifo', [fifo]);
		const put = async (what: string) => {
			await link(what, `${path}.new`);
			await rename(`${path}.new`, path);
		};
		await put(file);
		const reading: Promise<string>[] = [];
		for (let turn = 0; turn < 300; turn++) {
			// The swap comes at another moment of the reading each time, and lasts.
			for (let reader = 0; reader < 5; reader++) {
				reading.push(readMarkdown(path).catch((error: BrokerError) => error.code));
				await new Promise(setImmediate);
			}
			await put(fifo);
			await delay(1);
			await put(file);
		}
		for (const result of new Set(await Promise.all(reading))) {
			expect(['text', 'not_a_file', 'file_missing', 'file_unreadable']).toContain(result);
		}
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

	test('in place yields one of its versions: a read that it cut in two is made again', async () => {
		const file = join(await temporaryFolder(), 'a.md');
		const size = 100_000_000;
		await writeFile(file, Buffer.alloc(size, 'a'));
		const read = () => readStable(file, { limit: size });
		await read();
		const start = performance.now();
		await read();
		const duration = performance.now() - start;
		for (const part of [0.3, 0.5, 0.7]) {
			const [letter, other] = part === 0.5 ? ['a', 'b'] : ['b', 'a'];
			await delay(100);
			const reading = read();
			await delay(duration * part);
			const handle = await open(file, 'r+');
			await handle.write(letter, 0);
			await handle.write(letter, size - 1);
			await handle.close();
			const content = await reading;
			const ends = `${content.toString('latin1', 0, 1)}${content.toString('latin1', size - 1)}`;
			expect([`${letter}${letter}`, `${other}${other}`]).toContain(ends);
		}
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
