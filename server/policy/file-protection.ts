import { basename, dirname } from 'node:path';
import type { HookEvent } from '../claude-code/hooks.ts';
import { type AgentRecord, asFile, recordedFiles, recordedFilesOfSubagent } from '../claude-code/session-files.ts';
import { filesOf, namesSessionFiles, taskFile, toolOutputs } from '../claude-code/tool-outputs.ts';
import { COMMAND_TOOLS, TRACKED_FILE_TOOLS } from '../claude-code/tools.ts';
import { TranscriptLocator } from '../claude-code/transcript-locator.ts';
import type { Entry, PrivateContent } from '../context-map/parse.ts';
import type { Evidence } from '../errors.ts';
import type { FileSystem, Links } from '../paths/file-system.ts';
import type { Place, ProtectedPath } from '../paths/place.ts';
import type { Target } from '../paths/targets.ts';
import type { Agents, LoadedFile } from '../record/agents.ts';
import type { Load } from '../record/journal.ts';
import { mayLoad } from './entitlement.ts';
import { leadsTo, linksInReach } from './links.ts';

export interface FileProtectionOptions extends Omit<Place, 'cwd'> {
	readonly environment: NodeJS.ProcessEnv;
	/** Where Claude Code keeps the outputs of tasks. */
	readonly taskFolders: readonly string[];
	/** A monotonic clock, in milliseconds. */
	readonly now: () => number;
	readonly system: Pick<FileSystem, 'realPath' | 'placeOf' | 'isFolder' | 'entriesOf' | 'answers'>;
}

/** How long resolved links in a protected path are remembered. */
const LINKS_LIFETIME_MS = 5_000;

export interface FileProtectionParts {
	readonly map: { readonly file: string; resolve(entry: Entry): string };
	/** The text of a Markdown file, now. @throws BrokerError */
	readonly readMarkdown: (path: string) => Promise<string>;
	readonly files: FileProtectionOptions;
}

/** Checks whether tool calls reach private files, or Claude Code's records of agents that have loaded one. */
export class FileProtection {
	readonly #parts: FileProtectionParts;
	readonly #agents: Agents;
	readonly #transcripts: TranscriptLocator;
	readonly #placesOfLoads = new WeakMap<readonly Load[], readonly ProtectedPath[]>();
	#targets = new Map<string, Target>();
	#since = Number.NEGATIVE_INFINITY;

	constructor(parts: FileProtectionParts, agents: Agents) {
		this.#parts = parts;
		this.#agents = agents;
		this.#transcripts = new TranscriptLocator(parts.files.now);
	}

	/** How a call reaches a protected file, if it does. @param loads the agents that have loaded, in any session */
	async reachedBy(
		event: HookEvent,
		input: unknown,
		content: Pick<PrivateContent, 'entries' | 'paths'>,
		loads: readonly Load[],
	): Promise<Evidence | undefined> {
		const loaded = TRACKED_FILE_TOOLS.includes(event.tool_name) ? [] : await this.#unchanged(event.agent_id);
		const maySee = (other: Pick<Load, 'type'>) => loaded.length > 0 && isSameType(other, event);
		const { map, files: options } = this.#parts;
		const written = [...content.entries.values(), ...content.paths.map((path) => ({ path, agents: undefined }))];
		const mapped = written.map((entry) => map.resolve(entry)).filter((path) => !loaded.includes(path));
		const reaches = await this.#reaches(event, input);
		// An agent that has loaded may search the folder of the map. So may a command: its output is checked.
		const atMap = loaded.length > 0 ? undefined : await reaches([asFile(map.file)]);
		const isSearched = atMap?.how === 'search' && COMMAND_TOOLS.includes(event.tool_name);
		if (atMap && !isSearched) return { ...atMap, kind: 'map' };
		const atPrivate = await reaches(mapped.map(asFile));
		if (atPrivate) return { ...atPrivate, kind: 'private_file' };
		const folders = options.taskFolders;
		// First the folders: most calls do not reach them, and must not cost more the more files are in them.
		const places = [...this.#placesOf(loads), ...placesOf(this.#agents.all(), folders)];
		if (places.length === 0 || !(namesSessionFiles(event) || (await reaches(places)))) return undefined;
		const others = loads.filter((load) => !isOwn(load, event) && !maySee(load));
		const running = [...this.#agents.all()].filter(
			(agent) =>
				agent.id !== event.agent_id && !agent.hasStopped && mayLoad(agent.type, content.entries) && !maySee(agent),
		);
		const launched = running.map(({ id: agent, session, transcript }) => ({ agent, session, transcript }));
		const placed = await this.#transcripts.locate(others);
		const kind = 'written_down';
		const atWritten =
			(await reaches(placed.flatMap((one) => recordedFiles(one, folders)))) ??
			(await reaches(launched.flatMap((one) => recordedFilesOfSubagent(one, folders))));
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
		// Only then, since finding out whose the outputs are is slow.
		const isNear = await reaches(outputs.map(({ folder }) => folder));
		const atOutput = isNear && (await reaches(await filesOf(outputs)));
		return atOutput && { ...atOutput, kind };
	}

	/** Computed once for each list of loads, which can be long. */
	#placesOf(loads: readonly Load[]): readonly ProtectedPath[] {
		const known = this.#placesOfLoads.get(loads) ?? placesOf(loads, this.#parts.files.taskFolders);
		this.#placesOfLoads.set(loads, known);
		return known;
	}

	/** The files that have not changed since the agent got them. It may search their folders. */
	async #unchanged(agent: string): Promise<string[]> {
		const files = this.#agents.filesOf([agent]);
		const isUnchanged = async ({ path, text }: LoadedFile) =>
			(await this.#parts.readMarkdown(path).catch(() => undefined)) === text;
		const unchanged = await Promise.all(files.map(isUnchanged));
		return files.filter((_, index) => unchanged[index]).map(({ path }) => path);
	}

	/** Works out what a call touches. The returned function compares that with lists of paths. */
	async #reaches(
		event: HookEvent,
		input: unknown,
	): Promise<(paths: readonly ProtectedPath[]) => Promise<Omit<Evidence, 'kind'> | undefined>> {
		// Imported here to keep the start fast.
		const { firstReached, resolveTouches, targetOf, touchesOf } = await import('../paths/reached-by.ts');
		const place = { ...this.#parts.files, cwd: event.cwd };
		const { system, platform } = place;
		await system.realPath(event.cwd);
		const links: Links = new Map();
		const touched = touchesOf(event.tool_name, input, place);
		const [call, linked] = await Promise.all([
			resolveTouches(touched, platform, (path) => system.realPath(path, links)),
			linksInReach(event, touched, system),
		]);
		const asTarget = (path: ProtectedPath) => targetOf(path, place, (each) => system.placeOf(each));
		return async (paths) => {
			const targets = await this.#remembered(paths, asTarget);
			const reached = firstReached(call, targets, platform);
			if (reached !== undefined) return evidenceOf(reached, paths[reached.index]);
			if (linked.length === 0) return undefined;
			const indexOf = leadsTo(targets, platform);
			const found = linked.map(({ path, real }) => ({ path, index: indexOf(real) }));
			const leading = found.filter(({ index }) => index !== undefined);
			const ends = await Promise.all(leading.map(({ path }) => targetOf(asFile(path), place, async (same) => same)));
			const byLink = firstReached(call, ends, platform);
			return byLink && evidenceOf({ ...byLink, how: 'link' }, paths[leading[byLink.index]?.index ?? 0]);
		};
	}

	async #remembered(
		paths: readonly ProtectedPath[],
		asTarget: (path: ProtectedPath) => Promise<Target>,
	): Promise<Target[]> {
		const now = this.#parts.files.now();
		if (now - this.#since > LINKS_LIFETIME_MS) {
			this.#targets = new Map();
			this.#since = now;
		}
		const targets = this.#targets;
		const unknown = paths.filter(({ path }) => !targets.has(path));
		await Promise.all(unknown.map(async (path) => targets.set(path.path, await asTarget(path))));
		return paths.map(({ path }) => targets.get(path)).filter((target) => target !== undefined);
	}
}

function evidenceOf({ word, how }: Omit<Evidence, 'kind' | 'path'>, at: ProtectedPath | undefined) {
	return at && { path: at.path, word, how };
}

/** An agent may read its own files. */
function isOwn({ agent, session, type }: Load, { agent_id, session_id, agent_type }: HookEvent): boolean {
	return agent === agent_id && (agent !== '' || (session === session_id && type === agent_type));
}

/** Agents of one type may load the same. */
function isSameType({ type }: Pick<Load, 'type'>, { agent_type }: HookEvent): boolean {
	return type === agent_type;
}

/** The folders of Claude Code's records of agents. */
function placesOf(
	agents: Iterable<Pick<AgentRecord, 'transcript'>>,
	taskFolders: readonly string[],
): readonly ProtectedPath[] {
	const projects = new Set([...agents].map(({ transcript }) => dirname(dirname(transcript))));
	return projects.size === 0 ? [] : [...projects, ...taskFolders].map((path) => ({ path, isFolder: true }));
}
