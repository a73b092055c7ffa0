import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BOOTSTRAP, PLUGIN_ROOT } from '../support/paths.ts';
import { freshHome, scanSession } from './broker-session.ts';
import { freshPlugin, withLinkedPackages } from './fresh-plugin.ts';
import { runClientCommand } from './harness/client.ts';
import { publish } from './harness/git.ts';
import { startGitServer } from './harness/git-server.ts';
import { writeMap, writePrivate } from './harness/home.ts';
import { clientVersions, resolveClient } from './harness/installed-clients.ts';

const [newest = ''] = clientVersions();

const { version: PLUGIN_VERSION } = JSON.parse(readFileSync(join(PLUGIN_ROOT, 'package.json'), 'utf8'));

/** The versions of manifest, package and lockfile raised, and with them what the broker calls itself. */
async function asVersion(version: string): Promise<Record<string, string>> {
	const files = ['.claude-plugin/plugin.json', 'package.json', 'package-lock.json'];
	const entries = files.map(async (file) => {
		const manifest = JSON.parse(await readFile(join(PLUGIN_ROOT, file), 'utf8'));
		const { packages } = manifest;
		const own = packages && { packages: { ...packages, '': { ...packages[''], version } } };
		return [file, JSON.stringify({ ...manifest, version, ...own })] as const;
	});
	return Object.fromEntries(await Promise.all(entries));
}

describe.each(clientVersions())('Claude Code %s', (version) => {
	test('add, install, session, update, session', async () => {
		const repositories = await mkdtemp(join(tmpdir(), 'context-broker-repositories-'));
		onTestFinished(() => rm(repositories, { recursive: true, force: true }));
		const repository = join(repositories, 'context-broker.git');
		await publish(PLUGIN_ROOT, repository, 'First', { replace: await asVersion('1.0.0') });
		const server = await startGitServer(repositories);
		onTestFinished(() => server.close());

		const { home, project } = await freshHome();
		const map = await writeMap(home, '[keys]\nk = "catalog.md"\n');
		await writePrivate(home, 'catalog.md', '- Zebulon Quux\n');
		const claude = async (...args: string[]) => {
			const { exitCode, stdout, stderr } = await runClientCommand({ version, home, cwd: project, args });
			expect(`${exitCode} ${stderr}`).toBe('0 ');
			return stdout;
		};
		const expectScan = async () => {
			const { session, scan } = await scanSession({ version, home, project, keys: ['k'], args: [] });
			expect(session.result).toBe('All done.');
			expect(scan.resultsOf()).toMatchObject([{ isError: false, parts: ['- Zebulon Quux\n'] }]);
		};
		const data = join(home, '.claude', 'plugins', 'data', 'context-broker-context-broker');

		await claude('plugin', 'marketplace', 'add', `${server.url}/context-broker.git`);
		await claude('plugin', 'install', 'context-broker@context-broker');
		await expectScan();
		// What a start takes, what V8 made of it, and the rest.
		const builds = await readdir(join(data, 'builds'));
		expect(builds).toHaveLength(3);
		// The client installed the packages at the plugin's root, so the bootstrap had only to build.
		expect((await readdir(data)).sort()).toEqual(['builds', 'last-session.json', 'record']);

		await publish(PLUGIN_ROOT, repository, 'Second', { replace: await asVersion('1.1.0') });
		await claude('plugin', 'marketplace', 'update', 'context-broker');
		await claude('plugin', 'update', 'context-broker@context-broker');
		expect(await claude('plugin', 'list')).toContain('1.1.0');
		await expectScan();
		expect(await readdir(join(data, 'builds'))).toHaveLength(3);
		expect(await readdir(join(data, 'builds'))).not.toEqual(builds);
		expect(await readFile(map, 'utf8')).toBe('[keys]\nk = "catalog.md"\n');

		// As a person in a terminal, who has `claude` on the PATH.
		const bin = join(home, 'bin');
		await mkdir(bin);
		await symlink(resolveClient(version), join(bin, 'claude'));
		const env = { HOME: home, USERPROFILE: home, PATH: `${bin}:${process.env.PATH}`, DISABLE_AUTOUPDATER: '1' };
		const { stdout } = await promisify(execFile)(process.execPath, [BOOTSTRAP, 'doctor', '--json'], {
			env,
			cwd: project,
		}).catch((error: { stdout: string }) => error);
		expect(JSON.parse(stdout).findings).toEqual(
			expect.arrayContaining([
				{ check: 'data folder', status: 'ok', message: data },
				{ check: 'Claude Code', status: 'ok', message: version },
				{
					check: 'plugin',
					status: 'ok',
					message: `context-broker@context-broker 1.1.0, enabled (this is ${PLUGIN_VERSION})`,
				},
				{
					check: 'hooks',
					status: 'ok',
					message: expect.stringMatching(`^reach the broker: seen in the last session .*Claude Code ${version}`),
				},
				{ check: 'keys', status: 'ok', message: '1 of 1 lead to a file that can be loaded' },
			]),
		);
	});
});

describe.each(clientVersions())('Claude Code %s', (version) => {
	test('the folder of a clone is a marketplace as well', async () => {
		const { home, project } = await freshHome();
		await writeMap(home, '[keys]\nk = "catalog.md"\n');
		await writePrivate(home, 'catalog.md', '- Zebulon Quux\n');
		const folder = await freshPlugin(home, 'clone');
		for (const args of [
			['plugin', 'marketplace', 'add', folder],
			['plugin', 'install', 'context-broker@context-broker'],
		]) {
			expect((await runClientCommand({ version, home, cwd: project, args })).exitCode).toBe(0);
		}
		const env = await withLinkedPackages(home);
		const { scan } = await scanSession({ version, home, project, keys: ['k'], args: [], env });
		expect(scan.resultsOf()).toMatchObject([{ isError: false, parts: ['- Zebulon Quux\n'] }]);
	});
});

describe('claude plugin validate, as strict as the plugin directory', () => {
	/** What the client reports of a folder. */
	async function validate(folder: string): Promise<unknown> {
		const { home } = await freshHome();
		const args = ['plugin', 'validate', '--strict', '--profile', 'directory', '--json', folder];
		const { exitCode, stdout } = await runClientCommand({ version: newest, home, cwd: home, args });
		expect(exitCode).toBe(0);
		return JSON.parse(stdout);
	}

	const nothing = { errors: [], warnings: [], notes: [] };
	const hosts = { named: [{ host: 'registry.npmjs.org' }], declared: { plugin: true } };

	/** As it is fetched: the client gives up looking in the packages of a checkout. */
	async function fetched(): Promise<string> {
		const { home } = await freshHome();
		const folder = await freshPlugin(home, 'plugin');
		for (const file of ['README.md', 'LICENSE']) await cp(join(PLUGIN_ROOT, file), join(folder, file));
		return folder;
	}

	test('has no remark on the plugin', async () => {
		const folder = await fetched();
		await rm(join(folder, '.claude-plugin', 'marketplace.json'));
		expect(await validate(folder)).toMatchObject({
			manifest: { type: 'plugin', ...nothing },
			contents: [],
			hosts,
			advice: [],
			directory: { findings: [], undecided: [], notes: [], failure: null },
		});
	});

	test('has none on the marketplace, but that it is one', async () => {
		expect(await validate(await fetched())).toMatchObject({
			manifest: { type: 'marketplace', ...nothing },
			contents: [],
			hosts,
			advice: [],
			directory: {
				findings: [],
				undecided: [],
				notes: [expect.stringContaining('This folder also holds a marketplace manifest.')],
				failure: null,
			},
		});
	});
});
