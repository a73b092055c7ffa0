import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { windowsProgram } from '../../../server/bootstrap/windows-program.mjs';
import { PLUGIN_ROOT } from '../../support/paths.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** As on Windows; in the place of what it starts something waits, and `taskkill` is written down. */
const WINDOWS = `
	import childProcess from 'node:child_process';
	import fs from 'node:fs';
	import { syncBuiltinESMExports } from 'node:module';
	Object.defineProperty(process, 'platform', { value: 'win32' });
	const { spawn } = childProcess;
	const { appendFileSync, statSync } = fs;
	const log = (...words) => appendFileSync(process.env.LOG, words.join(' ') + '\\n');
	childProcess.spawn = (file, args, { shell }) => {
		log(shell, file.replace(/ci .*/, 'ci'));
		return spawn(process.execPath, ['-e', 'setTimeout(() => {}, 300_000)'], { stdio: 'ignore' });
	};
	childProcess.execFile = (file, args) => {
		log(file, args.join(' ').replace(/\\d+/, 'PID'));
		process.kill(Number(args[1]), 'SIGKILL');
	};
	fs.statSync = (path, options) => (/^C:.nodejs.npm[.]cmd$/.test(path) ? { isFile: () => true } : statSync(path, options));
	syncBuiltinESMExports();
`;

async function superviseOnWindows(path: string) {
	const folder = await temporaryFolder();
	const [staging, log] = [join(folder, 'staging'), join(folder, 'log')];
	await mkdir(staging);
	const program = join(PLUGIN_ROOT, 'server', 'bootstrap', 'npm-supervisor.mjs');
	const preload = `data:text/javascript,${encodeURIComponent(WINDOWS)}`;
	const child = spawn(process.execPath, ['--import', preload, program, staging], { env: { PATH: path, LOG: log } });
	onTestFinished(() => void child.kill('SIGKILL'));
	return { child, staging, logged: async () => (await readFile(log, 'utf8').catch(() => '')).split('\n') };
}

test('npm is missing if PATH has none, in whatever language Windows says so', async () => {
	const { child, logged } = await superviseOnWindows('.;tools;C:\\Windows');
	expect(await once(child, 'exit')).toEqual([127, null]);
	expect(await logged()).toEqual(['']);
});

test('on Windows npm is ended with all that it has started, then its folder is removed', async () => {
	const { child, staging, logged } = await superviseOnWindows('.;C:\\nodejs');
	await expect.poll(logged).toEqual([`${windowsProgram('cmd.exe', process.env)} "C:\\nodejs\\npm.cmd" ci`, '']);
	const exit = once(child, 'exit');
	child.stdin.end();
	await exit;
	expect((await logged())[1]).toBe(`${windowsProgram('taskkill.exe', process.env)} /pid PID /t /f`);
	expect(existsSync(staging)).toBe(false);
});
