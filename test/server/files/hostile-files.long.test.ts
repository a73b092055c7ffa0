import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { appendFileSync, writeFileSync } from 'node:fs';
import { link, mkdir, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { BrokerError } from '../../../server/errors.ts';
import { cachedReader } from '../../../server/files/cached-reader.ts';
import { readMarkdown } from '../../../server/files/read-markdown.ts';
import { type ReadFile, readStable } from '../../../server/files/read-stable.ts';
import { runs } from '../../support/runs.ts';
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

	test.each(['/proc/self/environ', '/proc/self/mem', '/etc/passwd'].filter(fs.existsSync))(
		'one to a file of the system is refused: %s',
		async (target) => {
			const folder = await temporaryFolder();
			await symlink(target, join(folder, 'x.md'));
			await expectCode(join(folder, 'x.md'), 'not_markdown');
		},
	);

	test('thirty in a row are followed, sixty are not', async () => {
		const folder = await temporaryFolder();
		await writeFile(join(folder, '0.md'), 'text');
		for (let n = 1; n <= 60; n++) await symlink(`${n - 1}.md`, join(folder, `${n}.md`));
		expect(await readMarkdown(join(folder, '30.md'))).toBe('text');
		await expectCode(join(folder, '60.md'), 'file_unreadable');
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

	test('one that takes turns with a file never yields the file that it leads to', async () => {
		const folder = await temporaryFolder();
		const [link, large] = [join(folder, 'link.md'), join(folder, 'large.md')];
		// Refused by its size, before its times count: linking changes them.
		await writeFile(large, Buffer.alloc(2_000_000));
		await writeFile(join(folder, 'secret.txt'), 'secret');
		await symlink('secret.txt', link);
		await inThread(
			`for (;;) for (const [put, target] of [['symlinkSync', 'secret.txt'], ['linkSync', data.large]]) {
				fs[put](target, data.link + '.new');
				fs.renameSync(data.link + '.new', data.link);
			}`,
			{ link, large },
		);
		const results = new Set<string>();
		for (let turn = 0; turn < 6_000; turn++) {
			results.add(await readMarkdown(link).catch((error: BrokerError) => error.code));
		}
		for (const result of results) expect(['too_large', 'not_markdown', 'file_unreadable']).toContain(result);
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

	const devices = ['null', 'zero', 'full', 'random', 'tty', 'ptmx'].map((name) => `/dev/${name}`);

	test.each(devices.filter(fs.existsSync))('a link to a device: %s', async (device) => {
		const path = join(await temporaryFolder(), 'x.md');
		await symlink(device, path);
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
		expect(error.message).toContain('it keeps changing');
		clearInterval(growing);
		await unlink(file);
	});
});

/** What can stand at `here/x.md`, and what a read of it gives: the text, or the code of the error. */
interface Version {
	readonly outcome: string;
	/** Calls of node:fs that put it there; what begins with `./` is a path in the folder. */
	readonly calls: readonly (readonly [name: string, ...args: unknown[]])[];
}

/** In one step, as editors do. The folder is a link as well: one version stands in another one. */
const version = (outcome: string, ...calls: Version['calls']): Version => ({
	outcome,
	calls: [
		...calls,
		['rmSync', './new', { force: true }],
		['symlinkSync', outcome === 'two' ? 'two' : 'one', './new'],
		['renameSync', './new', './here'],
	],
});
const put = (outcome: string, ...calls: Version['calls']) =>
	version(outcome, ['rmSync', './one/new', { force: true }], ...calls, ['renameSync', './one/new', './one/x.md']);
const written = (text: string) => put(text, ['writeFileSync', './one/new', text]);
const linked = (target: string, outcome: string) => put(outcome, ['symlinkSync', target, './one/new']);
const hardLinked = (name: string, outcome: string) => put(outcome, ['linkSync', `./one/${name}`, './one/new']);
const long = (letter: string) => letter.repeat(100_000);
const inPlace = (text: string) =>
	put(text, ['writeFileSync', './one/written.md', text, { flag: 'r+' }], ['symlinkSync', 'written.md', './one/new']);

const VERSIONS: readonly Version[] = [
	...['1', '2', '3', long('a'), long('b')].map(written),
	...[long('c'), long('d')].map(inPlace),
	...[linked('good.md', 'good'), linked('good.txt', 'not_markdown'), hardLinked('good.txt', 'good')],
	...[linked('secret.txt', 'not_markdown'), linked('none.md', 'file_missing'), linked('x.md', 'file_unreadable')],
	...[linked('fifo.md', 'not_a_file'), hardLinked('fifo.md', 'not_a_file'), linked('folder.md', 'not_a_file')],
	linked('/dev/zero', 'not_a_file'),
	version('file_missing', ['rmSync', './one/x.md', { force: true }]),
	version('two'),
];

describe('of files, links, FIFOs, folders and devices that take turns in one place', () => {
	const versions = (length: { minLength: number; maxLength: number }) => fc.array(fc.constantFrom(...VERSIONS), length);

	/** A folder in which all of them can be. */
	async function place() {
		const folder = await temporaryFolder();
		for (const name of ['one', 'two', 'one/folder.md']) await mkdir(join(folder, name));
		const files = { 'two/x.md': 'two', 'one/good.md': 'good', 'one/secret.txt': 'secret', 'one/written.md': '' };
		for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
		await link(join(folder, 'one/good.md'), join(folder, 'one/good.txt'));
		execFileSync('mkfifo', [join(folder, 'one/fifo.md')]);
		const inFolder = (arg: unknown) => (typeof arg === 'string' && arg.startsWith('./') ? join(folder, arg) : arg);
		const callsOf = ({ calls }: Version) => calls.map((call) => call.map(inFolder));
		const become = (next: Version) => {
			for (const [name, ...args] of callsOf(next)) {
				(fs as unknown as Record<string, (...args: unknown[]) => void>)[name as string]?.(...args);
			}
		};
		const read = (reader?: ReadFile) => {
			return readMarkdown(join(folder, 'here/x.md'), reader).catch((error: BrokerError): string => error.code);
		};
		return { callsOf, become, read };
	}

	test('each is seen at once, also by a reader that remembers', async () => {
		const { become, read } = await place();
		await fc.assert(
			fc.asyncProperty(versions({ minLength: 1, maxLength: 12 }), async (all) => {
				const reader = cachedReader();
				for (const next of all) {
					become(next);
					expect([await read(reader), await read(), await read(reader)]).toEqual(Array(3).fill(next.outcome));
				}
			}),
			{ numRuns: runs(60) },
		);
	});

	test('one is read while they do, never two in part, and in the end the last one', async () => {
		let changes = 0;
		await fc.assert(
			fc.asyncProperty(versions({ minLength: 2, maxLength: 4 }), fc.boolean(), async (all, remembers) => {
				const { callsOf, become, read } = await place();
				become(all[0] as Version);
				const reader = remembers ? cachedReader() : undefined;
				const isOver = new Int32Array(new SharedArrayBuffer(4));
				// In bursts: what changes all the time is not read at all.
				const thread = await inThread(
					`const become = (calls) => { for (const [name, ...args] of calls) fs[name](...args); };
					for (let turn = 0; Atomics.load(data.isOver, 0) === 0; turn++) {
						become(data.versions[turn % data.versions.length]);
						if (turn % 100 === 99) Atomics.wait(data.isOver, 0, 0, 20);
					}
					become(data.versions.at(-1));`,
					{ isOver, versions: all.map(callsOf) },
				);
				const ended = once(thread, 'exit');
				const seen = new Set<string>();
				for (let turn = 0; turn < 40; turn++) seen.add(await read(reader));
				Atomics.store(isOver, 0, 1);
				await ended;
				changes += seen.size - 1;
				// A device has no name of a Markdown file; which of both is found first depends on the moment.
				const outcomes = [...all.map(({ outcome }) => outcome), 'file_unreadable', 'not_markdown'];
				for (const outcome of seen) expect(outcomes).toContain(outcome);
				expect([await read(reader), await read()]).toEqual(Array(2).fill(all.at(-1)?.outcome));
			}),
			{ numRuns: runs(15) },
		);
		expect(changes).toBeGreaterThan(0);
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
async function inThread(program: string, data: unknown): Promise<Worker> {
	const code = `const fs = require('node:fs');
		const { parentPort, workerData: data } = require('node:worker_threads');
		parentPort.postMessage('begun');
		${program}`;
	const thread = new Worker(code, { eval: true, workerData: data });
	onTestFinished(async () => void (await thread.terminate()));
	await once(thread, 'message');
	return thread;
}
