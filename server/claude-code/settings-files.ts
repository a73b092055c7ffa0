import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { configFolder, managedFolder } from './folders.ts';

/** Whose settings of Claude Code. */
export interface SettingsOwner {
	readonly home: string;
	/** The folder that the session runs in. */
	readonly project: string;
	readonly environment: NodeJS.ProcessEnv;
	/** Where an administrator's settings lie, by default where the system has them. */
	readonly managed?: string;
}

/** The settings files that a session can read, the one that counts least first. Those named can be missing. */
export async function settingsFiles(owner: SettingsOwner): Promise<string[]> {
	const { project, managed = managedFolder(process.platform) } = owner;
	const user = configFolder(owner.environment, owner.home);
	const dropIns = join(managed, 'managed-settings.d');
	const names = await readdir(dropIns).catch(() => []);
	return [
		join(user, 'settings.json'),
		join(project, '.claude', 'settings.json'),
		join(project, '.claude', 'settings.local.json'),
		join(user, 'remote-settings.json'),
		join(managed, 'managed-settings.json'),
		...names
			.filter((name) => name.endsWith('.json'))
			.sort()
			.map((name) => join(dropIns, name)),
	];
}

/** Bytes of the largest file that is read. */
const LIMIT = 2 ** 21;

/**
 * What a JSON file of Claude Code's holds; undefined if there is none.
 *
 * @throws Error if it cannot be read or is not JSON
 */
export async function readJson(file: string): Promise<unknown> {
	try {
		const stats = await stat(file);
		if (!stats.isFile() || stats.size > LIMIT) throw new Error('not a file, or too large');
		const text = (await readFile(file, 'utf8')).replace(/^\uFEFF/, '').trim();
		return text === '' ? undefined : JSON.parse(text);
	} catch (error) {
		const { code = '' } = error as NodeJS.ErrnoException;
		if (['ENOENT', 'ENOTDIR'].includes(code)) return undefined;
		throw error;
	}
}
