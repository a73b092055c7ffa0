import { promises as fs } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Entries, Entry } from '../context-map/parse.ts';
import type { Place, ProtectedPath } from '../protection/place.ts';
import type { Target } from '../protection/targets.ts';
import type { LoadRecord } from '../session-state/load-records.ts';
import type { HookEvent } from './hook.ts';
import { mappedFiles, sessionFolder, writtenDown } from './protected-files.ts';

export interface FileProtectionOptions extends Omit<Place, 'cwd'> {
	/** Where Claude Code keeps the outputs of tasks. */
	readonly taskFolders: readonly string[];
	/** A clock that is never set back, in milliseconds. */
	readonly now: () => number;
}

/** In milliseconds: so long it is taken for granted where the links in a protected path lead. */
const LINKS_LAST = 5_000;

/** Which tool calls would get at private files, or at what Claude Code has written down of them. */
export class FileProtection {
	readonly #map: { readonly file: string; resolve(entry: Entry): string };
	readonly #options: FileProtectionOptions;
	#targets = new Map<string, Target>();
	#since = Number.NEGATIVE_INFINITY;

	constructor(map: { readonly file: string; resolve(entry: Entry): string }, options: FileProtectionOptions) {
		this.#map = map;
		this.#options = options;
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
		const prepare = this.#remembering((path) => targetOf(path, place));
		const agent = event.agent_type === '' ? undefined : event.agent_type;
		const paths = [
			...mappedFiles(this.#map, entries, agent),
			...records.flatMap((record) => writtenDown(record, this.#options.taskFolders)),
			...(await spilledResults(event.tool_input, records)),
		];
		const links = await linksInReach(
			event,
			place,
			(path) => reachedBy('Read', { path }, paths, place, prepare) !== undefined,
		);
		return reachedBy(event.tool_name, input, [...paths, ...links], place, prepare) !== undefined;
	}

	/** Remembers for a while how paths were made ready to be compared. */
	#remembering(prepare: (path: ProtectedPath) => Target): (path: ProtectedPath) => Target {
		const now = this.#options.now();
		if (now - this.#since > LINKS_LAST) {
			this.#targets = new Map();
			this.#since = now;
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
 * Links that a wildcard can stand for, or that a recursive read follows, which lead to what is protected: in the working
 * folder, and in the folders that the call names before a wildcard. A path that a call names is resolved anyhow.
 */
async function linksInReach(
	{ cwd, tool_input }: HookEvent,
	{ home }: Place,
	isProtected: (path: string) => boolean,
): Promise<ProtectedPath[]> {
	if (!/[*?[{]|\s-\w*[RLH]|--dereference|--follow/.test(tool_input.replace(/^\{/, ''))) return [];
	const words = tool_input.split(/[\s"'`;|&()<>=]+|\\[nt"]/).filter((word) => /[*?[{]/.test(word));
	const named = words.map((word) => word.slice(0, word.search(/[*?[{]/))).filter((word) => word.includes('/'));
	const folders = named.map((word) => resolve(cwd, word.replace(/^~(?=\/)/, home).replace(/[^/]*$/, '')));
	const found = [...new Set([cwd, ...folders])].slice(0, FOLDERS).map(async (folder) => {
		const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
		const links = entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(folder, name));
		return links.filter(isProtected).map((path) => ({ path, isFolder: false }));
	});
	return (await Promise.all(found)).flat();
}

/**
 * The files that results of private agents' tools were written to because they are long. They lie beside those of
 * everybody else in the session; an agent's own are named in its transcript.
 */
async function spilledResults(toolInput: string, records: readonly LoadRecord[]): Promise<ProtectedPath[]> {
	const concerned = records.filter(
		({ agent, session }) => agent !== '' && (toolInput.includes('tool-results') || toolInput.includes(session)),
	);
	const found = concerned.map(async ({ agent, transcript }) => {
		const folder = join(sessionFolder(transcript), 'tool-results');
		const names = await fs.readdir(folder).catch(() => []);
		if (names.length === 0) return [];
		const own = join(dirname(folder), 'subagents', `agent-${agent}.jsonl`);
		const said = await fs.readFile(own, 'utf8').catch(() => undefined);
		// Where it can't be read, all of them may be the agent's.
		return names
			.filter((name) => said === undefined || said.includes(name.replace(/\.\w+$/, '')))
			.map((name) => ({ path: join(folder, name), isFolder: false }));
	});
	return (await Promise.all(found)).flat();
}
