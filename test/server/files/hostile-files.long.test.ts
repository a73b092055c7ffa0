import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { mkdir, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { BrokerError } from '../../../server/errors.ts';
import { readMarkdown } from '../../../server/files/read-markdown.ts';
import { readStable } from '../../../server/files/read-stable.ts';
import { shortFolder, temporaryFolder } from '../../support/temporary.ts';
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
		await symlink('good.md', link);
		await swapping(link, 'secret.txt', 'good.md');
		const results: string[] = [];
		for (let turn = 0; turn < 1_000; turn++) {
			results.push(await readMarkdown(link).catch((error: BrokerError) => error.code));
		}
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
		const path = join(folder, 'x.md');
		await writeFile(join(folder, 'file.md'), 'text');
		execFileSync('mkfifo', [join(folder, 'fifo.md')]);
		await symlink('file.md', path);
		await swapping(path, 'fifo.md', 'file.md');
		const results = new Set<string>();
		for (let turn = 0; turn < 20_000; turn++) {
			results.add(await readMarkdown(path).catch((error: BrokerError) => error.code));
		}
		for (const result of results) expect(['text', 'not_a_file', 'file_unreadable']).toContain(result);
	});

	test('a socket', async () => {
		const path = join(await shortFolder(), 'x.md');
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
		await inThread(
			`for (;;)
			for (const letter of ['a', 'b', 'c']) {
				// Replaced in one step, as editors do.
				fs.writeFileSync(data + '.new', letter.repeat(200_000));
				fs.renameSync(data + '.new', data);
			}`,
			file,
		);
		for (let turn = 0; turn < 20; turn++) {
			const text = await readMarkdown(file).catch((error: BrokerError) => error.code);
			expect(text === 'file_unreadable' || versions.includes(text)).toBe(true);
		}
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
			await inThread(
				`Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, data.wait);
				const open = fs.openSync(data.file, 'r+');
				fs.writeSync(open, data.letter, 0);
				fs.writeSync(open, data.letter, data.size - 1);`,
				{ file, letter, size, wait: duration * part },
			);
			const content = await read();
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

/** Lets a link lead here and there, until the test ends. */
async function swapping(link: string, ...targets: readonly string[]): Promise<void> {
	await inThread(
		`for (;;) for (const target of data.targets) {
			fs.symlinkSync(target, data.link + '.new');
			fs.renameSync(data.link + '.new', data.link);
		}`,
		{ link, targets },
	);
}

/** Runs a program beside this one until it or the test ends. Resolves when it has begun. */
async function inThread(program: string, data: unknown): Promise<void> {
	const code = `const fs = require('node:fs');
		const { parentPort, workerData: data } = require('node:worker_threads');
		parentPort.postMessage('begun');
		${program}`;
	const thread = new Worker(code, { eval: true, workerData: data });
	onTestFinished(async () => void (await thread.terminate()));
	await once(thread, 'message');
}
