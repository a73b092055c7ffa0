import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { processIdSpace } from '../../server/bootstrap/lock.mjs';
import { createInstallation, type Installation, outcome, READY, SILENT } from '../support/installation.ts';

/** The process ids of all whose command line or working folder lies in the installation. */
async function processesOf({ data }: Installation): Promise<number[]> {
	const found: number[] = [];
	for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
		const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
		if (environment.split('\0').includes(`CLAUDE_PLUGIN_DATA=${data}`)) found.push(Number(pid));
	}
	return found;
}

/** No process, and nothing else in the data folder. */
async function expectLeft(installation: Installation, contents: readonly string[]): Promise<void> {
	const left = async () => ({ processes: await processesOf(installation), contents: await installation.contents() });
	await expect.poll(left).toEqual({ processes: [], contents });
}

describe('kill -9', () => {
	test.each<[string, (installation: Installation) => Promise<boolean>]>([
		['the lock is taken', async ({ data }) => (await readFile(join(data, '.lock'))).length > 0],
		['npm is started', async ({ npmRuns }) => (await npmRuns()) > 0],
		[
			'npm writes',
			async ({ data }) =>
				(await readdir(data, { recursive: true })).some((name) => /^\.staging-.*node_modules/.test(name)),
		],
		['the packages are moved', async ({ data }) => existsSync(join(data, 'node_modules'))],
		['the packages are complete', async ({ data }) => existsSync(join(data, 'package-lock.json'))],
		['the build begins', async ({ data }) => (await readdir(join(data, 'builds'))).length > 0],
		['the build is there', async ({ builds }) => (await builds()).length > 0],
	])('when %s leaves nothing half-made', async (_, hasCome) => {
		const installation = await createInstallation();
		const killed = installation.start(['prepare']);
		const ended = once(killed, 'exit');
		const isSeen = async () => await hasCome(installation).catch(() => false);
		while (killed.exitCode === null && !(await isSeen())) await delay(1);
		killed.kill('SIGKILL');
		await ended;
		expect(await installation.run(['prepare'])).toEqual(SILENT);
		await expectLeft(installation, READY);
		expect(await installation.builds()).toHaveLength(1);
	});

	test('of the one that installs lets one that waits take over', async () => {
		const installation = await createInstallation({
			npmScript: '[ -e "$HOME/second" ] || { touch "$HOME/second"; sleep 300; }',
		});
		const first = installation.start(['prepare']);
		await expect.poll(() => installation.npmRuns()).toBe(1);
		const second = installation.start(['prepare'], { NODE_DEBUG: 'timer' });
		const ended = outcome(second);
		// It tells of the timer after which it looks at the lock again.
		await new Promise<void>((resolve) => second.stderr?.on('data', (text) => /\b50\b/.test(text) && resolve()));
		first.kill('SIGKILL');
		expect((await ended).code).toBe(0);
		await expectLeft(installation, READY);
	});
});

test.each([false, true])(
	'a lock and a folder that a process left behind that is gone do not stay, all being ready: %s',
	async (isReady) => {
		const { run, data, contents } = await createInstallation();
		if (isReady) await run(['prepare']);
		await mkdir(join(data, '.staging-1', 'old'), { recursive: true });
		await writeFile(join(data, '.lock'), `999999999 ${processIdSpace()} token`);
		expect(await run(['prepare'])).toEqual(SILENT);
		expect(await contents()).toEqual(READY);
	},
);

test('one who has lost the lock while npm ran leaves the packages to the other', async () => {
	const npmScript = 'echo "1 another" >"$CLAUDE_PLUGIN_DATA/.lock"';
	const { run, contents } = await createInstallation({ npmScript });
	expect((await run(['prepare'])).stderr).toMatch(
		/Another session took over the preparation\. Start a new session\.\n$/,
	);
	expect(await contents()).toEqual(['.lock', 'builds']);
});

describe('one who is stopped while npm runs leaves no process, no lock and nothing half-made', () => {
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
		await expectLeft(installation, ['builds']);
	});

	test('by the end of its input', async () => {
		const { installation, child, ended } = await duringInstall();
		child.stdin?.end();
		await ended;
		await expectLeft(installation, ['builds']);
	});

	test('by kill -9, but for the lock', async () => {
		const { installation, child } = await duringInstall();
		child.kill('SIGKILL');
		await expectLeft(installation, ['.lock', 'builds']);
	});
});
