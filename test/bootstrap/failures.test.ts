import { execFile, execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, test } from 'vitest';
import {
	IS_ROOT,
	isReadableFor,
	MAY_MOUNT,
	MAY_NOT_MOUNT,
	NOBODY,
	UNREADABLE,
	withoutRights,
} from '../support/account.ts';
import { asking, createInstallation, givePackages, type Installation } from '../support/installation.ts';
import { expectGone } from '../support/shell.ts';

/** Both ways to start: the hook says it to the person, the server on standard error. */
async function expectMessage(
	installation: Installation,
	text: RegExp,
	env: Record<string, string> = {},
): Promise<void> {
	const [hook, server] = await Promise.all([installation.run(['prepare'], env), installation.run([], env)]);
	for (const { stderr } of [hook, server]) {
		expect(stderr).toMatch(/^Context Broker is not ready\. [^\n]+\.\n$/);
		expect(stderr).toMatch(text);
		expect(stderr).toMatch(/start a new session|report this message/i);
		expect(stderr).not.toMatch(/\bat .*:\d+:\d+/);
	}
	expect(hook.code).toBe(0);
	expectAnswer(hook.stdout, hook.stderr, installation);
	expect(server.code).toBe(1);
	expect(server.stdout).toBe('');
	const left = await readdir(installation.data).catch(() => []);
	expect(left.filter((name) => name.startsWith('.'))).toEqual([]);
}

/** The person gets the whole message, and the main agent the same without a path. */
function expectAnswer(stdout: string, stderr: string, { root, data }: Installation): void {
	const { systemMessage, hookSpecificOutput } = JSON.parse(stdout);
	expect(systemMessage).toBe(`${stderr.trim()} Until then, private files are not protected and no tool is isolated.`);
	expect(hookSpecificOutput).toEqual({
		hookEventName: 'SessionStart',
		additionalContext: expect.stringMatching(/^Context Broker is not ready\. .* no privacy scan can be done\. .*$/),
	});
	for (const path of [root, data]) expect(hookSpecificOutput.additionalContext).not.toContain(path);
}

async function listen(onConnection: () => void): Promise<{ server: Server; url: string }> {
	const server = createServer(onConnection).listen(0, '127.0.0.1');
	await new Promise((resolve) => server.once('listening', resolve));
	onTestFinished(() => void server.close());
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('no port');
	return { server, url: `http://127.0.0.1:${address.port}/` };
}

function withoutCache({ root }: Installation, registry: string): Record<string, string> {
	return { npm_config_cache: join(root, 'cache'), npm_config_registry: registry };
}

/** What has Node run a script before the program. */
function preloaded(script: string): { NODE_OPTIONS: string } {
	return { NODE_OPTIONS: `--import="data:text/javascript,${encodeURIComponent(script)}"` };
}

test('no npm', async () => {
	const installation = await createInstallation();
	const bin = join(installation.root, 'bin');
	await mkdir(bin);
	await symlink(process.execPath, join(bin, 'node'));
	await expectMessage(installation, /npm was not found.*Install npm/, { PATH: bin });
});

test('a client that speaks to a server that is not ready gets connected, sees no tools, and is left', async () => {
	const installation = await createInstallation({ npmScript: 'exit 3' });
	const client = new Client({ name: 'test', version: '1.0.0' });
	const bootstrap = join(installation.root, 'server', 'bootstrap.cjs');
	const transport = new StdioClientTransport({
		command: process.execPath,
		args: [bootstrap],
		env: installation.env,
		stderr: 'pipe',
	});
	const closed = new Promise<void>((resolve) => {
		client.onclose = resolve;
	});
	await client.connect(transport);
	expect(client.getServerVersion()).toEqual({ name: 'context-broker', version: 'not ready' });
	await client.ping();
	await expect(client.listPrompts()).rejects.toMatchObject({ code: -32601 });
	expect(await client.listTools()).toEqual({ tools: [] });
	await closed;
});

test.for([
	['', {}],
	[', whatever npm prints in front of it', { npm_config_color: 'always', npm_config_heading: 'pm' }],
] as const)('no network%s', async ([, settings]) => {
	const installation = await createInstallation();
	const { server, url } = await listen(() => {});
	await new Promise((resolve) => server.close(resolve));
	const env = { ...withoutCache(installation, url), ...settings };
	await expectMessage(installation, /cannot reach its registry \(ECONNREFUSED\)/, env);
});

test('a registry that never answers ends in a message after 50 seconds, and no process stays', async () => {
	const installation = await createInstallation();
	const { url } = await listen(() => {});
	// It has waited for all but the last five.
	const clock = preloaded(`const now = performance.now.bind(performance);
		performance.now = () => now() + (process.argv[2] === 'prepare' ? 45_000 : 20_000);`);
	await expectMessage(installation, /not ready after (50|25) seconds/, {
		...withoutCache(installation, url),
		...clock,
	});
	await expectGone(installation.root);
});

test('npm that fails in a way of its own', async () => {
	const installation = await createInstallation({ npmScript: 'echo "npm error code EWEIRD" >&2; exit 3' });
	await expectMessage(installation, /"npm ci" ended with EWEIRD/);
});

test.for<Record<string, string>>([{ npm_config_before: '2020-01-01' }, { npm_config_min_release_age: '36500' }])(
	'npm settings of the user that keep it from the packages: %o',
	async (settings) => {
		const installation = await createInstallation();
		const expected = /"before" or "min-release-age" blocks .*\(ETARGET\)\. .*npm_config_before=null/;
		await expectMessage(installation, expected, settings);
	},
);

test('npm that tells the reason before its last line', async () => {
	const lines = [
		'code EWEIRD',
		'errno 7',
		'weird The shelf is empty.',
		'weird See https://example.invalid',
		'A complete log is in /x',
	];
	const npmScript = `printf 'npm error %s\\n' ${lines.map((line) => `'${line}'`).join(' ')} >&2; exit 3`;
	const installation = await createInstallation({ npmScript });
	await expectMessage(installation, /"npm ci" ended with EWEIRD \(weird The shelf is empty\)\. Run/);
	const { stdout } = await installation.run(['prepare']);
	expect(JSON.parse(stdout).hookSpecificOutput.additionalContext).not.toContain('shelf');
});

test('npm that could not unpack a file, and claims to have worked', async () => {
	const installation = await createInstallation({
		npmScript: 'echo "npm warn tar TAR_ENTRY_ERROR EIO: i/o error" >&2; exit 0',
	});
	await expectMessage(installation, /"npm ci" ended with TAR_ENTRY_ERROR EIO/);
});

test('npm that claims to have worked', async () => {
	const installation = await createInstallation({ npmScript: 'exit 0' });
	await expectMessage(installation, /some packages are missing/);
});

test('npm that may not write its own files', async () => {
	const installation = await createInstallation({ npmScript: 'echo "npm error code EACCES" >&2; exit 243' });
	await expectMessage(installation, /npm is not allowed to write its files \(EACCES\)/);
});

test('a file in place of the data folder', async () => {
	const installation = await createInstallation();
	await writeFile(installation.data, '');
	const { stdout, stderr, code } = await installation.run(['prepare']);
	expect(code).toBe(0);
	expectAnswer(stdout, stderr, installation);
	expect(stderr.replace('ENOTDIR', 'EEXIST')).toBe(
		`Context Broker is not ready. The data folder ${installation.data} cannot be written (EEXIST). Make it a folder that you can write to, then start a new session.\n`,
	);
});

test('a data folder that may not be written', async ({ skip }) => {
	const installation = await createInstallation();
	const { root, data, env } = installation;
	await mkdir(data, { mode: 0o555 });
	await chmod(dirname(root), 0o755);
	const bootstrap = join(root, 'server', 'bootstrap.cjs');
	skip(IS_ROOT && !isReadableFor(NOBODY, bootstrap), UNREADABLE);
	const [program, ...args] = withoutRights(process.execPath, bootstrap, 'prepare');
	const { stdout, stderr } = await promisify(execFile)(program, args, { env });
	expect(stderr).toMatch(/^Context Broker is not ready\. The data folder .* cannot be written \(EACCES\)\. Make it/);
	expectAnswer(stdout, stderr, installation);
});

test('a full disk', async ({ skip }) => {
	skip(!MAY_MOUNT, MAY_NOT_MOUNT);
	const installation = await createInstallation();
	await mkdir(installation.data);
	execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', installation.data]);
	onTestFinished(() => void execFileSync('umount', [installation.data]));
	await expectMessage(installation, /The disk is full\. Free about 100 MB/);
});

test('a disk with room for nothing, the packages being there', async ({ skip }) => {
	skip(!MAY_MOUNT, MAY_NOT_MOUNT);
	const installation = await createInstallation();
	await givePackages(installation.root);
	await mkdir(installation.data);
	execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8k', 'tmpfs', installation.data]);
	onTestFinished(() => void execFileSync('umount', [installation.data]));
	await expectMessage(installation, /The disk is full\. Free about 100 MB/);
});

test('a build that is damaged is made anew', async () => {
	const installation = await createInstallation();
	await givePackages(installation.root);
	await installation.run(['prepare']);
	const [build = ''] = await installation.builds();
	await writeFile(join(installation.data, 'builds', build), 'module.exports = {');
	const ask = asking(installation.start([]));
	expect(await ask('hello')).toBe('hello\n');
});

test('a plugin with files missing', async () => {
	const installation = await createInstallation();
	await rm(join(installation.root, 'package-lock.json'));
	await expectMessage(installation, /The plugin's own files cannot be read \(ENOENT\)\. Install the plugin again/);
});

test('a Node that is too old', async () => {
	const installation = await createInstallation();
	const pretend = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.8" } })';
	const expected = /Node\.js 20 or newer is needed; this is 18\.20\.8\. Update Node\.js/;
	await expectMessage(installation, expected, preloaded(pretend));
});

test('a read-only disk', async ({ skip }) => {
	skip(!MAY_MOUNT, MAY_NOT_MOUNT);
	const installation = await createInstallation();
	await mkdir(installation.data);
	execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,ro', 'tmpfs', installation.data]);
	onTestFinished(() => void execFileSync('umount', [installation.data]));
	await expectMessage(installation, /cannot be written \(EROFS\)/);
});
