import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MAY_MOUNT, MAY_NOT_MOUNT } from '../support/account.ts';
import { callRequest, errorCodeOf, guardRequest, initializeAs, loadRequest, outcomeOf } from '../support/broker.ts';
import { connect, loaded, TEXT, withContext } from '../support/first-start.ts';
import { createInstallation, HINDERED, type Installation, SILENT, wasHindered } from '../support/installation.ts';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { runs } from '../support/runs.ts';
import { snapshotOf } from '../support/snapshot.ts';

/** The packages of the checkout, without a copy of them. */
async function withPackages(installation: Installation): Promise<Installation> {
	await symlink(join(PLUGIN_ROOT, 'node_modules'), join(installation.root, 'node_modules'));
	return installation;
}

/** A user who keeps something in the data folder, too. */
async function createUsed(): Promise<Installation> {
	const installation = await withContext(await createInstallation({ isReal: true }));
	await mkdir(join(installation.data, 'notes'), { recursive: true });
	await writeFile(join(installation.data, 'notes', 'of-the-user.txt'), 'mine\n');
	await writeFile(join(installation.env.HOME ?? '', 'letter.txt'), 'Dear Jane,\n');
	return installation;
}

/** What npm and the build have in the data folder: many files. */
const isOurs = (path: string) => /^(node_modules|builds)\//.test(path);

/** Of all files that were there, none is changed or gone. */
async function expectUntouched(folders: readonly string[], work: () => Promise<void>): Promise<void> {
	const before = folders.map((folder) => snapshotOf(folder));
	await work();
	for (const [at, folder] of folders.entries()) expect(snapshotOf(folder, isOurs)).toMatchObject(before[at] ?? {});
}

async function expectWorks(installation: Installation): Promise<void> {
	expect(await installation.run(['prepare'])).toEqual(SILENT);
	expect(await loaded(installation)).toBe(TEXT);
}

function mount(place: string, ...commands: readonly (readonly string[])[]): void {
	for (const command of commands) execFileSync('mount', command, { stdio: 'ignore' });
	onTestFinished(() => void execFileSync('umount', ['--lazy', place], { stdio: 'ignore' }));
}

/** Makes a folder one that nobody can write to, not even root. */
function makeReadOnly(place: string): void {
	mount(place, ['--bind', place, place], ['-o', 'remount,ro,bind', place]);
}

async function closedPort(): Promise<string> {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as { port: number };
	server.close();
	await once(server, 'close');
	return `http://127.0.0.1:${port}/`;
}

const STARTS: readonly {
	readonly what: string;
	readonly told: RegExp;
	readonly isOfRoot?: true;
	/** Whether the packages are still to be installed. */
	readonly isBare?: true;
	readonly prepare: (installation: Installation) => Promise<Record<string, string>>;
}[] = [
	{
		what: 'a full disk',
		told: /^The disk is full\. Free about 100 MB/,
		isOfRoot: true,
		prepare: async ({ data }) => {
			mount(data, ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', data]);
			return {};
		},
	},
	{
		what: 'a data folder that nobody can write to',
		told: /^The data folder .* cannot be written \(EROFS\)\. Make it/,
		isOfRoot: true,
		prepare: async ({ data }) => {
			makeReadOnly(data);
			return {};
		},
	},
	{
		what: 'no npm',
		told: /^npm was not found.* Install npm/,
		isBare: true,
		prepare: async ({ root }) => {
			const bin = join(dirname(root), 'only-node');
			await mkdir(bin);
			await symlink(process.execPath, join(bin, 'node'));
			return { PATH: bin };
		},
	},
	{
		what: 'no network',
		told: /cannot reach its registry \(ECONNREFUSED\)/,
		isBare: true,
		prepare: async ({ root }) => ({
			npm_config_cache: join(dirname(root), 'empty-cache'),
			npm_config_registry: await closedPort(),
		}),
	},
];

describe('what keeps a first start from its end is told by the hook and a server, and no file of the user is touched', () => {
	test.for(STARTS)('$what', async ({ told, isOfRoot, isBare, prepare }, { skip }) => {
		skip(isOfRoot === true && !MAY_MOUNT, MAY_NOT_MOUNT);
		const installation = await createUsed();
		if (!isBare) await withPackages(installation);
		const { data } = installation;
		const home = installation.env.HOME ?? '';
		// A disk hides the folder that it is mounted on.
		await expectUntouched(isOfRoot ? [home] : [home, data], async () => {
			const env = await prepare(installation);
			const [hook, client] = await Promise.all([installation.run(['prepare'], env), connect(installation, env)]);
			// The client gets a server without tools, and is left.
			expect((await client.ask('tools/list', {})).result).toEqual({ tools: [] });
			const { errors } = await client.finish();
			skip(wasHindered({ stderr: errors }) && !told.test(errors), HINDERED);
			for (const stderr of [hook.stderr, errors]) {
				expect(/^Context Broker is not ready\. ([^\n]+\.)\n$/.exec(stderr)?.[1]).toMatch(told);
			}
			expect(hook.code).toBe(0);
			expect(JSON.parse(hook.stdout).systemMessage).toContain(hook.stderr.trim());
		});
	});
});

test('with a home that nobody can write to it works', async ({ skip }) => {
	skip(!MAY_MOUNT, MAY_NOT_MOUNT);
	const installation = await withPackages(await createUsed());
	makeReadOnly(installation.env.HOME ?? '');
	await expectUntouched([installation.data], async () => await expectWorks(installation));
});

/** A broker that Claude Code speaks to, and how an agent loads. */
async function inClaudeCode(installation: Installation, env: Record<string, string> = {}) {
	const shown = { CONTEXT_BROKER_ENABLED_TOOLS: 'all', ...env };
	const client = await connect(installation, shown, initializeAs('claude-code', '2.1.332'));
	const request = async ({ method, params }: ReturnType<typeof callRequest>) => await client.ask(method, params);
	let uses = 0;
	return {
		...client,
		request,
		approve: async () => {
			uses += 1;
			await request(guardRequest(0, `toolu_${uses}`, 'k', { session_id: 's1', cwd: '/' }));
			return `toolu_${uses}`;
		},
		load: async (use: string) => {
			const outcome = outcomeOf(await request(loadRequest(0, 'k', use)));
			return outcome === TEXT ? 'delivered' : outcome;
		},
		/** The main agent wants to read the private file. @returns what the hook's answer decides */
		readByMain: async () => {
			const file_path = join(installation.env.HOME ?? '', '.config', 'context-broker', 'catalog.md');
			const main = { session_id: 's1', cwd: '/', agent_id: '', agent_type: '' };
			const read = { tool_name: 'Read', tool_input: JSON.stringify({ file_path }) };
			const answer = outcomeOf(await request(guardRequest(0, 'toolu_read', '', { ...main, ...read })));
			return /"permissionDecision":"(\w+)"/.exec(answer)?.[1];
		},
	};
}

test('a clock that goes back a day between hook and load changes nothing, nor does it for the map', async () => {
	const installation = await withPackages(await createUsed());
	const home = installation.env.HOME ?? '';
	const [shift, flag] = ['shift.cjs', 'moved-back'].map((name) => join(dirname(installation.root), name)) as [
		string,
		string,
	];
	await writeFile(
		shift,
		`const { existsSync } = require('node:fs');
const now = Date.now;
const shifted = () => now() - (existsSync(${JSON.stringify(flag)}) ? 86_400_000 : 0);
globalThis.Date = class extends Date {
	constructor(...parts) { if (parts.length === 0) super(shifted()); else super(...parts); }
	static now() { return shifted(); }
};
`,
	);
	expect(await installation.run(['prepare'])).toEqual(SILENT);
	const client = await inClaudeCode(installation, { NODE_OPTIONS: `--require=${shift}` });
	const use = await client.approve();
	await writeFile(flag, '');
	const seen = [await client.load(use), await client.load(await client.approve()), await client.readByMain()];
	const map = join(home, '.config', 'context-broker', 'context-map.toml');
	const yesterday = new Date(statSync(map).mtimeMs - 86_400_000);
	for (const text of ['[keys]\n', '[keys]\nk = "catalog.md"\n']) {
		await writeFile(map, text);
		await utimes(map, yesterday, yesterday);
		seen.push(await client.load(await client.approve()));
	}
	// For a key that is gone the hook gives no approval.
	expect(seen).toEqual(['delivered', 'delivered', 'deny', 'caller_unverified', 'delivered']);
	const { code, errors } = await client.finish();
	expect(code).toBe(0);
	expect(errors).not.toContain('internal_error');
});

test('a data folder that is deleted under a running broker costs no protection, and the next session makes all anew', async () => {
	const installation = await withPackages(await createUsed());
	const home = installation.env.HOME ?? '';
	await expectUntouched([home], async () => {
		expect(await installation.run(['prepare'])).toEqual(SILENT);
		const client = await inClaudeCode(installation);
		expect(await client.load(await client.approve())).toBe('delivered');
		// The broker may write there at the same moment.
		await rm(installation.data, { recursive: true, force: true, maxRetries: 100, retryDelay: 10 });
		expect(['delivered', 'state_unwritable']).toContain(await client.load(await client.approve()));
		expect(await client.readByMain()).toBe('deny');
		const shell = await client.request(callRequest(0, 'run_shell_command', { command: 'echo works' }, 'toolu_shell'));
		if (errorCodeOf(shell.result) !== 'network_isolation_unavailable')
			expect(shell.result).toMatchObject({ structuredContent: { output: 'works\n' } });
		expect((await client.finish()).code).toBe(0);
		await expectWorks(installation);
	});
});

test('two versions of the plugin that share a data folder work together and in turns', async () => {
	const used = await createUsed();
	const versions = await Promise.all(
		['old', 'new'].map(async (name) => {
			const installation = await withPackages(await createInstallation({ name, isReal: true }));
			await writeFile(join(installation.root, 'server', 'version.json'), name);
			const env = { ...used.env, CLAUDE_PLUGIN_DATA: used.data };
			const run: Installation['run'] = async (args, more) => await installation.run(args, { ...env, ...more });
			return { ...installation, data: used.data, env, run };
		}),
	);
	await expectUntouched([used.env.HOME ?? '', used.data], async () => {
		for (let turn = 0; turn < runs(2); turn++) {
			// Each removes the other's build as an old one, also while the other starts.
			await Promise.all(
				versions.flatMap((version) => [
					expectWorks(version),
					loaded(version, { CLAUDE_CODE_SESSION_ID: `s${turn}` }).then((text) => expect(text).toBe(TEXT)),
				]),
			);
			for (const version of versions) await expectWorks(version);
		}
	});
	expect(readdirSync(used.data).filter((name) => name.startsWith('.'))).toEqual([]);
});
