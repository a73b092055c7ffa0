import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
	appendFileSync,
	chmodSync,
	chownSync,
	linkSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	truncateSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { changedFiles } from '../../../server/traces/changed-files.ts';
import { cleanFile, type FileCleaning } from '../../../server/traces/clean-file.ts';
import { TextCleaner } from '../../../server/traces/clean-text.ts';
import { CATALOG, holdsMarker, MARKERS } from '../../claude/markers.ts';
import { IS_ROOT, MAY_MOUNT, NOT_FOR_ROOT, ROOT_ALONE } from '../../support/account.ts';
import { PLUGIN_ROOT } from '../../support/paths.ts';
import { failFor, pretendNtfs, pretendPlatform } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const IS_WINDOWS = process.platform === 'win32';

const cleaner = new TextCleaner([CATALOG], []);
const clean = (text: string) => cleaner.clean(text);

const PRIVATE = JSON.stringify({ type: 'user', uuid: 'a', content: [{ text: CATALOG }] });
const QUOTE = JSON.stringify({ type: 'assistant', uuid: 'b', text: `${MARKERS[0]} in src/seed.ts` });
const PLAIN = JSON.stringify({ type: 'attachment', uuid: 'c', text: 'Nothing of it.' });
const TRANSCRIPT = [PLAIN, PRIVATE, PLAIN, QUOTE, PLAIN, ''].join('\n');
const CLEAN = clean(TRANSCRIPT);

async function transcript(text: string | Buffer = TRANSCRIPT): Promise<string> {
	const file = join(await temporaryFolder(), 'agent-a1.jsonl');
	writeFileSync(file, text, { mode: 0o600 });
	utimesSync(file, 1_000, 2_000);
	return file;
}

/** Cleans, and does something at a step. */
async function cleanWhile(file: string, at: string, work: () => void, extra: Partial<FileCleaning> = {}) {
	let isDone = false;
	const step = (name: string) => {
		if (name !== at || isDone) return;
		isDone = true;
		work();
	};
	return await cleanFile(file, { clean, step, ...extra });
}

test('a transcript is cleaned line by line, and keeps mode and times', async () => {
	const file = await transcript();
	chmodSync(file, 0o640);
	expect(await cleanFile(file, { clean })).toBe('cleaned');
	const text = readFileSync(file, 'utf8');
	expect(text.split('\n').map((line) => line && JSON.parse(line).uuid)).toEqual(['c', 'a', 'c', 'b', 'c', '']);
	expect(holdsMarker(text)).toBe(false);
	expect(statSync(file)).toMatchObject({ mode: IS_WINDOWS ? 0o100666 : 0o100640, mtimeMs: 2_000_000 });
	expect(readdirSync(dirname(file))).toEqual(['agent-a1.jsonl']);
	expect(await cleanFile(file, { clean })).toBe('unchanged');
});

describe('on Windows, which replaces no file that is open,', () => {
	/** Windows itself replaces none. */
	const isOpen = (path: string) =>
		!IS_WINDOWS &&
		readdirSync('/proc/self/fd').some((name) => {
			try {
				return readlinkSync(`/proc/self/fd/${name}`) === path;
			} catch {
				return false; // Of this look itself.
			}
		});

	test('a transcript is cleaned all the same, with what is written late, and tried again if others look at it', async () => {
		const file = await transcript();
		let times = 0;
		failFor('renameSync', 'EPERM', (_, to = '') => {
			if (isOpen(to) || times === 3) return isOpen(to);
			appendFileSync(file, `${QUOTE}\n`);
			times += 1;
			return true;
		});
		pretendPlatform('win32');
		expect(await cleanFile(file, { clean })).toBe('cleaned');
		expect(readFileSync(file, 'utf8')).toBe(CLEAN + clean(`${QUOTE}\n`.repeat(3)));
		expect(readdirSync(dirname(file))).toEqual(['agent-a1.jsonl']);
	});

	test('one that stays open is left as it was', async () => {
		const file = await transcript();
		failFor('renameSync', 'EPERM', () => true);
		pretendPlatform('win32');
		expect(await cleanFile(file, { clean })).toEqual({ failed: 'EPERM' });
		expect(readFileSync(file, 'utf8')).toBe(TRANSCRIPT);
		expect(readdirSync(dirname(file))).toEqual(['agent-a1.jsonl']);
	});
});

test('a file that repeats nothing is not touched', async () => {
	const file = await transcript(`${PLAIN}\n`);
	const before = statSync(file);
	expect(await cleanFile(file, { clean })).toBe('unchanged');
	expect(statSync(file)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs, ctimeMs: before.ctimeMs });
});

test('bytes that are no UTF-8 stay in the lines that repeat nothing', async () => {
	const odd = Buffer.concat([Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d, 0x0a]), Buffer.from(`${QUOTE}\r\n`)]);
	const file = await transcript(odd);
	expect(await cleanFile(file, { clean })).toBe('cleaned');
	expect(readFileSync(file)).toEqual(Buffer.concat([odd.subarray(0, 7), Buffer.from(`${clean(QUOTE)}\r\n`)]));
});

test('a line of many megabytes is cleaned, and lines of no JSON together', async () => {
	const long = JSON.stringify({ a: `${'x '.repeat(3_000_000)}${MARKERS[1]}`, b: 'y'.repeat(3_000_000) });
	const spread = `${MARKERS[5]?.replaceAll(' ', '\n')}\n`;
	const filler = 'an ordinary line of a log\n'.repeat(15_000);
	const file = await transcript(`${long}\n${filler}${spread}${filler}${spread}end of ${MARKERS[0]}`);
	expect(await cleanFile(file, { clean })).toBe('cleaned');
	const text = readFileSync(file, 'utf8');
	expect(holdsMarker(text)).toBe(false);
	expect(text.split('\n')).toHaveLength(30_001 + 2 * spread.split('\n').length - 1);
	expect(text.split('an ordinary line of a log')).toHaveLength(30_001);
	expect(JSON.parse(text.slice(0, text.indexOf('\n'))).b).toHaveLength(3_000_000);
});

test('a file of JSON over many lines stays JSON', async () => {
	const file = await transcript(
		JSON.stringify({ a: [MARKERS[0], { b: CATALOG }], [MARKERS[1] as string]: 1 }, null, '  '),
	);
	expect(await cleanFile(file, { clean })).toBe('cleaned');
	expect(holdsMarker(JSON.stringify(JSON.parse(readFileSync(file, 'utf8'))))).toBe(false);
});

test('only the lines that are of concern are cleaned', async () => {
	const file = await transcript();
	expect(await cleanFile(file, { clean, concerns: (line) => line.includes('"uuid":"b"') })).toBe('cleaned');
	expect(readFileSync(file, 'utf8')).toBe([PLAIN, PRIVATE, PLAIN, clean(QUOTE), PLAIN, ''].join('\n'));
});

test('a link stays a link, and leads to what is cleaned', async () => {
	const file = await transcript();
	const link = join(dirname(file), 'a1.output');
	symlinkSync(file, link);
	expect(await cleanFile(link, { clean })).toBe('cleaned');
	expect(lstatSync(link).isSymbolicLink()).toBe(true);
	expect(readFileSync(link, 'utf8')).toBe(CLEAN);
	rmSync(file);
	expect(await cleanFile(link, { clean })).toBe('unchanged');
});

test('of two names of a file each is cleaned', async () => {
	const file = await transcript();
	const other = join(dirname(file), 'other.jsonl');
	linkSync(file, other);
	for (const name of [file, other]) expect(await cleanFile(name, { clean })).toBe('cleaned');
	expect([file, other].map((name) => readFileSync(name, 'utf8'))).toEqual([CLEAN, CLEAN]);
});

test('a database is not taken for a text', async () => {
	const bytes = Buffer.concat([Buffer.from('SQLite format 3\0\0'), Buffer.from(QUOTE)]);
	const file = await transcript(bytes);
	expect(await cleanFile(file, { clean })).toEqual({ failed: 'EILSEQ' });
	expect(readFileSync(file)).toEqual(bytes);
});

describe('what others do meanwhile is not lost', () => {
	function replace(file: string) {
		const other = `${file}.x`;
		writeFileSync(other, `${QUOTE}\n`);
		try {
			renameSync(other, file);
		} catch (error) {
			// Windows replaces no file that is open.
			if (!IS_WINDOWS) throw error;
			rmSync(other);
		}
	}

	test.each(['opened', 'written', 'synced', 'renamed'])(
		'a line that is appended when the new file is %s',
		async (at) => {
			const file = await transcript();
			expect(await cleanWhile(file, at, () => appendFileSync(file, `${QUOTE}\n`))).toBe('cleaned');
			// After the rename it is for the next look.
			expect(readFileSync(file, 'utf8')).toBe(`${CLEAN}${at === 'renamed' ? QUOTE : clean(QUOTE)}\n`);
		},
	);

	test('a line of a program that had opened the old file', async () => {
		const file = await transcript();
		const code = `
const file = require('node:fs').openSync(process.argv[1], 'a');
process.stdin.once('data', (line) => require('node:fs').writeSync(file, line));
process.stdout.write('ready');`;
		const program = spawn(process.execPath, ['-e', code, file], { stdio: ['pipe', 'pipe', 'inherit'] });
		await once(program.stdout, 'data');
		const ended = once(program, 'exit');
		const write = () => void program.stdin.end(`${QUOTE}\n`);
		let result = await cleanWhile(file, 'renamed', write);
		if (IS_WINDOWS && result !== 'cleaned') {
			// Windows replaces no file that is open: the next look finds all of it.
			expect([result, readFileSync(file, 'utf8')]).toEqual([{ failed: 'EPERM' }, TRANSCRIPT]);
			write();
			await ended;
			result = await cleanFile(file, { clean });
		}
		expect(result).toBe('cleaned');
		await ended;
		expect(readFileSync(file, 'utf8')).toBe(`${CLEAN}${clean(QUOTE)}\n`);
	});

	test.each([
		['is written anew', (file: string) => writeFileSync(file, `${PLAIN}\n${QUOTE}\n`)],
		['is made shorter', (file: string) => truncateSync(file, PLAIN.length + 1)],
		['is replaced', replace],
		['is replaced, on NTFS', (file: string) => pretendNtfs() ?? replace(file)],
	])('a file that %s', async (_, work) => {
		const file = await transcript();
		let expected = '';
		const result = await cleanWhile(file, 'synced', () => {
			work(file);
			expected = clean(readFileSync(file, 'utf8'));
		});
		expect(['cleaned', 'unchanged']).toContain(result);
		expect(readFileSync(file, 'utf8')).toBe(expected);
	});

	test('a file that is removed or moved is not made again', async () => {
		const file = await transcript();
		const moved = join(dirname(file), 'moved');
		expect(await cleanWhile(file, 'synced', () => renameSync(file, moved))).toBe('unchanged');
		expect(readdirSync(dirname(file))).toEqual(['moved']);
		expect(readFileSync(moved, 'utf8')).toBe(TRANSCRIPT);
	});
});

describe('a killed process', () => {
	test.each(['opened', 'written', 'synced', 'renamed'])(
		'leaves the old file or the new one when it is %s, and what else it left is removed',
		async (at) => {
			const file = await transcript(TRANSCRIPT.repeat(2_000));
			const program = join(await temporaryFolder(), `${at}.mjs`);
			const { buildSync } = createRequire(join(PLUGIN_ROOT, 'package.json'))('esbuild');
			const code = `
import { cleanFile } from './server/traces/clean-file.ts';
import { TextCleaner } from './server/traces/clean-text.ts';
const cleaner = new TextCleaner([${JSON.stringify(CATALOG)}], []);
const step = (name) => { if (name === '${at}') process.kill(process.pid, 'SIGKILL'); };
await cleanFile(${JSON.stringify(file)}, { clean: (text) => cleaner.clean(text), step });`;
			const stdin = { contents: code, resolveDir: PLUGIN_ROOT, loader: 'js' };
			buildSync({ stdin, bundle: true, platform: 'node', format: 'esm', outfile: program, logLevel: 'error' });
			const child = spawn(process.execPath, [program], { stdio: 'inherit' });
			expect(await once(child, 'exit')).toEqual(IS_WINDOWS ? [1, null] : [null, 'SIGKILL']);
			expect(readFileSync(file, 'utf8')).toBe((at === 'renamed' ? CLEAN : TRANSCRIPT).repeat(2_000));
			// Windows: under its other name, the old file is there until the end.
			expect(readdirSync(dirname(file))).toHaveLength(at === 'renamed' && !IS_WINDOWS ? 1 : 2);
			expect(changedFiles({ folders: [dirname(file)], linked: [], except: [] }, 0)).toEqual([file]);
			expect(readdirSync(dirname(file))).toEqual(['agent-a1.jsonl']);
			expect(await cleanFile(file, { clean })).toBe(at === 'renamed' ? 'unchanged' : 'cleaned');
		},
	);
});

describe('what can not be cleaned is as it was', () => {
	test('on a full disk', async ({ skip }) => {
		if (!MAY_MOUNT) skip(ROOT_ALONE);
		const folder = await temporaryFolder();
		execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder]);
		try {
			const file = join(folder, 'agent-a1.jsonl');
			const text = TRANSCRIPT.repeat(Math.floor(140_000 / TRANSCRIPT.length)) + `${PLAIN}\n`.repeat(500);
			writeFileSync(file, text);
			writeFileSync(join(folder, 'other'), Buffer.alloc(256 * 1024 - 4096 * Math.ceil(text.length / 4096) - 8192));
			expect(await cleanFile(file, { clean })).toEqual({ failed: 'ENOSPC' });
			expect(readFileSync(file, 'utf8')).toBe(text);
			expect(readdirSync(folder).sort()).toEqual(['agent-a1.jsonl', 'other']);
		} finally {
			execFileSync('umount', [folder]);
		}
	});

	test('in a folder that is closed to this account', async ({ skip }) => {
		if (IS_ROOT) skip(NOT_FOR_ROOT);
		const file = await transcript();
		chmodSync(dirname(file), 0o500);
		expect(await cleanFile(file, { clean })).toEqual({ failed: 'EACCES' });
		expect(readFileSync(file, 'utf8')).toBe(TRANSCRIPT);
	});

	test('in a folder that nobody may change', async ({ skip }) => {
		if (!MAY_MOUNT) skip(ROOT_ALONE);
		const file = await transcript();
		execFileSync('mount', ['--bind', dirname(file), dirname(file)]);
		try {
			execFileSync('mount', ['-o', 'remount,bind,ro', dirname(file)]);
			expect(await cleanFile(file, { clean })).toEqual({ failed: 'EROFS' });
			expect(readFileSync(file, 'utf8')).toBe(TRANSCRIPT);
		} finally {
			execFileSync('umount', [dirname(file)]);
		}
	});

	test('but a file that may only be read is cleaned, and stays so; and one of another account is still theirs', async () => {
		const file = await transcript();
		chmodSync(file, 0o400);
		if (IS_WINDOWS) {
			// It replaces no such file.
			expect(await cleanFile(file, { clean })).toEqual({ failed: 'EPERM' });
			expect(readFileSync(file, 'utf8')).toBe(TRANSCRIPT);
			expect(readdirSync(dirname(file))).toEqual(['agent-a1.jsonl']);
			return;
		}
		if (IS_ROOT) chownSync(file, 1234, 1234);
		expect(await cleanFile(file, { clean })).toBe('cleaned');
		expect(statSync(file)).toMatchObject({ mode: 0o100400, ...(IS_ROOT ? { uid: 1234, gid: 1234 } : {}) });
	});

	test('what is no file is left alone', async () => {
		const folder = await temporaryFolder();
		const pipe = join(folder, 'pipe');
		if (!IS_WINDOWS) execFileSync('mkfifo', [pipe]);
		mkdirSync(join(folder, 'x'));
		for (const path of [pipe, join(folder, 'x'), join(folder, 'none')]) {
			expect(await cleanFile(path, { clean })).toBe('unchanged');
		}
	});
});
