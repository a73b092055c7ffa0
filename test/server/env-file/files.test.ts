import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
	chmod,
	chown,
	lstat,
	mkdir,
	readdir,
	readFile,
	readlink,
	rename,
	rm,
	stat,
	symlink,
	writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { EnvFileError, type EnvFileFailure, readEnvFile } from '../../../server/env-file/env-file.ts';
import { writeEnvFile } from '../../../server/env-file/write.ts';
import { IS_ROOT, ROOT_ALONE } from '../../support/account.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const LIMIT = 1_048_576;

async function failure(doing: Promise<unknown>): Promise<EnvFileError> {
	const error = await doing.then(
		() => undefined,
		(thrown: unknown) => thrown,
	);
	if (!(error instanceof EnvFileError)) throw new Error('no EnvFileError', { cause: error });
	return error;
}

async function expectFailure(doing: Promise<unknown>, code: EnvFileFailure, path: string): Promise<void> {
	const error = await failure(doing);
	expect({ code: error.code, path: error.path }).toEqual({ code, path });
	expect(error.message).toContain(path);
}

async function modeOf(path: string): Promise<number> {
	return (await stat(path)).mode & 0o7777;
}

/** Runs the rest of the test as an account without rights of its own, which owns `folder`. */
async function asOrdinaryUser(folder: string): Promise<void> {
	if (!IS_ROOT) return;
	await chown(folder, 65_534, 65_534);
	process.setegid?.(65_534);
	process.seteuid?.(65_534);
	onTestFinished(() => {
		process.seteuid?.(0);
		process.setegid?.(0);
	});
}

describe('reading', () => {
	test.each([
		['an ordinary text', 'A=1\n'],
		['an empty one', ''],
		['a byte-order mark and every line ending', '\ufeffA=1\r\nB=ä\rC=😀\n\n'],
	])('gives %s as it is', async (_, text) => {
		const path = join(await temporaryFolder(), '.env');
		await writeFile(path, text);
		expect(await readEnvFile(path)).toBe(text);
	});

	test('gives nothing where nothing is: no file, no folder, a link to nothing', async () => {
		const folder = await temporaryFolder();
		await symlink('none', join(folder, 'link'));
		await writeFile(join(folder, 'file'), 'A=1');
		for (const name of ['.env', 'none/.env', 'link', 'file/.env']) {
			expect(await readEnvFile(join(folder, name))).toBe('');
		}
	});

	test('follows links', async () => {
		const folder = await temporaryFolder();
		await writeFile(join(folder, 'file'), 'A=1');
		await symlink('file', join(folder, 'first'));
		await symlink(join(folder, 'first'), join(folder, 'second'));
		expect(await readEnvFile(join(folder, 'second'))).toBe('A=1');
	});

	test.each<[string, Uint8Array, EnvFileFailure]>([
		['Latin-1', Buffer.from('A=\xe4', 'latin1'), 'not_text'],
		['UTF-16', Buffer.from('\ufeffA=1', 'utf16le'), 'not_text'],
		['a character cut in two', Buffer.from('A=ä').subarray(0, 3), 'not_text'],
		['a NUL', Buffer.from('A=1\0\n'), 'not_text'],
		['2 MB', Buffer.alloc(2_000_000, '#'), 'too_large'],
		['a byte more than the limit', Buffer.alloc(LIMIT + 1, '#'), 'too_large'],
	])('refuses %s', async (_, content, code) => {
		const path = join(await temporaryFolder(), '.env');
		await writeFile(path, content);
		await expectFailure(readEnvFile(path), code, path);
	});

	test('takes what is as large as the limit', async () => {
		const path = join(await temporaryFolder(), '.env');
		await writeFile(path, '#'.repeat(LIMIT));
		expect(await readEnvFile(path)).toHaveLength(LIMIT);
	});

	test('says what to do about a file that it may not read', async () => {
		const folder = await temporaryFolder();
		const path = join(folder, '.env');
		await writeFile(path, 'SECRET=hidden', { mode: 0o000 });
		await asOrdinaryUser(folder);
		const error = await failure(readEnvFile(path));
		const message = `The env file ${path} cannot be read (permission denied). Make it readable for your account.`;
		expect(error).toMatchObject({ code: 'unreadable', message, cause: { code: 'EACCES' } });
	});

	test('refuses links that lead in a circle', async () => {
		const folder = await temporaryFolder();
		await symlink('b', join(folder, 'a'));
		await symlink('a', join(folder, 'b'));
		await expectFailure(readEnvFile(join(folder, 'a')), 'unreadable', join(folder, 'a'));
	});

	test('gives the text or nothing where the file is removed at any moment', async () => {
		const folder = await temporaryFolder();
		const [path, aside] = [join(folder, '.env'), join(folder, 'aside')];
		await writeFile(path, 'A=1');
		const reading: Promise<string>[] = [];
		let quiet = performance.now();
		for (let turn = 0; turn < 200; turn++) {
			// To rename a file is to change it; one that changes for a second is unreadable.
			if (performance.now() - quiet > 400) {
				await Promise.all(reading);
				quiet = performance.now();
			}
			for (let reader = 0; reader < 5; reader++) {
				reading.push(readEnvFile(path));
				await new Promise(setImmediate);
			}
			await (turn % 2 === 0 ? rename(path, aside) : rename(aside, path));
		}
		expect(new Set(await Promise.all(reading))).toEqual(new Set(['', 'A=1']));
	});

	test('never gives half of what is written in place', async () => {
		const path = join(await temporaryFolder(), '.env');
		const texts = ['a', 'b'].map((letter) => letter.repeat(LIMIT));
		await writeFile(path, texts[0] ?? '');
		let running = true;
		const writing = (async () => {
			for (let turn = 1; running; turn++) {
				await writeFile(path, texts[turn % 2] ?? '', { flag: 'r+' });
				await delay(20);
			}
		})();
		for (let turn = 0; turn < 5; turn++) {
			const text = await readEnvFile(path).catch((error: EnvFileError) => error.code);
			expect(text === 'unreadable' || texts.includes(text)).toBe(true);
		}
		running = false;
		await writing;
	});
});

describe('what is no regular file is neither read nor written', () => {
	test('a folder', async () => {
		const path = join(await temporaryFolder(), '.env');
		await mkdir(path);
		await expectFailure(readEnvFile(path), 'not_a_file', path);
		await expectFailure(writeEnvFile(path, 'A=1'), 'not_a_file', path);
		expect((await stat(path)).isDirectory()).toBe(true);
	});

	test('a FIFO that nobody else opens', async () => {
		const path = join(await temporaryFolder(), '.env');
		execFileSync('mkfifo', [path]);
		await expectFailure(readEnvFile(path), 'not_a_file', path);
		await expectFailure(writeEnvFile(path, 'A=1'), 'not_a_file', path);
		expect((await stat(path)).isFIFO()).toBe(true);
	});

	test('a FIFO with a writer that waits, which goes on waiting', async () => {
		const path = join(await temporaryFolder(), '.env');
		execFileSync('mkfifo', [path]);
		const writer = spawn('sh', ['-c', 'echo started; echo A=1 >"$0"', path]);
		onTestFinished(() => void writer.kill('SIGKILL'));
		await once(writer.stdout, 'data');
		await delay(200);
		const exit = expect(once(writer, 'exit', { signal: AbortSignal.timeout(500) })).rejects.toThrow('aborted');
		await expectFailure(readEnvFile(path), 'not_a_file', path);
		await exit;
	});

	test('a link to a device', async () => {
		const path = join(await temporaryFolder(), '.env');
		await symlink('/dev/null', path);
		await expectFailure(readEnvFile(path), 'not_a_file', path);
		await expectFailure(writeEnvFile(path, 'A=1'), 'not_a_file', path);
	});
});

describe('writing', () => {
	test('makes a file, and the folders to it, for the user alone', async () => {
		const folder = await temporaryFolder();
		const path = join(folder, 'a', 'b', '.env');
		await writeEnvFile(path, '\ufeffA=ä\r\n');
		expect(await readFile(path, 'utf8')).toBe('\ufeffA=ä\r\n');
		const modes = [path, join(folder, 'a'), join(folder, 'a', 'b')].map(modeOf);
		// Windows has no modes: folders of the account are for it alone.
		if (process.platform !== 'win32') expect(await Promise.all(modes)).toEqual([0o600, 0o700, 0o700]);
		expect(await readdir(join(folder, 'a', 'b'))).toEqual(['.env']);
	});

	test.each([0o600, 0o644, 0o400, 0o666, 0o640, 0o755])('keeps the mode %o', async (mode) => {
		const folder = await temporaryFolder();
		const path = join(folder, '.env');
		await writeFile(path, 'A=1');
		await chmod(path, mode);
		if (IS_ROOT) await chown(path, 65_534, 65_534);
		await asOrdinaryUser(folder);
		await writeEnvFile(path, 'A=2');
		expect(await modeOf(path)).toBe(mode);
		expect(await readFile(path, 'utf8')).toBe('A=2');
		expect(await readdir(folder)).toEqual(['.env']);
	});

	test('keeps the owner where the account may give files away', async ({ skip }) => {
		skip(!IS_ROOT, ROOT_ALONE);
		const path = join(await temporaryFolder(), '.env');
		await writeFile(path, 'A=1', { mode: 0o640 });
		await chown(path, 1_234, 5_678);
		await writeEnvFile(path, 'A=2');
		expect(await stat(path)).toMatchObject({ uid: 1_234, gid: 5_678 });
		expect(await modeOf(path)).toBe(0o640);
	});

	test('elsewhere gives the rights of the old group to no other one', async ({ skip }) => {
		skip(!IS_ROOT, ROOT_ALONE);
		const folder = await temporaryFolder();
		const path = join(folder, '.env');
		await writeFile(path, 'A=1', { mode: 0o664 });
		await chmod(path, 0o664);
		await chown(path, 1_234, 5_678);
		await asOrdinaryUser(folder);
		await writeEnvFile(path, 'A=2');
		expect(await stat(path)).toMatchObject({ uid: 65_534, gid: 65_534 });
		expect(await modeOf(path)).toBe(0o604);
	});

	test('replaces what a link leads to, through any number of links, in the folder of that', async () => {
		const [folder, elsewhere] = [await temporaryFolder(), await temporaryFolder()];
		const file = join(elsewhere, 'dotenv');
		await writeFile(file, 'A=1', { mode: 0o640 });
		await symlink(file, join(folder, 'first'));
		await symlink('first', join(folder, '.env'));
		await chmod(folder, 0o500);
		await writeEnvFile(join(folder, '.env'), 'A=2');
		expect(await readFile(file, 'utf8')).toBe('A=2');
		expect(await modeOf(file)).toBe(0o640);
		expect(await readlink(join(folder, '.env'))).toBe('first');
		expect(await readlink(join(folder, 'first'))).toBe(file);
		expect(await readdir(elsewhere)).toEqual(['dotenv']);
		expect((await readdir(folder)).sort()).toEqual(['.env', 'first']);
	});

	test('makes what a link leads to, and the folders to it', async () => {
		const folder = await temporaryFolder();
		await mkdir(join(folder, 'real', 'deep'), { recursive: true });
		await symlink('real/deep', join(folder, 'alias'));
		await symlink('../new/dotenv', join(folder, 'real', 'deep', '.env'));
		await writeEnvFile(join(folder, 'alias', '.env'), 'A=1');
		expect((await lstat(join(folder, 'real', 'deep', '.env'))).isSymbolicLink()).toBe(true);
		expect(await readFile(join(folder, 'real', 'new', 'dotenv'), 'utf8')).toBe('A=1');
		expect(await modeOf(join(folder, 'real', 'new', 'dotenv'))).toBe(0o600);
		expect(await modeOf(join(folder, 'real', 'new'))).toBe(0o700);
	});

	test('refuses links that lead in a circle', async () => {
		const folder = await temporaryFolder();
		await symlink('b', join(folder, 'a'));
		await symlink('a', join(folder, 'b'));
		const error = await failure(writeEnvFile(join(folder, 'a'), 'A=1'));
		expect(error.code).toBe('unwritable');
		expect(error.message).toContain('(its links form a loop)');
	});

	test('leaves all as it was where the folder may not be written', async () => {
		const folder = await temporaryFolder();
		const path = join(folder, '.env');
		await writeFile(path, 'A=1');
		await asOrdinaryUser(folder);
		await chmod(folder, 0o500);
		const error = await failure(writeEnvFile(path, 'SECRET=hidden'));
		const advice = 'It was not changed. Make it and its folder writable for your account.';
		const message = `The env file ${path} cannot be written (permission denied). ${advice}`;
		expect(error).toMatchObject({ code: 'unwritable', path, message, cause: { code: 'EACCES' } });
		expect(await readFile(path, 'utf8')).toBe('A=1');
		expect(await readdir(folder)).toEqual(['.env']);
	});

	test('leaves nothing behind where the last step fails', async () => {
		const folder = await temporaryFolder();
		const path = join(folder, '.env');
		const writing = writeEnvFile(path, '#'.repeat(LIMIT));
		// A folder that comes into its place meanwhile can not be replaced by a file.
		while ((await readdir(folder)).length === 0) await new Promise(setImmediate);
		await mkdir(path);
		await expectFailure(writing, 'unwritable', path);
		expect(await readdir(folder)).toEqual(['.env']);
	});

	test('fails where a part of the path is a file', async () => {
		const folder = await temporaryFolder();
		await writeFile(join(folder, 'file'), '');
		const path = join(folder, 'file', '.env');
		await expectFailure(writeEnvFile(path, 'A=1'), 'unwritable', path);
	});

	test.each<[string, string, EnvFileFailure]>([
		['a NUL', 'A=\0', 'not_text'],
		['half a character', 'A=\ud83d', 'not_text'],
		['a byte more than the limit', '#'.repeat(LIMIT + 1), 'too_large'],
		['characters of more bytes than the limit', 'ä'.repeat(LIMIT / 2 + 1), 'too_large'],
	])('refuses %s, which could not be read again', async (_, text, code) => {
		const folder = await temporaryFolder();
		const path = join(folder, 'new', '.env');
		await expectFailure(writeEnvFile(path, text), code, path);
		expect(await readdir(folder)).toEqual([]);
	});

	test('takes a name of 255 characters', async () => {
		const path = join(await temporaryFolder(), 'e'.repeat(255));
		await writeEnvFile(path, 'A=1');
		expect(await readEnvFile(path)).toBe('A=1');
	});

	test('by 20 at once leaves one of their texts, and never shows another', async () => {
		const folder = await temporaryFolder();
		const path = join(folder, '.env');
		const texts = Array.from({ length: 20 }, (_, index) => `A=${index}\n`.repeat(10_000));
		await writeFile(path, texts[0] ?? '');
		let running = true;
		const reading = (async () => {
			const seen = new Set<string>();
			while (running) {
				seen.add(await readFile(path, 'utf8'));
				// It replaces no file that is open.
				if (process.platform === 'win32') await delay(20);
			}
			return seen;
		})();
		for (let round = 0; round < 5; round++) await Promise.all(texts.map((text) => writeEnvFile(path, text)));
		running = false;
		for (const text of await reading) expect(texts.includes(text)).toBe(true);
		expect(texts).toContain(await readEnvFile(path));
		expect(await readdir(folder)).toEqual(['.env']);
	});

	test('while the file is removed again and again never fails', async () => {
		const folder = await temporaryFolder();
		const path = join(folder, '.env');
		for (let turn = 0; turn < 100; turn++) {
			const writing = writeEnvFile(path, 'A=1');
			for (let wait = turn % 10; wait > 0; wait--) await new Promise(setImmediate);
			await rm(path, { force: true });
			await writing;
		}
		expect((await readdir(folder)).every((name) => name === '.env')).toBe(true);
	});
});

test.each(["'safe", '"all\\", none', '`safe` all'])(
	'a list whose quotes do not fit (%s) is an error, another variable of that kind is none',
	async (value) => {
		const file = join(await temporaryFolder(), '.env');
		await writeFile(file, `TOKEN=${value}\n`);
		expect(await readEnvFile(file)).toBe(`TOKEN=${value}\n`);
		await writeFile(file, `export CONTEXT_BROKER_DISABLED_TOOLS=${value}\n`);
		await expect(readEnvFile(file)).rejects.toMatchObject({
			code: 'not_closed',
			message: expect.stringContaining(file),
		});
	},
);
