import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { temporaryFolder } from './temporary.ts';

/** A user with their own home folder. */
export interface User {
	readonly home: string;
	/** The map's folder. */
	readonly configFolder: string;
	readonly mapFile: string;
	writeMap(toml: string | Uint8Array): Promise<void>;
	/** Writes a file into the map's folder. @returns its path */
	write(name: string, content: string | Uint8Array): Promise<string>;
}

/** Creates a user for the running test. */
export async function createUser(home?: string): Promise<User> {
	const folder = home ?? (await temporaryFolder());
	const configFolder = join(folder, '.config', 'context-broker');
	await mkdir(configFolder, { recursive: true });
	const mapFile = join(configFolder, 'context-map.toml');
	return {
		home: folder,
		configFolder,
		mapFile,
		writeMap: (toml) => writeFile(mapFile, toml),
		write: async (name, content) => {
			const file = join(configFolder, name);
			await mkdir(dirname(file), { recursive: true });
			await writeFile(file, content);
			return file;
		},
	};
}
