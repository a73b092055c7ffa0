import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A user's home folder, and a project beside it, for one test. */
export interface Home {
	readonly home: string;
	readonly project: string;
	/** Removes both folders. */
	remove(): Promise<void>;
}

/** @param files the project's files: path within it, text */
export async function createHome(files: Readonly<Record<string, string>> = {}): Promise<Home> {
	const folder = await mkdtemp(join(tmpdir(), 'context-broker-claude-'));
	const [home, project] = [join(folder, 'home'), join(folder, 'project')];
	await Promise.all([mkdir(home), mkdir(project)]);
	for (const [path, content] of Object.entries(files)) await writeInto(project, path, content);
	return { home, project, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Writes the user's context map. @returns its path */
export async function writeMap(home: string, toml: string): Promise<string> {
	return writePrivate(home, 'context-map.toml', toml);
}

/** Writes a file into the folder of the user's context map. @returns its path */
export async function writePrivate(home: string, name: string, content: string): Promise<string> {
	return writeInto(join(home, '.config', 'context-broker'), name, content);
}

async function writeInto(folder: string, path: string, content: string): Promise<string> {
	const file = join(folder, path);
	await mkdir(dirname(file), { recursive: true });
	await writeFile(file, content);
	return file;
}
