import { basename, dirname } from 'node:path';
import { configFolder, managedFolder, ownFolder } from '../claude-code/folders.ts';
import { type HookEvent, parseInput } from '../claude-code/hooks.ts';
import { absolute, foldersUp, type Import, importsOf, isPromptFile } from '../claude-code/instructions.ts';
import { bodiesOf, type PromptPlaces, skillsOf, withArguments } from '../claude-code/prompt-files.ts';
import { commandsIn, mentionsIn, withoutCode } from '../claude-code/references.ts';
import { AGENT_TOOLS, SKILL, shellOf } from '../claude-code/tools.ts';
import { pathOfCall, touchedBy } from '../claude-code/touched-paths.ts';
import type { Entries, Entry } from '../context-map/parse.ts';
import type { FileSystem, Links } from '../paths/file-system.ts';
import { fold } from '../paths/fold.ts';
import type { Place } from '../paths/place.ts';
import { type Kept, TouchedFiles } from './touched-files.ts';

/** In milliseconds: so long it is taken for granted where the links in a path of the map lead. */
const LINKS_LIFETIME_MS = 5_000;

export interface AttachmentsOptions extends Omit<Place, 'cwd'> {
	readonly system: Pick<FileSystem, 'realPath' | 'placeOf' | 'isFolder' | 'answers'>;
	/** A clock that is never set back, in milliseconds. */
	readonly now: () => number;
}

/**
 * Private files that Claude Code would put into a request by itself, without a tool: those that it remembers because an
 * agent touched them before they were private, those behind an `@`, and those that skills and instructions hold.
 */
export class Attachments {
	readonly #map: { readonly file: string; resolve(entry: Entry): string };
	readonly #options: AttachmentsOptions;
	readonly #config: string;
	readonly #touched: TouchedFiles;
	/** By session, the file of instructions in which an import was found: Claude Code keeps what it has loaded. */
	readonly #importers = new Map<string, string>();
	/** By path of the map, where it leads. */
	#places = new Map<string, Promise<string | undefined>>();
	#since = Number.NEGATIVE_INFINITY;

	/** @param commandLine that of Claude Code */
	constructor(
		map: { readonly file: string; resolve(entry: Entry): string },
		options: AttachmentsOptions,
		commandLine?: () => Promise<readonly string[]>,
	) {
		this.#map = map;
		this.#options = options;
		this.#config = configFolder(options.environment, options.home);
		this.#touched = new TouchedFiles(options, (path) => this.#placeOf(path), commandLine);
	}

	/**
	 * @param entries of the map as it is now
	 * @returns what to do about a private file that the event brings into a request; undefined if it brings none
	 */
	async check(event: HookEvent, entries: Entries): Promise<string | undefined> {
		if (entries.size === 0) return undefined;
		// Instructions and skills are looked for there.
		await this.#options.system.answers(event.cwd);
		switch (event.hook_event_name) {
			case 'PreToolUse':
				return await this.#beforeTool(event, await this.#kept(entries));
			case 'UserPromptSubmit':
				return await this.#beforePrompt(event, await this.#kept(entries));
			case 'UserPromptExpansion':
				return await this.#beforeExpansion(event, await this.#kept(entries));
			case 'PostToolBatch':
			case 'PreCompact':
				return await this.#touchedBefore(event, await this.#kept(entries));
			default:
				return undefined;
		}
	}

	/** What Claude Code remembers of a call if it is let pass. What is private already, only who may have it gets. */
	async touchedBy(event: HookEvent, entries: Entries): Promise<readonly string[]> {
		const paths = this.#absolute(touchedBy(event.tool_name, parseInput(event.tool_input)), event);
		const isPrivate = entries.size > 0 && (await this.#isAnyOf(paths, await this.#kept(entries)));
		return isPrivate ? [] : paths;
	}

	/** A call was let pass. @param touched absolute */
	note(event: HookEvent, touched: readonly string[]): void {
		this.#touched.note(event, touched);
	}

	/** What would come along with a call, now or in a later prompt. */
	async #beforeTool(event: HookEvent, kept: Kept): Promise<string | undefined> {
		const { tool_name } = event;
		const input = parseInput(event.tool_input);
		if (tool_name === SKILL) {
			const [name, args] = [input.skill ?? input.command, input.args].map((value) =>
				typeof value === 'string' ? value : '',
			);
			return (await this.#holdBodies([name ?? ''], args ?? '', event, kept)) ? IN_BODY : undefined;
		}
		if (AGENT_TOOLS.includes(tool_name) && typeof input.subagent_type === 'string') {
			const names = await skillsOf(input.subagent_type, this.#promptPlaces(event));
			return (await this.#holdBodies(names, '', event, kept)) ? IN_BODY : undefined;
		}
		const [path] = this.#absolute([pathOfCall(tool_name, input) ?? ''].filter(Boolean), event);
		if (path === undefined) return undefined;
		if (await this.#makesPrompt(path, input, event, kept)) return WRITTEN;
		const project = new Set(foldersUp(event.cwd));
		const entered = foldersUp(dirname(path)).filter((folder) => !project.has(folder));
		return (await this.#importOf(entered, [], kept)) === undefined ? undefined : ENTERED;
	}

	async #beforePrompt(event: HookEvent, kept: Kept): Promise<string | undefined> {
		const mentioned = this.#absolute(mentionsIn(event.prompt), event);
		if (await this.#isAnyOf(mentioned, kept)) return MENTIONED;
		this.#touched.note(event, mentioned);
		const project = this.#options.environment.CLAUDE_PROJECT_DIR || event.cwd;
		const managed = managedFolder(this.#options.platform);
		const own = [this.#config, managed, ownFolder(managed)];
		const folders = new Set([event.cwd, project].flatMap(foldersUp));
		const importer = this.#importers.get(event.session_id) ?? (await this.#importOf([...folders], own, kept))?.importer;
		if (importer !== undefined) {
			this.#importers.set(event.session_id, importer);
			return `${IMPORTED} It stands in ${importer}.`;
		}
		return await this.#touchedBefore(event, kept);
	}

	/** A skill or a command that the person types. */
	async #beforeExpansion(event: HookEvent, kept: Kept): Promise<string | undefined> {
		if (await this.#isAnyOf(this.#absolute(mentionsIn(event.prompt), event), kept)) return MENTIONED;
		return (await this.#holdBodies([event.command_name], event.command_args, event, kept)) ? TYPED : undefined;
	}

	/** Files that an agent touched before they were private. */
	async #touchedBefore(event: HookEvent, kept: Kept): Promise<string | undefined> {
		const path = await this.#touched.among(kept, event);
		return path && `${TOUCHED} It is ${path}.`;
	}

	/** Whether a call writes a private file into what becomes a prompt later. */
	async #makesPrompt(path: string, input: Record<string, unknown>, event: HookEvent, kept: Kept): Promise<boolean> {
		if (!isPromptFile(path, this.#config)) return false;
		const edits = Array.isArray(input.edits) ? (input.edits as { new_string?: unknown }[]) : [];
		const texts = [input.content, input.new_string, ...edits.map((edit) => edit?.new_string)];
		const text = texts.filter((each) => typeof each === 'string').join('\n');
		const mentioned = mentionsIn(basename(path) === 'SKILL.md' ? text : withoutCode(text));
		const here = this.#absolute(mentioned, { cwd: dirname(path) });
		if (await this.#isAnyOf([...here, ...this.#absolute(mentioned, event)], kept)) return true;
		return await this.#runsPrivate(text, event, kept);
	}

	async #holdBodies(names: readonly string[], args: string, event: HookEvent, kept: Kept): Promise<boolean> {
		const places = this.#promptPlaces(event);
		const bodies = (await Promise.all(names.map((name) => bodiesOf(name, places)))).flat();
		for (const body of bodies) {
			const text = withArguments(body, args);
			if (await this.#isAnyOf([body.file, ...this.#absolute(mentionsIn(text), event)], kept)) return true;
			if (await this.#runsPrivate(text, event, kept)) return true;
		}
		return false;
	}

	/** Whether a body has a command that reads a private file. */
	async #runsPrivate(body: string, { cwd }: HookEvent, kept: Kept): Promise<boolean> {
		const commands = commandsIn(body);
		if (commands.length === 0) return false;
		const { reachedBy } = await import('../paths/reached-by.ts');
		const paths = [...kept.values()].map((path) => ({ path, isFolder: false }));
		const links: Links = new Map();
		const realPath = (path: string) => this.#options.system.realPath(path, links);
		const looked = commands.map((command) =>
			reachedBy(shellOf(this.#options.platform), { command }, paths, { ...this.#options, cwd }, realPath),
		);
		return (await Promise.all(looked)).some((reached) => reached !== undefined);
	}

	/** An import of a private file in files of instructions. */
	async #importOf(folders: readonly string[], own: readonly string[], kept: Kept): Promise<Import | undefined> {
		for (const found of await importsOf(folders, own, this.#options.home)) {
			if (await this.#isAnyOf([found.path], kept)) return found;
		}
		return undefined;
	}

	/** The map, and the files that it names: also an agent that may have one gets it by `load_context` alone. */
	async #kept(entries: Entries): Promise<Kept> {
		const now = this.#options.now();
		if (now - this.#since > LINKS_LIFETIME_MS) {
			this.#places = new Map();
			this.#since = now;
		}
		const paths = [this.#map.file, ...[...entries.values()].map((entry) => this.#map.resolve(entry))];
		const placed = paths.map(async (path) => {
			const place = this.#places.get(path) ?? this.#fileAt(path);
			this.#places.set(path, place);
			return [await place, path] as const;
		});
		return new Map((await Promise.all(placed)).filter((pair): pair is [string, string] => pair[0] !== undefined));
	}

	/** Where a path of the map leads; undefined for a folder: of one, no more than names is attached. */
	async #fileAt(path: string): Promise<string | undefined> {
		const { system, platform } = this.#options;
		const isFolder = !/\.md$/i.test(path) && (await system.isFolder(path));
		return isFolder ? undefined : fold(await system.placeOf(path), platform);
	}

	async #isAnyOf(paths: readonly string[], kept: Kept): Promise<boolean> {
		const places = await Promise.all(paths.map((path) => this.#placeOf(path)));
		return places.some((place) => kept.has(place));
	}

	async #placeOf(path: string): Promise<string> {
		return fold(await this.#options.system.realPath(path, new Map()), this.#options.platform);
	}

	#promptPlaces(event: HookEvent): PromptPlaces {
		const folders = [...foldersUp(event.cwd), ...this.#touched.foldersBelow(event)];
		return { folders, config: this.#config };
	}

	#absolute(paths: readonly string[], { cwd }: Pick<HookEvent, 'cwd'>): string[] {
		return paths.map((path) => absolute(path, cwd, this.#options.home));
	}
}

const TOUCHED =
	'Start a new session (/clear begins one too): this one worked with the file before it was private, so Claude Code would show it what is in it now, with the next prompt or after a compaction.';

const MENTIONED =
	'Write the name without the @, or let Claude start the agent that may load it: behind an @, Claude Code puts the whole file into the prompt.';

const IMPORTED =
	'Take it out of the instructions (a name without the @ is no import), then start a new session (/clear begins one too).';

const ENTERED =
	'Leave that folder alone, and tell the user: its instructions (CLAUDE.md or rules) import a private file, and would be loaded with this file.';

const WRITTEN =
	'Write the text without the @ or the command in front of that path: this file becomes part of prompts, with the private file in it. Its name alone does nothing.';

const IN_BODY =
	'Do without this skill, and tell the user: its text brings a private file along, by an @ or by a command that is run first. Its name alone would do nothing.';

const TYPED =
	'Take the private file out of the text of that skill or command, where it stands behind an @ or in a command that is run first. Its name alone does nothing.';
