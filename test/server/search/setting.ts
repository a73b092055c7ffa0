import { execFileSync } from 'node:child_process';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Findings } from '../../../server/search/findings.ts';
import { type SearchOptions, search } from '../../../server/search/search.ts';
import { createThread } from '../../../server/search/thread.ts';
import { temporaryFolder } from '../../support/temporary.ts';

export const CATALOG = `# Names

- Zebulon Quux-Marker
- Aloysia Brandenburgh
- Jürgen Łukaszewski

- telephone: +1 555 0199
- QX-7781-MARK
`;

/** The program, as tests find it. Windows has no `sh`. */
const IS_WINDOWS = process.platform === 'win32';
export const GIT = IS_WINDOWS ? 'git' : execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();

export interface Project {
	/** A real path. */
	readonly root: string;
	write(path: string, content: string | Uint8Array): Promise<string>;
	git(...args: readonly string[]): string;
	/** Searches in this thread. @param path as of a listing */
	search(path?: string, options?: Partial<SearchOptions>): Promise<Findings>;
}

/** A folder with files: path within it, text. */
export async function createProject(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<Project> {
	const root = await realpath(await temporaryFolder());
	const write = async (path: string, content: string | Uint8Array) => {
		const file = join(root, path);
		await mkdir(dirname(file), { recursive: true });
		await writeFile(file, content);
		return file;
	};
	for (const [path, content] of Object.entries(files)) await write(path, content);
	const identity = ['-c', 'user.name=Jo', '-c', 'user.email=jo@localhost', '-c', 'init.defaultBranch=main'];
	return {
		root,
		write,
		git: (...args) => execFileSync(GIT, ['-C', root, ...identity, ...args], { encoding: 'utf8' }),
		search: async (path = '', options = {}) =>
			await search({
				...{ root, path, text: CATALOG, git: GIT, ignored: false, history: false, except: [], threads: 2 },
				signal: new AbortController().signal,
				start: createThread,
				...options,
			}),
	};
}

/** Each place as one line. */
export function placesOf({ files }: Findings): string[] {
	return files.flatMap(({ path, of, commit, inName, places }) => {
		const where = `${commit === undefined ? '' : 'commit '}${of ?? path}`;
		return [
			...inName.map(({ entry, certainty }) => `${where} name L${entry} ${certainty}`),
			...places.map(({ line, column, entry, certainty }) => `${where}:${line}:${column} L${entry} ${certainty}`),
		];
	});
}

/** By reason, the paths. */
export function unsearchedOf({ unsearched }: Findings): Record<string, readonly string[]> {
	return Object.fromEntries([...unsearched].map(([reason, { paths }]) => [reason, paths]));
}
