import { dirname } from 'node:path';
import { configFolder, managedFolder, ownFolder } from '../claude-code/folders.ts';
import { type HookEvent, parseInput } from '../claude-code/hooks.ts';
import { foldersUp, type Import, importsOf, isPromptFile } from '../claude-code/instructions.ts';
import { bodiesOf, type PromptPlaces, skillsOf, withArguments } from '../claude-code/prompt-files.ts';
import { commandsIn, mentionsIn, withoutCode } from '../claude-code/references.ts';
import { AGENT_TOOLS, SKILL, skillShells } from '../claude-code/tools.ts';
import { pathOfCall, touchedBy } from '../claude-code/touched-paths.ts';
import type { Entries } from '../context-map/parse.ts';
import type { Links } from '../paths/file-system.ts';
import { fold } from '../paths/fold.ts';
import { absolutePath, namesIn } from '../paths/spellings.ts';
import type { FileProtectionOptions } from './file-protection.ts';
import type { PolicyOptions } from './options.ts';
import { type PrivatePaths, TouchedFiles } from './touched-files.ts';

/** How long resolved links in the map's paths are remembered. */
const LINKS_LIFETIME_MS = 5_000;

type AttachmentsOptions = Omit<FileProtectionOptions, 'taskFolders'>;

type MapPaths = Pick<PolicyOptions['map'], 'file' | 'resolve'>;

type Paths = readonly string[];

/**
 * Finds private files that Claude Code itself would put into a request: those that an agent touched before they were
 * private, those behind an `@`, and those in skills and instructions.
 */
export class Attachments {
	readonly #map: MapPaths;
	readonly #options: AttachmentsOptions;
	readonly #config: string;
	readonly #touched: TouchedFiles;
	/** By session, instructions that import a private file. Kept, since Claude Code keeps what it has loaded. */
	readonly #importers = new Map<string, string>();
	#places = new Map<string, Promise<string | undefined>>();
	#since = Number.NEGATIVE_INFINITY;

	constructor(map: MapPaths, options: AttachmentsOptions, commandLine?: () => Promise<readonly string[]>) {
		this.#map = map;
		this.#options = options;
		this.#config = configFolder(options.environment, options.home);
		this.#touched = new TouchedFiles(options, (path) => this.#placeOf(path), commandLine);
	}

	/** @returns the next step if the event would bring a private file into a request */
	async check(event: HookEvent, entries: Entries): Promise<string | undefined> {
		if (entries.size === 0) return undefined;
		// Instructions and skills are searched there, so its file system has to answer.
		await this.#options.system.answers(event.cwd);
		const files = await this.#privateFiles(entries);
		switch (event.hook_event_name) {
			case 'PreToolUse':
				return await this.#beforeTool(event, files);
			case 'UserPromptSubmit':
				return await this.#beforePrompt(event, files);
			case 'UserPromptExpansion':
				return await this.#beforeExpansion(event, files);
			case 'PostToolBatch':
			case 'PreCompact':
				return await this.#touchedBefore(event, files);
			default:
				return undefined;
		}
	}

	/** The paths that Claude Code remembers of an allowed call. None if one is private: then the agent may have it. */
	async touchedBy(event: HookEvent, entries: Entries): Promise<Paths> {
		const paths = this.#absolute(touchedBy(event.tool_name, parseInput(event.tool_input)), event.cwd);
		const isPrivate = entries.size > 0 && (await this.#isAnyOf(paths, await this.#privateFiles(entries)));
		return isPrivate ? [] : paths;
	}

	note(event: HookEvent, touched: Paths): void {
		this.#touched.note(event, touched);
	}

	async #beforeTool(event: HookEvent, files: PrivatePaths): Promise<string | undefined> {
		const { tool_name } = event;
		const input = parseInput(event.tool_input);
		if (tool_name === SKILL) {
			const [name, args] = [input.skill ?? input.command, input.args].map((value) =>
				typeof value === 'string' ? value : '',
			);
			return (await this.#bodiesHold([name ?? ''], args ?? '', event, files)) ? IN_BODY : undefined;
		}
		if (AGENT_TOOLS.includes(tool_name) && typeof input.subagent_type === 'string') {
			const names = await skillsOf(input.subagent_type, this.#promptPlaces(event));
			return (await this.#bodiesHold(names, '', event, files)) ? IN_BODY : undefined;
		}
		const written = pathOfCall(tool_name, input);
		if (written === undefined) return undefined;
		const path = absolutePath(written, event.cwd, this.#options);
		if (await this.#writesIntoPrompt(path, event, files)) return WRITTEN;
		const project = new Set(foldersUp(event.cwd));
		const entered = foldersUp(dirname(path)).filter((folder) => !project.has(folder));
		return (await this.#findImport(entered, [], files)) === undefined ? undefined : ENTERED;
	}

	async #beforePrompt(event: HookEvent, files: PrivatePaths): Promise<string | undefined> {
		const mentioned = this.#absolute(mentionsIn(event.prompt), event.cwd);
		if (await this.#isAnyOf(mentioned, files)) return MENTIONED;
		this.#touched.note(event, mentioned);
		const project = this.#options.environment.CLAUDE_PROJECT_DIR || event.cwd;
		const managed = managedFolder(this.#options.platform);
		const own = [this.#config, managed, ownFolder(managed)];
		const folders = new Set([event.cwd, project].flatMap(foldersUp));
		const known = this.#importers.get(event.session_id);
		const importer = known ?? (await this.#findImport([...folders], own, files))?.importer;
		if (importer === undefined) return await this.#touchedBefore(event, files);
		this.#importers.set(event.session_id, importer);
		return `${IMPORTED} The import is in ${importer}.`;
	}

	/** Before a skill or command that the person types. */
	async #beforeExpansion(event: HookEvent, files: PrivatePaths): Promise<string | undefined> {
		if (await this.#isAnyOf(this.#absolute(mentionsIn(event.prompt), event.cwd), files)) return MENTIONED;
		return (await this.#bodiesHold([event.command_name], event.command_args, event, files)) ? TYPED : undefined;
	}

	async #touchedBefore(event: HookEvent, files: PrivatePaths): Promise<string | undefined> {
		const path = await this.#touched.find(files, event);
		return path && `${TOUCHED} The file is ${path}.`;
	}

	/** Whether a call writes a reference to a private file into a file that becomes a prompt later. */
	async #writesIntoPrompt(path: string, event: HookEvent, files: PrivatePaths): Promise<boolean> {
		const { platform } = this.#options;
		if (!isPromptFile(path, this.#config, platform)) return false;
		const input = parseInput(event.tool_input);
		const edits = Array.isArray(input.edits) ? (input.edits as { new_string?: unknown }[]) : [];
		const texts = [input.content, input.new_string, ...edits.map((edit) => edit?.new_string)];
		const text = texts.filter((each) => typeof each === 'string').join('\n');
		const isSkill = namesIn(path, platform).at(-1) === fold('SKILL.md', platform);
		const mentioned = mentionsIn(isSkill ? text : withoutCode(text));
		const paths = [dirname(path), event.cwd].flatMap((folder) => this.#absolute(mentioned, folder));
		return (await this.#isAnyOf(paths, files)) || (await this.#commandsRead(text, event, files));
	}

	async #bodiesHold(names: readonly string[], args: string, event: HookEvent, files: PrivatePaths): Promise<boolean> {
		const places = this.#promptPlaces(event);
		const bodies = (await Promise.all(names.map((name) => bodiesOf(name, places)))).flat();
		for (const body of bodies) {
			const text = withArguments(body, args);
			if (await this.#isAnyOf([body.file, ...this.#absolute(mentionsIn(text), event.cwd)], files)) return true;
			if (await this.#commandsRead(text, event, files)) return true;
		}
		return false;
	}

	/** Whether a command in a body reads a private file. */
	async #commandsRead(body: string, { cwd }: HookEvent, files: PrivatePaths): Promise<boolean> {
		const commands = commandsIn(body);
		if (commands.length === 0) return false;
		const { reachedBy } = await import('../paths/reached-by.ts');
		const paths = [...files.values()].map((path) => ({ path, isFolder: false }));
		const links: Links = new Map();
		const realPath = (path: string) => this.#options.system.realPath(path, links);
		const shells = skillShells(this.#options.platform);
		const looks = commands.flatMap((command) =>
			shells.map((shell) => reachedBy(shell, { command }, paths, { ...this.#options, cwd }, realPath)),
		);
		return (await Promise.all(looks)).some((reached) => reached !== undefined);
	}

	async #findImport(folders: Paths, own: Paths, files: PrivatePaths): Promise<Import | undefined> {
		for (const found of await importsOf(folders, own, this.#options)) {
			if (await this.#isAnyOf([found.path], files)) return found;
		}
		return undefined;
	}

	/** The map, and the files that it names. Agents that may have a file get it by `load_context` only. */
	async #privateFiles(entries: Entries): Promise<PrivatePaths> {
		const now = this.#options.now();
		if (now - this.#since > LINKS_LIFETIME_MS) {
			this.#places.clear();
			this.#since = now;
		}
		const paths = [this.#map.file, ...[...entries.values()].map((entry) => this.#map.resolve(entry))];
		const files = paths.map(async (path) => {
			const place = this.#places.get(path) ?? this.#fileAt(path);
			this.#places.set(path, place);
			return [await place, path] as const;
		});
		return new Map((await Promise.all(files)).filter((file): file is [string, string] => file[0] !== undefined));
	}

	/** The real path of a path in the map. Undefined for a folder: Claude Code attaches only the names in it. */
	async #fileAt(path: string): Promise<string | undefined> {
		const { system, platform } = this.#options;
		const isFolder = !/\.md$/i.test(path) && (await system.isFolder(path));
		return isFolder ? undefined : namesIn(await system.placeOf(path), platform).join('/');
	}

	async #isAnyOf(paths: Paths, files: PrivatePaths): Promise<boolean> {
		const places = await Promise.all(paths.map((path) => this.#placeOf(path)));
		return places.some((place) => files.has(place));
	}

	async #placeOf(path: string): Promise<string> {
		const real = await this.#options.system.realPath(path, new Map());
		return namesIn(real, this.#options.platform).join('/');
	}

	#promptPlaces(event: HookEvent): PromptPlaces {
		const folders = [...foldersUp(event.cwd), ...this.#touched.foldersBelow(event)];
		return { folders, config: this.#config };
	}

	#absolute(paths: Paths, folder: string): string[] {
		return paths.map((path) => absolutePath(path, folder, this.#options));
	}
}

const TOUCHED =
	'Start a new session, for example with /clear. This one used the file before it was private, so Claude Code would add its present content with the next prompt or after a compaction.';

const MENTIONED =
	'Write the name without the @, or let Claude start the agent that may load it. With the @, Claude Code puts the whole file into the prompt.';

const IMPORTED =
	'Remove it from the instructions (a name without the @ imports nothing), then start a new session, for example with /clear.';

const ENTERED =
	'Stay out of that folder, and tell the user. Its instructions (CLAUDE.md or rules) import a private file, and Claude Code would load them with this file.';

const WRITTEN =
	'Write the text without the @ or the command before that path. This file becomes part of prompts, and would bring the private file with it. The name alone is harmless.';

const IN_BODY =
	'Continue without this skill, and tell the user. Its text includes a private file, with an @ or with a command that runs first. The name alone would be harmless.';

const TYPED =
	'Remove the private file from the text of that skill or command. It is there with an @, or in a command that runs first. The name alone is harmless.';
