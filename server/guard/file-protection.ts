import { promises as fs } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Entries, Entry } from '../context-map/parse.ts';
import type { Place, ProtectedPath } from '../protection/place.ts';
import type { Target } from '../protection/targets.ts';
import type { LoadRecord } from '../session-state/load-records.ts';
import type { HookEvent } from './hook.ts';
import { type Look, lookAhead, namedPaths } from './look-ahead.ts';
import { mappedFiles, sessionFolder, transcriptOf, writtenDown } from './protected-files.ts';
import { SessionPlaces } from './session-places.ts';

export interface FileProtectionOptions extends Omit<Place, 'cwd'> {
	/** Where Claude Code keeps the outputs of tasks. */
	readonly taskFolders: readonly string[];
	/** A clock that is never set back, in milliseconds. */
	readonly now: () => number;
	/** By default asks the file system. */
	readonly look?: Look;
}

/** In milliseconds: so long it is taken for granted where the links in a protected path lead. */
const LINKS_LAST = 5_000;

/** Which tool calls would get at private files, or at what Claude Code has written down of them. */
export class FileProtection {
	readonly #map: { readonly file: string; resolve(entry: Entry): string };
	readonly #options: FileProtectionOptions;
	readonly #places: SessionPlaces;
	#targets = new Map<string, Target>();
	#since = Number.NEGATIVE_INFINITY;

	constructor(map: { readonly file: string; resolve(entry: Entry): string }, options: FileProtectionOptions) {
		this.#map = map;
		this.#options = options;
		this.#places = new SessionPlaces(options.now);
	}

	/** @param records the agents that have loaded private context, in any session */
	async isReachedBy(
		event: HookEvent,
		input: unknown,
		entries: Entries,
		records: readonly LoadRecord[],
	): Promise<boolean> {
		// No part of a start.
		const { reachedBy, targetOf } = await import('../protection/reached-by.ts');
		const place = { ...this.#options, cwd: event.cwd };
		const agent = event.agent_type === '' ? undefined : event.agent_type;
		const mapped = mappedFiles(this.#map, entries, agent);
		const named = namedPaths(event.tool_input, event.cwd, place.home);
		const unresolved = this.#isStale ? mapped.map(({ path }) => path) : [];
		await lookAhead([event.cwd, ...named, ...unresolved], this.#options.look);
		const prepare = this.#remembering((path) => targetOf(path, place));
		const placed = await Promise.all(records.map((record) => this.#places.of(record)));
		const links = await linksInReach(event, place);
		const reaches = (paths: readonly ProtectedPath[]) => {
			const leadsThere = (link: ProtectedPath) =>
				reachedBy('Read', { path: link.path }, paths, place, prepare) !== undefined;
			const all = [...paths, ...links.filter(leadsThere)];
			return reachedBy(event.tool_name, input, all, place, prepare) !== undefined;
		};
		const paths = [...mapped, ...placed.flatMap((record) => writtenDown(record, this.#options.taskFolders))];
		if (reaches(paths)) return true;
		const outputs = await toolOutputs(event, placed, this.#options.taskFolders);
		// Looking whose they are takes time, and nearly no call is near them.
		return reaches(outputs.map(({ folder }) => folder)) && reaches(await filesOf(outputs));
	}

	get #isStale(): boolean {
		return this.#options.now() - this.#since > LINKS_LAST;
	}

	/** Remembers for a while how paths were made ready to be compared. */
	#remembering(prepare: (path: ProtectedPath) => Target): (path: ProtectedPath) => Target {
		if (this.#isStale) {
			this.#targets = new Map();
			this.#since = this.#options.now();
		}
		return (path) => {
			const target = this.#targets.get(path.path) ?? prepare(path);
			this.#targets.set(path.path, target);
			return target;
		};
	}
}

/** How many folders are looked through for one call. */
const FOLDERS = 20;

/**
 * Links that a wildcard can stand for, or that a recursive read follows: in the working folder, and in the folders that
 * the call names before a wildcard. A path that a call names is resolved anyhow.
 */
async function linksInReach({ cwd, tool_input }: HookEvent, { home }: Place): Promise<ProtectedPath[]> {
	if (!/[*?[{]|\s-\w*[RLH]|--dereference|--follow/.test(tool_input.replace(/^\{/, ''))) return [];
	const words = tool_input.split(/[\s"'`;|&()<>=]+|\\[nt"]/).filter((word) => /[*?[{]/.test(word));
	const named = words.map((word) => word.slice(0, word.search(/[*?[{]/))).filter((word) => word.includes('/'));
	const folders = named.map((word) => resolve(cwd, word.replace(/^~(?=\/)/, home).replace(/[^/]*$/, '')));
	const found = [...new Set([cwd, ...folders])].slice(0, FOLDERS).map(async (folder) => {
		const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
		const links = entries.filter((entry) => entry.isSymbolicLink());
		return links.map(({ name }) => ({ path: join(folder, name), isFolder: false }));
	});
	return (await Promise.all(found)).flat();
}

/** What a call names where it can be about what tools of agents have written: by name, by a wildcard, or by its session. */
const WRITTEN = /tool-results|tasks|[*?[{]/;

/** A folder in which tools of a private agent, and of everybody else in its session, have written. */
interface ToolOutputs {
	readonly folder: ProtectedPath;
	/** Of the agent. */
	readonly transcript: string;
}

/** Where private agents' tools have written: results because they are long, and what commands in the background say. */
async function toolOutputs(
	{ tool_input, cwd, agent_id, session_id }: HookEvent,
	records: readonly LoadRecord[],
	taskFolders: readonly string[],
): Promise<ToolOutputs[]> {
	const named = `${tool_input.replace(/^\{/, '')}\n${cwd}`;
	const isOwn = ({ agent, session }: LoadRecord) => agent === agent_id && (agent !== '' || session === session_id);
	const concerned = records.filter(
		(record) => !isOwn(record) && (record.agent === '' || WRITTEN.test(named) || named.includes(record.session)),
	);
	if (concerned.length === 0) return [];
	const projects = (await Promise.all(taskFolders.map(entriesOf))).flat();
	return concerned.flatMap((record) => {
		const folders = [
			join(sessionFolder(record.transcript), 'tool-results'),
			...projects.map((project) => join(project, record.session, 'tasks')),
		];
		return folders.map((path) => ({ folder: { path, isFolder: true }, transcript: transcriptOf(record) }));
	});
}

/** The files among them that are the agents' own: those are named in their transcripts. */
async function filesOf(outputs: readonly ToolOutputs[]): Promise<ProtectedPath[]> {
	const found = outputs.map(async ({ folder, transcript }) => {
		const files = await entriesOf(folder.path);
		if (files.length === 0) return [];
		const said = await fs.readFile(transcript, 'utf8').catch(() => undefined);
		// Where it can't be read, all of them may be the agent's.
		return files
			.filter((file) => said === undefined || said.includes(basename(file).replace(/\.\w+$/, '')))
			.map((path) => ({ path, isFolder: false }));
	});
	return (await Promise.all(found)).flat();
}

/** The paths of what is in a folder; none where it can't be read. */
async function entriesOf(folder: string): Promise<string[]> {
	const names = await fs.readdir(folder).catch(() => []);
	return names.map((name) => join(folder, name));
}
