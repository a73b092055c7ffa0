import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { DATA_FOLDER, SCANNER, userWithKey } from './broker-session.ts';
import { runClientCommand } from './harness/client.ts';
import { type Delegation, delegate } from './harness/delegation.ts';
import type { Home } from './harness/home.ts';
import { clientVersions, resolveClient } from './harness/installed-clients.ts';
import { startModel } from './harness/model.ts';
import { MARKERS } from './markers.ts';

const LOAD = 'mcp__plugin_context-broker_broker__load_context';
const FIND = 'mcp__plugin_context-broker_broker__find_context';

/** The environment of a job in which `claude` is a version of the client with this plugin, and a scripted model. */
async function jobEnvironment(version: string, { home }: Home, { script }: Delegation) {
	const model = await startModel(script);
	onTestFinished(() => model.close());
	const bin = join(dirname(home), 'bin');
	await mkdir(bin);
	await symlink(process.execPath, join(bin, 'node'));
	const claude = `#!/bin/sh\nexec "${resolveClient(version)}" --plugin-dir "${PLUGIN_ROOT}" "$@"\n`;
	await writeFile(join(bin, 'claude'), claude, { mode: 0o755 });
	return {
		HOME: home,
		USERPROFILE: home,
		PATH: `${bin}:/usr/bin:/bin`,
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
		DISABLE_AUTOUPDATER: '1',
		CLAUDE_CODE_TMPDIR: home,
		ANTHROPIC_BASE_URL: model.url,
		ANTHROPIC_API_KEY: 'not-a-key',
	};
}

/** Runs what docs/errors.md prints for a job. */
async function runJob(env: NodeJS.ProcessEnv, cwd: string): Promise<{ status: number; stdout: string }> {
	const text = await readFile(join(PLUGIN_ROOT, 'docs', 'errors.md'), 'utf8');
	const [, command = ''] = /```sh\n(.*?)```/s.exec(text) ?? [];
	return await promisify(execFile)('sh', ['-c', command], { env, cwd }).then(
		({ stdout }) => ({ status: 0, stdout }),
		({ code, stdout }) => ({ status: code, stdout }),
	);
}

function scanThatAnswers(answer: string, key = 'k'): Delegation {
	return delegate({
		type: SCANNER,
		calls: [{ tool: LOAD, input: { key } }],
		answer: () => answer,
	});
}

describe.each(clientVersions())('a job with Claude Code %s', (version) => {
	test('ends with status 0 if the scan ran, and prints nothing of the catalog', async () => {
		const user = await userWithKey();
		const env = await jobEnvironment(version, user, scanThatAnswers('Privacy scan: done\n\n**Findings**: none'));
		expect(await runJob(env, user.project)).toEqual({ status: 0, stdout: 'All done.\n' });
	});

	test('ends with status 0 if the scanner searched and loaded nothing', async () => {
		const user = await userWithKey();
		const answer = () => 'Privacy scan: done';
		const scan = delegate({ type: SCANNER, calls: [{ tool: FIND, input: { key: 'k' } }], answer });
		const env = await jobEnvironment(version, user, scan);
		expect(await runJob(env, user.project)).toEqual({ status: 0, stdout: 'All done.\n' });
	});

	test.each([
		['the catalog could not be loaded', 'Privacy scan: done', 'another'],
		['the scanner says that it did not scan', 'Privacy scan: not done (the catalog has no entries)', 'k'],
	])('ends with status 1 if %s', async (_, answer, key) => {
		const user = await userWithKey();
		const env = await jobEnvironment(version, user, scanThatAnswers(answer, key));
		expect(await runJob(env, user.project)).toMatchObject({ status: 1 });
	});

	test('ends with status 1 if the broker is not ready', async () => {
		const user = await userWithKey();
		const builds = join(user.home, DATA_FOLDER, 'builds');
		await rm(builds, { recursive: true });
		await writeFile(builds, '');
		const env = await jobEnvironment(version, user, scanThatAnswers('Privacy scan: done'));
		expect(await runJob(env, user.project)).toEqual({ status: 1, stdout: 'All done.\n' });
	});

	test.each([
		['the loaded catalog, in stream-json', ['--output-format', 'stream-json', '--verbose'], true],
		['the loaded catalog, in json with --verbose', ['--output-format', 'json', '--verbose'], true],
		['nothing of the catalog, in json', ['--output-format', 'json'], false],
		['nothing of the catalog, as text', [], false],
	])('prints %s', async (_, format, isPrinted) => {
		const user = await userWithKey();
		const env = await jobEnvironment(version, user, scanThatAnswers('Privacy scan: done'));
		const args = ['--plugin-dir', PLUGIN_ROOT, '-p', 'Please do a privacy scan.', ...format];
		const { stdout } = await runClientCommand({ version, home: user.home, cwd: user.project, args, env });
		expect(MARKERS.filter((marker) => stdout.includes(marker)).length > 0).toBe(isPrinted);
	});
});
