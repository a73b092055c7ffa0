import { execFile } from 'node:child_process';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { GIT_ENVIRONMENT, publish } from '../claude/harness/git.ts';
import { INITIALIZE, KEY_ONLY, loadRequest, startBroker } from '../support/broker.ts';
import { NPM_CACHE } from '../support/installation.ts';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { createUser } from '../support/user.ts';
import { documentedConfiguration } from './harness/transcript.ts';

/** A folder with nothing in it, and an npm that works there and uses what it once has downloaded. */
interface Workplace {
	readonly folder: string;
	/** What npm and npx are to be started with. */
	readonly env: Readonly<Record<string, string>>;
	/** @returns what it printed on standard output */
	npm(args: readonly string[], cwd: string): Promise<string>;
	/** @returns the path of what `npm pack` makes of this checkout */
	pack(): Promise<string>;
}

async function createWorkplace(): Promise<Workplace> {
	const folder = await temporaryFolder();
	// npx installs into its cache, for good: into one that the test removes.
	const [cache, downloads] = [join(folder, 'npm-cache'), join(NPM_CACHE, '_cacache')];
	await Promise.all([mkdir(cache), mkdir(downloads, { recursive: true })]);
	await symlink(downloads, join(cache, '_cacache'));
	const settings = { npm_config_cache: cache, npm_config_prefer_offline: 'true', npm_config_update_notifier: 'false' };
	const env = { ...GIT_ENVIRONMENT, ...settings };
	const npm = async (args: readonly string[], cwd: string) => {
		const own = { PATH: process.env.PATH ?? '', HOME: folder, USERPROFILE: folder };
		return (await promisify(execFile)('npm', [...args], { cwd, env: { ...own, ...env } })).stdout;
	};
	const pack = async () => join(folder, (await npm(['pack', '--silent', PLUGIN_ROOT], folder)).trim());
	return { folder, env, npm, pack };
}

/** Starts a broker with no data folder yet, loads by a key, and ends it. @returns what it answered and printed */
async function loadOnce(command: [string, ...string[]], extra: Record<string, string>) {
	const user = await createUser();
	await user.write('notes.md', 'private');
	await user.writeMap('[keys]\nk = "notes.md"\n');
	const broker = startBroker(user.home, { ...extra, CLAUDE_PLUGIN_DATA: join(user.home, 'data') }, command);
	broker.send(INITIALIZE, loadRequest(1, 'k'));
	await broker.receive();
	const { result } = await broker.receive();
	return { result, ...(await broker.finish()) };
}

const LOADED = { result: { content: [{ type: 'text', text: 'private' }] }, code: 0, rest: [], errors: KEY_ONLY };

test('what npm packs is the broker with its agents, and nothing else of the repository', async () => {
	const { npm } = await createWorkplace();
	const folders = ['agents', 'server'].map((name) =>
		readdir(join(PLUGIN_ROOT, name), { recursive: true, withFileTypes: true }),
	);
	const sources = (await Promise.all(folders))
		.flat()
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name));
	const [packed] = JSON.parse(await npm(['pack', '--dry-run', '--json'], PLUGIN_ROOT)) as [
		{ files: { path: string }[] },
	];
	const expected = ['LICENSE', 'README.md', 'package.json', ...sources.map((file) => relative(PLUGIN_ROOT, file))];
	expect(packed.files.map(({ path }) => path).sort()).toEqual(expected.sort());
});

test.each([
	['what npm has packed', ({ pack }: Workplace) => pack()],
	[
		'the address of a repository',
		async ({ folder }: Workplace) => {
			const repository = join(folder, 'repository.git');
			await publish(PLUGIN_ROOT, repository, 'Publish');
			return `git+file://${repository}`;
		},
	],
	['the path of a clone', async () => PLUGIN_ROOT],
])('the configuration in the document starts the broker without a clone by hand, from %s', async (_, source) => {
	const workplace = await createWorkplace();
	const command = documentedConfiguration(await source(workplace));
	expect(await loadOnce(command, workplace.env)).toEqual(LOADED);
});

test('installed as a package of a project, the broker starts from packages beside it, and installs none itself', async () => {
	const { folder, npm, pack } = await createWorkplace();
	const project = join(folder, 'project');
	await mkdir(project);
	await npm(['install', '--silent', '--no-audit', '--no-fund', await pack()], project);
	const program = join(project, 'node_modules', '.bin', 'context-broker');
	// With no npm to be found.
	const nodeOnly = join(folder, 'node-only');
	await mkdir(nodeOnly);
	await symlink(process.execPath, join(nodeOnly, 'node'));
	expect(await loadOnce([program], { PATH: nodeOnly })).toEqual(LOADED);
});
