import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HINDERED } from '../support/installation.ts';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { brokerSession, DATA_FOLDER, freshHome, scanSession } from './broker-session.ts';
import { freshPlugin, withLinkedPackages } from './fresh-plugin.ts';
import { writeMap, writePrivate } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { type ModelRequest, mentions } from './harness/request.ts';
import { nodeFolder } from './nodes.ts';

async function homeWithCatalog() {
	const home = await freshHome();
	await writeMap(home.home, '[keys]\nk = "catalog.md"\n');
	await writePrivate(home.home, 'catalog.md', '- Zebulon Quux\n');
	return home;
}

async function dataFolder(home: string): Promise<string[]> {
	const parent = join(home, '.claude', 'plugins', 'data');
	const [folder, ...others] = await readdir(parent);
	expect(others).toEqual([]);
	const names = (await readdir(join(parent, folder ?? ''))).sort();
	const listed = await readFile(join(PLUGIN_ROOT, 'docs', 'machine.md'), 'utf8');
	for (const name of names) expect(listed).toContain(`\`${name}\``);
	return names;
}

/** What Claude Code keeps of what servers print: where docs/errors.md says. */
async function keptOfStandardError(home: string): Promise<string[]> {
	const folder = join(home, '.cache', 'claude-cli-nodejs');
	const files = (await readdir(folder, { recursive: true })).filter((name) =>
		/mcp-logs-plugin-context-broker-broker.*\.jsonl$/.test(name),
	);
	const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
	return texts.flatMap((text) => text.split('\n').filter((line) => line.includes('Server stderr')));
}

const DELIVERED = [{ isError: false, parts: ['- Zebulon Quux\n'] }];

describe.each(clientVersions())('Claude Code %s', (version) => {
	test('the very first session works: packages, program and all', async ({ skip }) => {
		const { home, project } = await homeWithCatalog();
		const root = await freshPlugin(home, "plug in's ä");
		const { session, scan } = await scanSession({ version, home, project, keys: ['k'], args: ['--plugin-dir', root] });
		const told = session.events.map(({ stdout }) => String(stdout)).join();
		skip(/ready now, but too late|were not ready after|cannot reach its registry/.test(told), HINDERED);
		expect(session.result).toBe('All done.');
		expect(scan.resultsOf()).toMatchObject(DELIVERED);
		expect(await dataFolder(home)).toEqual([
			'builds',
			'last-session.json',
			'node_modules',
			'package-lock.json',
			'package.json',
			'record',
		]);
	});

	test('so do two first sessions at once', async () => {
		const { home, project } = await homeWithCatalog();
		const args = ['--plugin-dir', await freshPlugin(home, 'plugin')];
		const env = await withLinkedPackages(home, 'echo run >>"$HOME/npm-runs"');
		const options = { version, home, project, keys: ['k'], args, env };
		const sessions = await Promise.all([scanSession(options), scanSession(options)]);
		expect(await readFile(join(home, 'npm-runs'), 'utf8')).toBe('run\n');
		for (const { session, scan } of sessions) {
			expect(session.result).toBe('All done.');
			expect(scan.resultsOf()).toMatchObject(DELIVERED);
		}
		expect(await dataFolder(home)).toEqual([
			'builds',
			'last-session.json',
			'node_modules',
			'package-lock.json',
			'package.json',
			'record',
		]);
	});

	test('an install slower than the client waits is told, not lost: the next session works', async () => {
		const { home, project } = await homeWithCatalog();
		const args = ['--plugin-dir', await freshPlugin(home, 'plugin')];
		const env = await withLinkedPackages(home, 'sleep 31');
		const first = await scanSession({ version, home, project, keys: ['k'], args, env });
		expect(first.session.result).toBe('All done.');
		const hook = first.session.events.find(({ subtype }) => subtype === 'hook_response');
		expect(JSON.parse(String(hook?.stdout)).systemMessage).toMatch(
			/^Context Broker is ready now, but too late .* Start a new session to use it\. Until then, private files are not protected/,
		);
		const second = await scanSession({ version, home, project, keys: ['k'], args, env });
		expect(second.scan.resultsOf()).toMatchObject(DELIVERED);
	});

	test('where the broker can not be made ready, the person and the main agent are told why, and the next session can use it', async () => {
		const { home, project } = await homeWithCatalog();
		const args = ['--plugin-dir', await freshPlugin(home, 'plugin')];
		const broken = { version, home, project, keys: ['k'], args, env: { PATH: await pathWithoutNpm(home) } };
		const { session, scan, model } = await scanSession(broken);
		expect(session.result).toBe('All done.');
		const hook = session.events.find(({ subtype }) => subtype === 'hook_response');
		expect(JSON.parse(String(hook?.stdout)).systemMessage).toMatch(
			/^Context Broker is not ready\. npm was not found, .* start a new session\. Until then, private files are not protected/,
		);
		expect(scan.resultsOf()).toMatchObject([
			{ isError: true, text: expect.stringContaining('No such tool available') },
		]);
		const told = (requests: readonly ModelRequest[]) =>
			requests.filter((request) => mentions(request, 'npm was not found')).map(({ agent }) => agent);
		expect(told(model.requests)).toEqual(['main', 'main']);

		const resumed = await brokerSession({ ...broken, extraArgs: ['--continue'] }, () => ({ text: 'Yes.' }));
		expect(told(resumed.model.requests)).toEqual(['main']);

		// 2.1.332 does not start a server again whose connection failed: it must never fail.
		const second = await scanSession({ ...broken, env: await withLinkedPackages(home) });
		expect(second.scan.resultsOf()).toMatchObject(DELIVERED);
	});

	test('where Claude Code is told to leave the servers of plugins out, the main agent is told what that means', async () => {
		const { home, project } = await homeWithCatalog();
		const args = ['--plugin-dir', await freshPlugin(home, 'plugin'), '--strict-mcp-config'];
		const env = await withLinkedPackages(home);
		const { model } = await brokerSession({ version, home, project, args, env }, () => ({ text: 'Yes.' }));
		const said = 'Context Broker did not start: Claude Code was started with --strict-mcp-config';
		expect(model.requests.map((request) => mentions(request, said))).toEqual([true]);
	});

	test('where its data folder can not be written, the main agent is told so without the path', async () => {
		const { home, project } = await homeWithCatalog();
		const args = ['--plugin-dir', await freshPlugin(home, 'plugin')];
		// Claude Code makes a folder here; the one in it that the broker makes is in the way of nobody else.
		const data = join(home, DATA_FOLDER);
		await mkdir(data, { recursive: true });
		await writeFile(join(data, 'builds'), '');
		const env = await withLinkedPackages(home);
		const { session, scan, model } = await scanSession({ version, home, project, keys: ['k'], args, env });
		const hook = session.events.find(({ subtype }) => subtype === 'hook_response');
		expect(JSON.parse(String(hook?.stdout)).systemMessage).toContain(data);
		expect(scan.resultsOf()).toMatchObject([{ isError: true }]);
		const told = model.requests.filter((request) => mentions(request, 'The data folder cannot be written.'));
		expect(told.map(({ agent }) => agent)).toEqual(['main', 'main']);
		expect(model.requests.filter((request) => mentions(request, data))).toEqual([]);
	});

	const oldNode = nodeFolder(12);
	test('a Node that is far too old is told, and the next session can use a new one', async ({ skip }) => {
		skip(oldNode === undefined, 'Node 12 is not installed for the tests');
		const { home, project } = await homeWithCatalog();
		const options = {
			version,
			home,
			project,
			keys: ['k'],
			args: ['--plugin-dir', await freshPlugin(home, 'plugin')],
		};
		const first = await scanSession({ ...options, env: { PATH: `${oldNode}:${process.env.PATH}` } });
		const hook = first.session.events.find(({ subtype }) => subtype === 'hook_response');
		expect(JSON.parse(String(hook?.stdout)).systemMessage).toMatch(
			/^Context Broker is not ready\. Node\.js 20 or newer is needed; this is 12\..* start a new session\. Until then, private files are not protected/,
		);
		expect((await keptOfStandardError(home)).join()).toContain('this is 12.');
		const second = await scanSession({ ...options, env: await withLinkedPackages(home) });
		expect(second.scan.resultsOf()).toMatchObject(DELIVERED);
	});
});

/** A folder for PATH in which there is Node, and what the client itself needs, but no npm. */
async function pathWithoutNpm(home: string): Promise<string> {
	const folder = join(dirname(home), 'no-npm');
	await mkdir(folder);
	await symlink(process.execPath, join(folder, 'node'));
	await symlink('/bin/sh', join(folder, 'sh'));
	return folder;
}
