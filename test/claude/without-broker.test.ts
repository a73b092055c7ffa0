import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { brokerSession, freshHome } from './broker-session.ts';
import { does } from './client-differences.ts';
import { freshPlugin } from './fresh-plugin.ts';
import { type Home, writeMap } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { toolResults } from './harness/request.ts';

const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

const NOT_THERE = 'No such tool available';

/** How often the main agent asks for a tool that is not there yet. */
const MOST_TURNS = 40;

/** Changes what a user has. @returns what else the session is started with */
type Change = (user: Pick<Home, 'home' | 'project'>) => Promise<{
	readonly plugin?: string;
	readonly extraArgs?: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
}>;

/** What the main agent gets from a tool of a server `db` that Claude Code runs, and what the person is told. */
async function callOfOtherServer(version: string, ...changes: readonly Change[]) {
	const user = await freshHome();
	const changed = Object.assign({}, ...(await Promise.all(changes.map((change) => change(user)))));
	const { plugin = PLUGIN_ROOT, ...more } = changed as Awaited<ReturnType<Change>>;
	const config = join(user.home, 'servers.json');
	const db = { command: process.execPath, args: [EVERYTHING, 'stdio'] };
	await writeFile(config, JSON.stringify({ mcpServers: { db } }));
	const args = ['--plugin-dir', plugin, '--mcp-config', config, '--allowedTools', 'mcp__db__echo'];
	const { session, model } = await brokerSession({ version, ...user, args, ...more }, (request) => {
		const results = toolResults(request);
		const isOver = results.some(({ text }) => !text.includes(NOT_THERE)) || results.length === MOST_TURNS;
		return isOver ? { text: 'Done.' } : { tool: 'mcp__db__echo', input: { message: 'it came' } };
	});
	const hook = session.events.find(({ subtype }) => subtype === 'hook_response');
	const newest = model.requests.findLast(({ agent }) => agent === 'main');
	return { result: newest && toolResults(newest).at(-1), told: String(hook?.stdout) };
}

const RAN = { isError: false, text: 'Echo: it came' };

function withMap(text: string): Change {
	return async ({ home }) => {
		await writeMap(home, text);
		return {};
	};
}

const notStarted: Change = async ({ home }) => {
	const plugin = await freshPlugin(home, 'plugin');
	await writeFile(join(plugin, 'server', 'bootstrap.cjs'), 'process.exitCode = 1;\n');
	return { plugin };
};

const notReady: Change = async ({ home }) => {
	const folder = join(dirname(home), 'bin');
	await mkdir(folder);
	await symlink(process.execPath, join(folder, 'node'));
	await symlink('/bin/sh', join(folder, 'sh'));
	return { plugin: await freshPlugin(home, 'plugin'), env: { PATH: folder } };
};

const leftOut: Change = async () => ({ extraArgs: ['--strict-mcp-config'] });

const switchedOff: Change = async ({ home, project }) => {
	const disabledMcpServers = ['plugin:context-broker:broker'];
	await writeFile(join(home, '.claude.json'), JSON.stringify({ projects: { [project]: { disabledMcpServers } } }));
	return {};
};

const unreadableMap: Change = async ({ home }) => {
	await mkdir(join(home, '.config', 'context-broker', 'context-map.toml'), { recursive: true });
	return {};
};

/** The hook that the documents have for whoever wants more. */
const ownHook: Change = async ({ home }) => {
	const document = await readFile(join(PLUGIN_ROOT, 'docs', 'servers.md'), 'utf8');
	const [, settings = ''] = /```json\n([^`]*"onFailure"[^`]*)```/.exec(document) ?? [];
	await mkdir(join(home, '.claude'), { recursive: true });
	await writeFile(join(home, '.claude', 'settings.json'), settings);
	return {};
};

const OPEN = 'private files are not protected and no tool is isolated';

describe.each(clientVersions())('Claude Code %s: a tool of another server', (version) => {
	test.each([
		['does not start', notStarted, ''],
		['is not ready', notReady, OPEN],
		['is left out by --strict-mcp-config', leftOut, OPEN],
		['is switched off in /mcp', switchedOff, ''],
	])('runs where the broker %s, whatever the map says', async (_, change, message) => {
		const { result, told } = await callOfOtherServer(
			version,
			withMap('[keys]\n[mcp_servers.db]\nisolated = true'),
			change,
		);
		expect(result).toMatchObject(RAN);
		expect(told).toContain(message);
	});

	test.each([
		['isolates tools of another one', withMap('[keys]\n[mcp_servers.other]\nisolated = true\n')],
		['is no TOML', withMap('[keys]\nk = ~/k.md\n')],
		['has a mistyped table of a server', withMap('[keys]\n[mcp_server.x]\ncommand = "x"\n')],
		['can not be read', unreadableMap],
	])('runs with a map that %s', async (_, change) => {
		expect((await callOfOtherServer(version, change)).result).toMatchObject(RAN);
	});

	test('does not run for the main agent where the map is no TOML and tells of isolation', async () => {
		const map = '[keys]\nk = ~/k.md\n[mcp_servers.other]\nisolated = true\n';
		const { result } = await callOfOtherServer(version, withMap(map));
		expect(result).toMatchObject({ isError: true, text: expect.stringContaining('config_invalid: ') });
	});

	test('runs with a hook of the person that asks the broker, and where the broker is down, does not from 2.1.295 on', async () => {
		expect((await callOfOtherServer(version, ownHook)).result).toMatchObject(RAN);
		const { result } = await callOfOtherServer(version, ownHook, notStarted);
		const blocked = { isError: true, text: expect.stringContaining('blocking because onFailure') };
		expect(result).toMatchObject(does(version, 'blocksOnFailure') ? blocked : RAN);
	});
});
