import { promises as fs } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Entry, PrivateContent } from '../context-map/parse.ts';
import { foldName } from '../protection/fold.ts';
import type { Place, ProtectedPath } from '../protection/place.ts';
import type { Target } from '../protection/targets.ts';
import type { LoadRecord } from '../session-state/load-records.ts';
import type { Agents } from './agents.ts';
import type { Answers, LoadedFile } from './answers.ts';
import { mayLoad } from './entitlement.ts';
import { type HookEvent, parseInput } from './hook.ts';
import { type Look, lookAhead, namedPaths } from './look-ahead.ts';
import {
	asFile,
	type Remembered,
	sessionFolder,
	transcriptOf,
	writtenDown,
	writtenDownOfAgent,
} from './protected-files.ts';
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

/** What decides which paths are private, and for whom. */
export interface FileProtectionParts {
	readonly map: { readonly file: string; resolve(entry: Entry): string };
	/** The text of a Markdown file, now. @throws BrokerError */
	readonly readMarkdown: (path: string) => Promise<string>;
	readonly files: FileProtectionOptions;
}

/** Which tool calls would get at private files, or at what Claude Code has written down of them. */
export class FileProtection {
	readonly #parts: FileProtectionParts;
	readonly #answers: Answers;
	readonly #agents: Agents;
	readonly #places: SessionPlaces;
	#targets = new Map<string, Target>();
	/** By path. */
	#links = new Map<string, string>();
	#since = Number.NEGATIVE_INFINITY;

	constructor(parts: FileProtectionParts, answers: Answers, agents: Agents) {
		this.#parts = parts;
		this.#answers = answers;
		this.#agents = agents;
		this.#places = new SessionPlaces(parts.files.now);
	}

	/** @param records the agents that have loaded private context, in any session */
	async isReachedBy(
		event: HookEvent,
		input: unknown,
		content: Pick<PrivateContent, 'entries' | 'paths'>,
		records: readonly LoadRecord[],
	): Promise<boolean> {
		const loaded = READING_TOOLS.includes(event.tool_name) ? [] : await this.#unchanged(event.agent_id);
		const maySee = (other: Pick<LoadRecord, 'type'>) => loaded.length > 0 && isSameType(other, event);
		const others = records.filter((record) => !isOwn(record, event) && !maySee(record));
		const running = [...this.#agents.all()].filter(
			(agent) =>
				agent.id !== event.agent_id &&
				// One that has loaded has a record.
				!agent.hasStopped &&
				mayLoad(agent.type, content.entries) &&
				!maySee(agent) &&
				!records.some((record) => record.agent === agent.id),
		);
		const { map, files: options } = this.#parts;
		const written = [...content.entries.values(), ...content.paths.map((path) => ({ path, agents: undefined }))];
		const mapped = written.map((entry) => map.resolve(entry)).filter((path) => !loaded.includes(path));
		// An agent that has loaded searches where the map lies, too.
		const paths = (loaded.length > 0 ? mapped : [map.file, ...mapped]).map(asFile);
		const folders = options.taskFolders;
		const launched = running.map(({ id: agent, session, transcript }) => ({ agent, session, transcript }));
		const reaches = await this.#reaches(event, input, mapped);
		if (reaches(paths)) return true;
		// Most calls are near nothing of Claude Code's: what they cost does not grow with what it has written down.
		const places = placesOf([...others, ...launched], folders);
		if (places.length === 0 || !(namesWritten(event) || reaches(places))) return false;
		const placed = await Promise.all(others.map((record) => this.#places.of(record)));
		if (reaches(placed.flatMap((one) => writtenDown(one, folders)))) return true;
		if (reaches(launched.flatMap((one) => writtenDownOfAgent(one, folders)))) return true;
		const outputs = [
			...(await toolOutputs(event, placed, folders, true)),
			...(await toolOutputs(event, launched, folders, false)),
		];
		const task = taskFile(event);
		if (task !== undefined) return (await filesOf(outputs)).some(({ path }) => basename(path) === task);
		// Looking whose they are takes time, and nearly no call is near them.
		return reaches(outputs.map(({ folder }) => folder)) && reaches(await filesOf(outputs));
	}

	/** The files that an agent has got as they are now: it may search where they lie. */
	async #unchanged(agent: string): Promise<string[]> {
		const files = this.#answers.filesOf([agent]);
		const isUnchanged = async ({ path, text }: LoadedFile) =>
			(await this.#parts.readMarkdown(path).catch(() => undefined)) === text;
		const unchanged = await Promise.all(files.map(isUnchanged));
		return files.filter((_, index) => unchanged[index]).map(({ path }) => path);
	}

	/** @param mapped what is looked at before, since it is resolved in a way that holds up the process */
	async #reaches(
		event: HookEvent,
		input: unknown,
		mapped: readonly string[],
	): Promise<(paths: readonly ProtectedPath[]) => boolean> {
		// No part of a start.
		const { reachedBy, targetOf } = await import('../protection/reached-by.ts');
		const place = { ...this.#parts.files, cwd: event.cwd };
		const named = namedPaths(event.tool_input, event.cwd, place.home);
		const unresolved = this.#isStale ? mapped : [];
		await lookAhead([event.cwd, ...named, ...unresolved], this.#parts.files.look);
		const prepare = this.#remembering((path) => targetOf(path, place));
		const links = await this.#resolved(await linksInReach(event, place));
		return (paths) => {
			const canLead = leadsTo(paths.map(prepare), place.platform);
			const leadsThere = ({ path, real }: Link) =>
				canLead(real) && reachedBy('Read', { path }, paths, place, prepare) !== undefined;
			const found = links.filter(leadsThere).map(({ path }) => asFile(path));
			return reachedBy(event.tool_name, input, [...paths, ...found], place, prepare) !== undefined;
		};
	}

	/** Where links lead, a few at a time. */
	async #resolved(links: readonly string[]): Promise<Link[]> {
		const found: Link[] = [];
		for (let at = 0; at < links.length; at += AT_ONCE) {
			const resolving = links.slice(at, at + AT_ONCE).map(async (path) => {
				const real = this.#links.get(path) ?? (await fs.realpath(path).catch(() => path));
				this.#links.set(path, real);
				return { path, real };
			});
			found.push(...(await Promise.all(resolving)));
		}
		return found;
	}

	get #isStale(): boolean {
		return this.#parts.files.now() - this.#since > LINKS_LAST;
	}

	/** Remembers for a while how paths were made ready to be compared. */
	#remembering(prepare: (path: ProtectedPath) => Target): (path: ProtectedPath) => Target {
		if (this.#isStale) {
			this.#targets = new Map();
			this.#links = new Map();
			this.#since = this.#parts.files.now();
		}
		return (path) => {
			const target = this.#targets.get(path.path) ?? prepare(path);
			this.#targets.set(path.path, target);
			return target;
		};
	}
}

/** Claude Code keeps what these have read, and shows its agent later what was changed in it: nobody needs them. */
const READING_TOOLS = ['Read', 'Edit', 'Write', 'MultiEdit', 'NotebookRead', 'NotebookEdit', 'Skill'];

/** Nobody is guarded from itself. */
function isOwn({ agent, session, type }: LoadRecord, { agent_id, session_id, agent_type }: HookEvent): boolean {
	return agent === agent_id && (agent !== '' || (session === session_id && type === agent_type));
}

/** Agents of one type may have the same. */
function isSameType({ type }: Pick<LoadRecord, 'type'>, { agent_type }: HookEvent): boolean {
	return type === agent_type;
}

/** The file that a tool reads which is given the id of a task. */
function taskFile({ tool_name, tool_input }: HookEvent): string | undefined {
	return tool_name === 'TaskOutput' ? `${parseInput(tool_input).task_id}.output` : undefined;
}

/** How many folders are looked through for one call, how many links in them, and how many of those at once. */
const FOLDERS = 20;
const MAX_LINKS = 5_000;
const AT_ONCE = 64;

/** A symbolic link, and where it leads: absolute. */
interface Link {
	readonly path: string;
	readonly real: string;
}

/** Whether what a link leads to can be one of some targets, or lie in one: by names alone, since links can be many. */
function leadsTo(targets: readonly Target[], platform: NodeJS.Platform): (real: string) => boolean {
	const files = new Set(
		targets.filter(({ isFolder }) => !isFolder).flatMap(({ forms }) => forms.map((form) => form.at(-1))),
	);
	const folders = targets.filter(({ isFolder }) => isFolder).flatMap(({ forms }) => forms);
	return (real) => {
		const parts = real.split(/[/\\]/).map((part) => foldName(part, platform));
		return files.has(parts.at(-1)) || folders.some((form) => parts.includes(form.at(-1) ?? ''));
	};
}

/** What a call names that is about what Claude Code has written down, by the names that it gives. */
function namesWritten(event: HookEvent): boolean {
	return (
		taskFile(event) !== undefined ||
		/agent-|subagents|\.jsonl|\.output|tool-results/.test(`${event.tool_input}${event.cwd}`)
	);
}

/** The folders in which all lies that Claude Code has written down of agents. */
function placesOf(agents: readonly Remembered[], taskFolders: readonly string[]): ProtectedPath[] {
	if (agents.length === 0) return [];
	const projects = agents.map(({ transcript }) => dirname(dirname(transcript)));
	return [...new Set([...projects, ...taskFolders])].map((path) => ({ path, isFolder: true }));
}

/**
 * Links that a wildcard can stand for, or that a recursive read follows: in the working folder, and in the folders that
 * the call names before a wildcard. A path that a call names is resolved anyhow.
 */
async function linksInReach({ cwd, tool_input }: HookEvent, { home }: Place): Promise<string[]> {
	if (!/[*?[{]|\s-\w*[RLH]|--dereference|--follow/.test(tool_input.replace(/^\{/, ''))) return [];
	const words = tool_input.split(/[\s"'`;|&()<>=]+|\\[nt"]/).filter((word) => /[*?[{]/.test(word));
	const named = words.map((word) => word.slice(0, word.search(/[*?[{]/))).filter((word) => word.includes('/'));
	const folders = named.map((word) => resolve(cwd, word.replace(/^~(?=\/)/, home).replace(/[^/]*$/, '')));
	const found = [...new Set([cwd, ...folders])].slice(0, FOLDERS).map(async (folder) => {
		const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
		const links = entries.filter((entry) => entry.isSymbolicLink());
		return links.map(({ name }) => join(folder, name));
	});
	return (await Promise.all(found)).flat().slice(0, MAX_LINKS);
}

/** What a call names where it can be about what tools of agents have written: by name, by a wildcard, or by its session. */
const WRITTEN = /tool-results|tasks|[*?[{]/;

/** A folder in which tools of a private agent, and of everybody else in its session, have written. */
interface ToolOutputs {
	readonly folder: ProtectedPath;
	/** Of the agent. */
	readonly transcript: string;
	/** Whether the agent has loaded: then all of them may be its own if its transcript can't be read. */
	readonly hasLoaded: boolean;
}

/** Where private agents' tools have written: results because they are long, and what commands in the background say. */
async function toolOutputs(
	event: HookEvent,
	records: readonly Remembered[],
	taskFolders: readonly string[],
	hasLoaded: boolean,
): Promise<ToolOutputs[]> {
	const named = `${event.tool_input.replace(/^\{/, '')}\n${event.cwd}`;
	const isNear = taskFile(event) !== undefined || WRITTEN.test(named);
	const concerned = records.filter((record) => record.agent === '' || isNear || named.includes(record.session));
	if (concerned.length === 0) return [];
	const projects = (await Promise.all(taskFolders.map(entriesOf))).flat();
	return concerned.flatMap((record) => {
		const folders = [
			join(sessionFolder(record.transcript), 'tool-results'),
			...projects.map((project) => join(project, record.session, 'tasks')),
		];
		return folders.map((path) => ({ folder: { path, isFolder: true }, transcript: transcriptOf(record), hasLoaded }));
	});
}

/** The files among them that are the agents' own: those are named in their transcripts. */
async function filesOf(outputs: readonly ToolOutputs[]): Promise<ProtectedPath[]> {
	const found = outputs.map(async ({ folder, transcript, hasLoaded }) => {
		const files = await entriesOf(folder.path);
		if (files.length === 0) return [];
		const said = await fs.readFile(transcript, 'utf8').catch(() => undefined);
		const lines = said?.split('\n').filter((line) => line.includes('"tool_result"'));
		const results = lines?.join('\n');
		const isItsOwn = (file: string) => (results === undefined ? hasLoaded : isWrittenBy(results, basename(file)));
		return files.filter(isItsOwn).map(asFile);
	});
	return (await Promise.all(found)).flat();
}

/**
 * Whether the client told an agent that its tool writes into a file. That its transcript names the file is not enough: it
 * can be somebody else's that it was told to look at, even in the client's words.
 *
 * @param results the entries of the transcript that hold what tools gave
 */
function isWrittenBy(results: string, file: string): boolean {
	const name = file.replace(/[^\w-]/g, '\\$&');
	return new RegExp(`(?:saved|written) to:? [^"\\n]*${name}`).test(results);
}

/** The paths of what is in a folder; none where it can't be read. */
async function entriesOf(folder: string): Promise<string[]> {
	const names = await fs.readdir(folder).catch(() => []);
	return names.map((name) => join(folder, name));
}
