import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { configFolder, managedFolder } from './folders.ts';
import { foldersUp } from './instructions.ts';
import { readJson, type SettingsOwner } from './settings-files.ts';

export interface ServingPlugin {
	/** `plugin@marketplace`. */
	readonly id: string;
	readonly installPath?: string;
	readonly readFromFolder?: string;
}

/** The MCP servers in Claude Code's files. Not an account's connectors, and not servers of `--mcp-config` or an SDK. */
export async function configuredServers(owner: SettingsOwner, plugins: readonly ServingPlugin[]): Promise<string[]> {
	const { home, project, environment, managed = managedFolder(process.platform) } = owner;
	const read = async (file: string) => Object(await readJson(file).catch(() => undefined));
	const user = await read(join(environment.CLAUDE_CONFIG_DIR || home, '.claude.json'));
	const folders = foldersUp(project);
	const shared = await Promise.all(folders.map(async (folder) => await read(join(folder, '.mcp.json'))));
	const local = folders.map((folder) => Object(Object(user.projects)[folder]));
	const ofPlugins = await Promise.all(
		plugins.map(async ({ id, installPath = '', readFromFolder = installPath }) => {
			const { mcpServers } = await read(join(readFromFolder, '.claude-plugin', 'plugin.json'));
			const named = [mcpServers].flat().map((each) => (typeof each === 'string' ? each : { mcpServers: each }));
			const parts = await Promise.all(
				['.mcp.json', ...named].map(async (each) =>
					typeof each === 'string' ? await read(join(readFromFolder, each)) : each,
				),
			);
			return parts.flatMap((part) => namesIn(part)).map((name) => `plugin:${id.replace(/@.*/, '')}:${name}`);
		}),
	);
	const settings = [user, ...local, ...shared, await read(join(managed, 'managed-mcp.json'))];
	return [...new Set([...settings.flatMap(namesIn), ...ofPlugins.flat()])];
}

/** A plugin's file may leave out the table around the servers. */
function namesIn(settings: unknown): string[] {
	const { mcpServers } = Object(settings) as { mcpServers?: unknown };
	const isTable = (value: unknown) => typeof value === 'object' && value !== null;
	if (isTable(mcpServers)) return Object.keys(Object(mcpServers));
	return Object.entries(Object(settings)).flatMap(([name, value]) => {
		const { command, url } = Object(value) as { command?: unknown; url?: unknown };
		return command === undefined && url === undefined ? [] : [name];
	});
}

export async function newestTranscripts(owner: SettingsOwner, most: number): Promise<string[]> {
	const folder = join(
		configFolder(owner.environment, owner.home),
		'projects',
		owner.project.replace(/[^A-Za-z0-9]/g, '-'),
	);
	const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.jsonl'));
	const files = names.map(async (name) => {
		const file = join(folder, name);
		const changed = (await stat(file).catch(() => undefined))?.mtimeMs ?? 0;
		return { file, changed };
	});
	const newest = (await Promise.all(files)).sort((a, b) => b.changed - a.changed).slice(0, most);
	return newest.map(({ file }) => file);
}
