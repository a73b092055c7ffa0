import { readdirSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { pluginDataFolder } from '../claude-code/folders.ts';

/** The data folder for a command in a terminal: of the plugin installation used last, else the program's own. */
export function stateFolder(own: string, environment: NodeJS.ProcessEnv, home: string): string {
	if (isAbsolute(environment.CLAUDE_PLUGIN_DATA ?? '')) return own;
	const folder = pluginDataFolder(environment, home);
	const found = namesIn(folder)
		.filter((name) => name.startsWith('context-broker-'))
		.map((name) => join(folder, name));
	const [last] = found.sort((a, b) => lastUse(b) - lastUse(a));
	return last ?? own;
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return []; // No plugin is installed.
	}
}

function lastUse(folder: string): number {
	const at = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
	return Math.max(at(folder), at(join(folder, 'last-session.json')));
}
