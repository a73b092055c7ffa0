import { once } from 'node:events';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { processIdSpace } from '../../server/bootstrap/lock.mjs';
import { createInstallation, type Installation, READY } from '../support/installation.ts';

const SILENT = { code: 0, stdout: '', stderr: '' };

/** The process ids of all whose command line or working folder lies in the installation. */
async function processesOf({ data }: Installation): Promise<number[]> {
	const found: number[] = [];
	for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
		const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
		if (environment.split('\0').includes(`CLAUDE_PLUGIN_DATA=${data}`)) found.push(Number(pid));
	}
	return found;
}

/** As if the lock had been refreshed long ago: else the next one first waits whether it is. */
async function age({ data }: Installation): Promise<void> {
	await utimes(join(data, '.lock'), 0, 0).catch(() => {});
}

describe('kill -9', () => {
	test.each([40, 150, 400, 800, 1_300, 1_900, 2_400, 2_800])('after %i ms leaves nothing half-made', async (delay) => {
		const installation = await createInstallation();
		const killed = installation.start(['prepare']);
		await Promise.race([once(killed, 'exit'), new Promise((resolve) => setTimeout(resolve, delay))]);
		killed.kill('SIGKILL');
		expect(await installation.run(['prepare'])).toEqual(SILENT);
		await expect.poll(() => processesOf(installation)).toEqual([]);
		expect(await installation.contents()).toEqual(READY);
		expect(await installation.builds()).toHaveLength(1);
	});

	test('of the one that installs lets one that waits take over', async () => {
		const installation = await createInstallation({
			npmScript: '[ -e "$HOME/second" ] || { touch "$HOME/second"; sleep 60; }',
		});
		const first = installation.start(['prepare']);
		await expect.poll(() => installation.npmRuns()).toBe(1);
		const second = installation.run(['prepare']);
		await new Promise((resolve) => setTimeout(resolve, 500));
		first.kill('SIGKILL');
		expect(await second).toEqual(SILENT);
		for (const pid of await processesOf(installation)) process.kill(pid, 'SIGKILL');
	});
});

describe('a lock that was left behind', () => {
	async function withLock(content: string): Promise<Installation> {
		const installation = await createInstallation();
		await mkdir(installation.data);
		await writeFile(join(installation.data, '.lock'), content);
		return installation;
	}

	test.each([
		['by a process that is gone', `999999999 ${processIdSpace()} token`],
		['by one of another container, long ago', '1 elsewhere token'],
		['by an older version, long ago', `${process.pid} token`],
		['empty, long ago', ''],
	])('%s does not stay', async (name, content) => {
		const installation = await withLock(content);
		if (name.endsWith('long ago')) await age(installation);
		expect(await installation.run(['prepare'])).toEqual(SILENT);
		expect(await installation.contents()).toEqual(READY);
	});

	test('at the very end, when all was ready, does not stay either', async () => {
		const installation = await createInstallation();
		await installation.run(['prepare']);
		await writeFile(join(installation.data, '.lock'), `999999999 ${processIdSpace()} token`);
		expect(await installation.run(['prepare'])).toEqual(SILENT);
		expect(await installation.contents()).toEqual(READY);
	});

	test.each([
		['', `${process.pid} ${processIdSpace()} token`],
		[', whose process id means nothing here', '999999999 token'],
	])('is respected while its holder refreshes it%s', async (_, content) => {
		const installation = await withLock(content);
		const lock = join(installation.data, '.lock');
		const refresh = setInterval(() => void utimes(lock, new Date(), new Date()).catch(() => {}), 500);
		onTestFinished(() => clearInterval(refresh));
		const waiting = installation.start(['prepare']);
		await new Promise((resolve) => setTimeout(resolve, 13_000));
		expect(await installation.npmRuns()).toBe(0);
		waiting.kill('SIGKILL');
		expect(await readFile(lock, 'utf8')).toBe(content);
	});
});

test('one who has lost the lock while npm ran leaves the packages to the other', async () => {
	const npmScript = 'echo "1 another" >"$CLAUDE_PLUGIN_DATA/.lock"';
	const { run, contents } = await createInstallation({ npmScript });
	expect((await run(['prepare'])).stderr).toMatch(
		/Another session took over the preparation\. Start a new session\.\n$/,
	);
	expect(await contents()).toEqual(['.lock', 'builds']);
});

describe('one who is asked to stop while npm runs leaves no process, no lock and nothing half-made', () => {
	async function duringInstall() {
		const installation = await createInstallation({ npmScript: 'sleep 300 & wait' });
		const child = installation.start([]);
		await expect.poll(() => installation.npmRuns()).toBe(1);
		return { installation, child, ended: once(child, 'exit') };
	}

	test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('by %s', async (signal) => {
		const { installation, child, ended } = await duringInstall();
		child.kill(signal);
		await ended;
		await expect.poll(() => processesOf(installation)).toEqual([]);
		expect(await installation.contents()).toEqual(['builds']);
	});

	test('by the end of its input', async () => {
		const { installation, child, ended } = await duringInstall();
		child.stdin?.end();
		await ended;
		await expect.poll(() => processesOf(installation)).toEqual([]);
		expect(await installation.contents()).toEqual(['builds']);
	});
});
