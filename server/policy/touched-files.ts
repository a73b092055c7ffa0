import { promises as fs } from 'node:fs';
import { dirname, sep } from 'node:path';
import { BoundedMap } from '../bounded-map.ts';
import { commandLineOf, forkedFrom } from '../claude-code/forked-from.ts';
import type { HookEvent } from '../claude-code/hooks.ts';
import { foldersUp } from '../claude-code/instructions.ts';
import { FORK } from '../claude-code/tools.ts';
import { touchedIn } from '../claude-code/touched-paths.ts';
import type { FileSystem } from '../paths/file-system.ts';
import { absolutePath, namesIn } from '../paths/spellings.ts';

/** Files remembered for an agent. After a long session all are checked at once. */
const MAX_FILES = 5_000;

const MAX_FOLDERS = 200;

/** The paths of private files in the map, by their real paths. */
export type PrivatePaths = ReadonlyMap<string, string>;

interface Touched {
	/** Absolute paths that have not been checked yet. */
	readonly unseen: Set<string>;
	/** Paths that are not links, by their folded names. Each leads to a file of that name. */
	readonly named: BoundedMap<string, Set<string>>;
	readonly places: Set<string>;
}

interface Session {
	/** By agent; the main thread is ''. */
	readonly touched: Map<string, Touched>;
	readonly folders: Set<string>;
	/** The search of its transcript for files of earlier processes. It is done once. */
	searched?: Promise<void>;
}

interface TouchedFilesOptions {
	readonly home: string;
	readonly platform: NodeJS.Platform;
	readonly system: Pick<FileSystem, 'answers'>;
}

/** The files that agents have touched in a session: Claude Code remembers them. */
export class TouchedFiles {
	readonly #options: TouchedFilesOptions;
	readonly #placeOf: (path: string) => Promise<string>;
	readonly #commandLine: () => Promise<readonly string[]>;
	readonly #sessions = new Map<string, Session>();

	/** @param commandLine of Claude Code */
	constructor(
		options: TouchedFilesOptions,
		placeOf: (path: string) => Promise<string>,
		commandLine: () => Promise<readonly string[]> = () => commandLineOf(process.ppid, options.platform),
	) {
		this.#options = options;
		this.#placeOf = placeOf;
		this.#commandLine = commandLine;
	}

	/** @param paths absolute */
	note({ session_id, agent_id, cwd }: HookEvent, paths: readonly string[]): void {
		if (paths.length === 0) return;
		const { touched, folders } = this.#sessionOf(session_id);
		const own = touched.get(agent_id) ?? {
			...{ unseen: new Set(), places: new Set() },
			named: new BoundedMap(MAX_FILES),
		};
		touched.set(agent_id, own);
		for (const path of paths) {
			addNewest(own.unseen, path, MAX_FILES);
			if (!path.startsWith(cwd + sep)) continue;
			const below = foldersUp(dirname(path)).filter((folder) => folder.length > cwd.length);
			for (const folder of below) addNewest(folders, folder, MAX_FOLDERS);
		}
	}

	foldersBelow({ session_id }: HookEvent): readonly string[] {
		return [...this.#sessionOf(session_id).folders];
	}

	/** The path of a private file that the agent has touched, also in an earlier process. */
	async find(files: PrivatePaths, event: HookEvent): Promise<string | undefined> {
		const session = this.#sessionOf(event.session_id);
		session.searched ??= this.#searchTranscript(event);
		await session.searched;
		// A forked agent has all that the main thread has.
		for (const agent of event.agent_type === FORK ? [event.agent_id, ''] : [event.agent_id]) {
			const touched = session.touched.get(agent);
			if (touched === undefined) continue;
			await this.#sort(touched);
			for (const [place, path] of files) {
				const name = this.#nameOf(place);
				await this.#resolve(touched.named.get(name) ?? [], touched.places);
				touched.named.delete(name);
				if (touched.places.has(place)) return path;
			}
		}
		return undefined;
	}

	/** Resolves only links: to resolve all paths of a long session takes many seconds. */
	async #sort({ unseen, places, named }: Touched): Promise<void> {
		const looks = [...unseen].map(async (path) => {
			const look = this.#options.system.answers(path).then(() => fs.lstat(path));
			const stats = await look.catch(() => undefined);
			if (stats?.isSymbolicLink() === true) {
				await this.#resolve([path], places);
			} else {
				const name = this.#nameOf(path);
				const same = named.get(name) ?? new Set();
				named.set(name, addNewest(same, path, MAX_FILES));
			}
			unseen.delete(path);
		});
		await Promise.all(looks);
	}

	async #resolve(paths: Iterable<string>, places: Set<string>): Promise<void> {
		await Promise.all([...paths].map(async (path) => addNewest(places, await this.#placeOf(path), MAX_FILES)));
	}

	#nameOf(path: string): string {
		return namesIn(path, this.#options.platform).at(-1) ?? '';
	}

	async #searchTranscript(event: HookEvent): Promise<void> {
		const { transcript_path } = event;
		if (transcript_path === '') return;
		const stats = await fs.stat(transcript_path).catch(() => undefined);
		const transcripts = stats ? [transcript_path] : await forkedFrom(transcript_path, await this.#commandLine());
		const found = await Promise.all(transcripts.map(touchedIn));
		const paths = found.flat().map(({ path, cwd }) => absolutePath(path, cwd || event.cwd, this.#options));
		const newest = [...new Set(paths.reverse())].slice(0, MAX_FILES);
		this.note({ ...event, agent_id: '' }, newest.reverse());
	}

	#sessionOf(id: string): Session {
		const session = this.#sessions.get(id) ?? { touched: new Map(), folders: new Set() };
		this.#sessions.set(id, session);
		return session;
	}
}

function addNewest(files: Set<string>, file: string, limit: number): Set<string> {
	files.delete(file);
	files.add(file);
	const [oldest = ''] = files;
	if (files.size > limit) files.delete(oldest);
	return files;
}
