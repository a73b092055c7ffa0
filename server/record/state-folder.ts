import { readdirSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { pluginDataFolder } from '../claude-code/folders.ts';

/**
 * The data folder of the sessions that a person has, for a command in their own terminal: that of Claude Code's plugin,
 * the one used last where there are several; without any, the program's own.
 *
 * @param own the program's own, which Claude Code names in the environment of what it starts
 */
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
		return []; // Claude Code has no such folder.
	}
}

/** Milliseconds since 1970. */
function lastUse(folder: string): number {
	const at = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
	return Math.max(at(folder), at(join(folder, 'last-session.json')));
}
