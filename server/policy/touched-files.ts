import { promises as fs } from 'node:fs';
import { basename, dirname, sep } from 'node:path';
import { BoundedMap } from '../bounded-map.ts';
import { commandLineOf, forkedFrom } from '../claude-code/forked-from.ts';
import type { HookEvent } from '../claude-code/hooks.ts';
import { absolute, foldersUp } from '../claude-code/instructions.ts';
import { FORK } from '../claude-code/tools.ts';
import { touchedIn } from '../claude-code/touched-paths.ts';
import type { FileSystem } from '../paths/file-system.ts';
import { fold } from '../paths/fold.ts';

/** How many files are remembered of an agent; then the oldest are forgotten. Of a long session all are looked at at once. */
const MAX_FILES = 5_000;

/** How many folders are remembered of a session. */
const MAX_FOLDERS = 200;

/** Private files, by the place where each is: the path that the map gives. */
export type Kept = ReadonlyMap<string, string>;

interface Touched {
	readonly places: Set<string>;
	/** Absolute paths at which nobody has looked yet. */
	readonly paths: Set<string>;
	/** By their own folded names, those that are no links: each leads to a file of that name, if to any. */
	readonly named: BoundedMap<string, Set<string>>;
}

interface Session {
	/** By agent; the main thread is ''. */
	readonly touched: Map<string, Touched>;
	readonly folders: Set<string>;
	/** Its transcript is searched once: an earlier process can have served it. */
	searched?: Promise<void>;
}

interface TouchedFilesOptions {
	readonly home: string;
	readonly platform: NodeJS.Platform;
	readonly system: Pick<FileSystem, 'answers'>;
}

/** The files that agents have touched in a session, and that Claude Code remembers for them. */
export class TouchedFiles {
	readonly #options: TouchedFilesOptions;
	readonly #placeOf: (path: string) => Promise<string>;
	readonly #commandLine: () => Promise<readonly string[]>;
	readonly #sessions = new Map<string, Session>();

	/**
	 * @param placeOf where an absolute path leads
	 * @param commandLine that of Claude Code
	 */
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
		const known = touched.get(agent_id) ?? {
			...{ places: new Set<string>(), paths: new Set<string>() },
			named: new BoundedMap<string, Set<string>>(MAX_FILES),
		};
		touched.set(agent_id, known);
		for (const path of paths) {
			addTo(known.paths, path, MAX_FILES);
			if (!path.startsWith(cwd + sep)) continue;
			for (const folder of foldersUp(dirname(path))) {
				if (folder.length <= cwd.length) break;
				addTo(folders, folder, MAX_FOLDERS);
			}
		}
	}

	/** The folders below the working folder in which agents of a session have touched something. */
	foldersBelow({ session_id }: HookEvent): readonly string[] {
		return [...this.#sessionOf(session_id).folders];
	}

	/** The path of a private file that the agent of an event has touched, also in an earlier process of the session. */
	async among(kept: Kept, event: HookEvent): Promise<string | undefined> {
		const session = this.#sessionOf(event.session_id);
		session.searched ??= this.#search(event);
		await session.searched;
		// A fork has all that the main thread has.
		for (const agent of event.agent_type === FORK ? [event.agent_id, ''] : [event.agent_id]) {
			const touched = session.touched.get(agent);
			if (touched === undefined) continue;
			await this.#look(touched);
			for (const [place, path] of kept) {
				const name = this.#nameOf(place);
				const same = touched.named.get(name);
				if (same !== undefined) await this.#resolve(same, touched.places);
				touched.named.delete(name);
				if (touched.places.has(place)) return path;
			}
		}
		return undefined;
	}

	/** To resolve each path of a long session takes many seconds; to tell the links among them does not. */
	async #look({ paths, places, named }: Touched): Promise<void> {
		const looked = [...paths].map(async (path) => {
			const stats = await this.#options.system
				.answers(path)
				.then(() => fs.lstat(path))
				.catch(() => undefined);
			if (stats?.isSymbolicLink() === true) {
				await this.#resolve([path], places);
			} else {
				const name = this.#nameOf(path);
				const same = named.get(name) ?? new Set();
				addTo(same, path, MAX_FILES);
				named.set(name, same);
			}
			paths.delete(path);
		});
		await Promise.all(looked);
	}

	async #resolve(paths: Iterable<string>, places: Set<string>): Promise<void> {
		const resolved = [...paths].map(async (path) => addTo(places, await this.#placeOf(path), MAX_FILES));
		await Promise.all(resolved);
	}

	#nameOf(path: string): string {
		return fold(basename(path), this.#options.platform);
	}

	async #search(event: HookEvent): Promise<void> {
		const { transcript_path } = event;
		if (transcript_path === '') return;
		const isThere = await fs.stat(transcript_path).catch(() => undefined);
		const transcripts = isThere ? [transcript_path] : await forkedFrom(transcript_path, await this.#commandLine());
		const found = await Promise.all(transcripts.map(touchedIn));
		const paths = found.flat().map(({ path, cwd }) => absolute(path, cwd || event.cwd, this.#options.home));
		const newest = [...new Set(paths.reverse())].slice(0, MAX_FILES);
		this.note({ ...event, agent_id: '' }, newest.reverse());
	}

	#sessionOf(id: string): Session {
		const session = this.#sessions.get(id) ?? { touched: new Map(), folders: new Set() };
		this.#sessions.set(id, session);
		return session;
	}
}

function addTo(files: Set<string>, file: string, most: number): void {
	files.delete(file);
	files.add(file);
	if (files.size <= most) return;
	const [oldest = ''] = files;
	files.delete(oldest);
}
