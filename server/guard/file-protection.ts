import { basename, dirname } from 'node:path';
import type { Entry, PrivateContent } from '../context-map/parse.ts';
import type { Evidence } from '../errors.ts';
import type { Place, ProtectedPath } from '../protection/place.ts';
import type { Target } from '../protection/targets.ts';
import type { LoadRecord } from '../session-state/load-records.ts';
import type { Agents } from './agents.ts';
import type { Answers, LoadedFile } from './answers.ts';
import { mayLoad } from './entitlement.ts';
import type { HookEvent } from './hook.ts';
import { type Link, leadsTo, linksInReach, resolveLinks } from './links.ts';
import { type Look, lookAhead, namedPaths } from './look-ahead.ts';
import { asFile, type Remembered, writtenDown, writtenDownOfAgent } from './protected-files.ts';
import { SessionPlaces } from './session-places.ts';
import { filesOf, taskFile, toolOutputs } from './tool-outputs.ts';

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

	/**
	 * What of a call gets at private files, or at what Claude Code has written down of them.
	 *
	 * @param records the agents that have loaded private context, in any session
	 */
	async reachedBy(
		event: HookEvent,
		input: unknown,
		content: Pick<PrivateContent, 'entries' | 'paths'>,
		records: readonly LoadRecord[],
	): Promise<Evidence | undefined> {
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
		const atPrivate = reaches(paths);
		if (atPrivate) return { ...atPrivate, kind: atPrivate.path === map.file ? 'map' : 'private_file' };
		// Most calls are near nothing of Claude Code's: what they cost does not grow with what it has written down.
		const places = placesOf([...others, ...launched], folders);
		if (places.length === 0 || !(namesWritten(event) || reaches(places))) return undefined;
		const placed = await Promise.all(others.map((record) => this.#places.of(record)));
		const kind = 'written_down';
		const atWritten =
			reaches(placed.flatMap((one) => writtenDown(one, folders))) ??
			reaches(launched.flatMap((one) => writtenDownOfAgent(one, folders)));
		if (atWritten) return { ...atWritten, kind };
		const outputs = [
			...(await toolOutputs(event, placed, folders, true)),
			...(await toolOutputs(event, launched, folders, false)),
		];
		const task = taskFile(event);
		if (task !== undefined) {
			const file = (await filesOf(outputs)).find(({ path }) => basename(path) === task);
			return file && { path: file.path, kind, word: basename(task, '.output'), how: 'named' };
		}
		// Looking whose they are takes time, and nearly no call is near them.
		const atOutput = reaches(outputs.map(({ folder }) => folder)) && reaches(await filesOf(outputs));
		return atOutput && { ...atOutput, kind };
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
	): Promise<(paths: readonly ProtectedPath[]) => Omit<Evidence, 'kind'> | undefined> {
		// No part of a start.
		const { reachedBy, targetOf } = await import('../protection/reached-by.ts');
		const place = { ...this.#parts.files, cwd: event.cwd };
		const named = namedPaths(event.tool_input, event.cwd, place.home);
		const unresolved = this.#isStale ? mapped : [];
		await lookAhead([event.cwd, ...named, ...unresolved], this.#parts.files.look);
		const prepare = this.#remembering((path) => targetOf(path, place));
		const links = await resolveLinks(await linksInReach(event, place), this.#links);
		return (paths) => {
			const canLead = leadsTo(paths.map(prepare), place.platform);
			const found = links.flatMap(({ path, real }: Link) => {
				const at = canLead(real) ? reachedBy('Read', { path }, paths, place, prepare) : undefined;
				return at ? [{ ...asFile(path), leadsTo: at.target.path }] : [];
			});
			const all: (ProtectedPath & { leadsTo?: string })[] = [...paths, ...found];
			const reached = reachedBy(event.tool_name, input, all, place, prepare);
			if (reached === undefined) return undefined;
			const { target, word, how } = reached;
			return { path: target.leadsTo ?? target.path, word, how: target.leadsTo === undefined ? how : 'link' };
		};
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
