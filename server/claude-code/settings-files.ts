import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { configFolder, managedFolder, ownFolder } from './folders.ts';

export interface SettingsOwner {
	readonly home: string;
	readonly project: string;
	readonly environment: NodeJS.ProcessEnv;
	/** The folder of an administrator's settings, by default that of the system. */
	readonly managed?: string;
}

/** The settings files that a session can read, lowest precedence first. Some may be missing. */
export async function settingsFiles(owner: SettingsOwner): Promise<string[]> {
	const { user, managed } = await settingsOfUser(owner);
	const project = ['settings.json', 'settings.local.json'].map((name) => join(ownFolder(owner.project), name));
	return [user, ...project, ...managed];
}

/** The settings files that apply to every project: the user's own, and an administrator's. */
export async function settingsOfUser(owner: SettingsOwner): Promise<{ user: string; managed: string[] }> {
	const { managed = managedFolder(process.platform) } = owner;
	const folder = configFolder(owner.environment, owner.home);
	const dropIns = join(managed, 'managed-settings.d');
	const names = await readdir(dropIns).catch(() => []);
	const ofManaged = [
		join(folder, 'remote-settings.json'),
		join(managed, 'managed-settings.json'),
		...names
			.filter((name) => name.endsWith('.json'))
			.sort()
			.map((name) => join(dropIns, name)),
	];
	return { user: join(folder, 'settings.json'), managed: ofManaged };
}

const MAX_BYTES = 2 ** 21;

/** The content of a JSON file; undefined if there is none. @throws Error if it cannot be read or is not JSON */
export async function readJson(file: string): Promise<unknown> {
	try {
		const stats = await stat(file);
		if (!stats.isFile() || stats.size > MAX_BYTES) throw new Error('not a file, or too large');
		const text = (await readFile(file, 'utf8')).replace(/^\uFEFF/, '').trim();
		return text === '' ? undefined : JSON.parse(text);
	} catch (error) {
		const { code = '' } = error as NodeJS.ErrnoException;
		if (['ENOENT', 'ENOTDIR'].includes(code)) return undefined;
		throw error;
	}
}
