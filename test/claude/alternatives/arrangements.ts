import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PLUGIN_ROOT } from '../../support/paths.ts';
import { LOAD } from '../broker-session.ts';
import type { ToolCall } from '../harness/delegation.ts';
import { type Home, writeMap } from '../harness/home.ts';
import { CATALOG } from '../markers.ts';
import type { Way } from './table.ts';

/** A user who has set up one of the ways. */
export interface Arrangement {
	/** The agent that is to get the content. */
	readonly agent: string;
	/** How it gets it. */
	readonly call: ToolCall;
	/** Where the content lies, if in a file. */
	readonly file: string;
	/** Of the client. */
	readonly args?: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
}

type User = Pick<Home, 'home' | 'project'>;

const SERVER = fileURLToPath(
	new URL('../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', import.meta.url),
);

/** Sets up each of the ways for a user who has nothing yet. */
export const ARRANGE: Readonly<Record<Way, (user: User) => Promise<Arrangement>>> = {
	'inline, plugin': async ({ home, project }) => {
		const file = await keepIn(project);
		const plugin = join(dirname(home), 'plugin');
		await write(join(plugin, '.claude-plugin', 'plugin.json'), '{"name":"own","version":"1.0.0","description":"x"}');
		await write(join(plugin, 'agents', 'reader.md'), agentWithServer(file));
		return { agent: 'own:reader', call: callOfServer(file), file, args: ['--plugin-dir', plugin] };
	},
	'inline, user': async ({ home, project }) => {
		const file = await keepIn(project);
		await write(join(home, '.claude', 'agents', 'reader.md'), agentWithServer(file));
		return { agent: 'reader', call: callOfServer(file), file };
	},
	deny: async ({ home }) => {
		const file = await keepIn(home);
		await addReader(home, 'Read');
		await writeSettings(home, { permissions: { deny: ['Read(~/private/**)'] } });
		return { agent: 'reader', call: read(file), file };
	},
	filesystem: async ({ home, project }) => {
		const file = await keepIn(project);
		await addReader(home, SERVERS_TOOL);
		const config = join(home, 'servers.json');
		await write(config, JSON.stringify({ mcpServers: { files: serverFor(file) } }));
		return { agent: 'reader', call: callOfServer(file), file, args: ['--mcp-config', config] };
	},
	variable: async ({ home }) => {
		await addReader(home, 'Bash');
		const call = shell('printenv PRIVATE_CATALOG');
		return { agent: 'reader', call, file: fileIn(home), env: { PRIVATE_CATALOG: CATALOG } };
	},
	hook: async ({ home }) => {
		const file = await keepIn(home);
		await addReader(home, 'Read');
		const script = join(home, 'hook.mjs');
		await write(script, HOOK);
		const command = `"${process.execPath}" "${script}"`;
		const hooks = [{ matcher: 'Read|Grep|Glob|Bash', hooks: [{ type: 'command', command }] }];
		await writeSettings(home, { hooks: { PreToolUse: hooks } });
		return { agent: 'reader', call: read(file), file };
	},
	broker: async ({ home }) => {
		const file = await keepIn(home);
		await addReader(home, LOAD.tool);
		await writeMap(home, '[keys.k]\npath = "~/private/catalog.md"\nagents = ["reader"]\n');
		return { agent: 'reader', call: LOAD, file, args: ['--plugin-dir', PLUGIN_ROOT] };
	},
};

/** A hook that lets the reader alone name the folder. */
const HOOK = `import { text } from 'node:stream/consumers';
const { agent_type, tool_input } = JSON.parse(await text(process.stdin));
if (agent_type !== 'reader' && /\\bprivate\\b/.test(JSON.stringify(tool_input))) {
	console.error('That folder is private.');
	process.exit(2);
}
`;

export function read(file: string): ToolCall {
	return { tool: 'Read', input: { file_path: file } };
}

export function shell(command: string): ToolCall {
	return { tool: 'Bash', input: { command, description: 'x' } };
}

const SERVERS_TOOL = 'mcp__files__read_text_file';

function callOfServer(file: string): ToolCall {
	return { tool: SERVERS_TOOL, input: { path: file } };
}

/** It serves the project only, whatever its arguments: Claude Code tells it no other root (2.1.126 and 2.1.332). */
function serverFor(file: string) {
	return { command: process.execPath, args: [SERVER, dirname(file)] };
}

function agentWithServer(file: string): string {
	const server = JSON.stringify({ type: 'stdio', ...serverFor(file) });
	// With a second tool, because an agent without any is not started.
	return agentFile(`Glob, ${SERVERS_TOOL}`, `mcpServers:\n  - files: ${server}\n`);
}

async function addReader(home: string, tools: string): Promise<void> {
	await write(join(home, '.claude', 'agents', 'reader.md'), agentFile(tools));
}

function agentFile(tools: string, more = ''): string {
	return `---\nname: reader\ndescription: Reads.\ntools: ${tools}\n${more}---\nYou read.\n`;
}

function fileIn(folder: string): string {
	return join(folder, 'private', 'catalog.md');
}

async function keepIn(folder: string): Promise<string> {
	await write(fileIn(folder), CATALOG);
	return fileIn(folder);
}

async function writeSettings(home: string, settings: object): Promise<void> {
	await write(join(home, '.claude', 'settings.json'), JSON.stringify(settings));
}

async function write(file: string, text: string): Promise<void> {
	await mkdir(dirname(file), { recursive: true });
	await writeFile(file, text);
}
