import { closeSync, openSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Remembered } from '../claude-code/session-files.ts';
import { transcriptOf } from '../claude-code/session-files.ts';
import {
	agentOfTranscript,
	isInFolderOf,
	isPicture,
	isTranscriptOf,
	LONGEST_COMMAND_MS,
	LoadsInTranscript,
	outputName,
	outputsIn,
	ownName,
	placesOf,
} from '../claude-code/written-files.ts';
import { changedFiles } from './changed-files.ts';
import { type CleanedFile, cleanFile } from './clean-file.ts';
import { isRemoved, TextCleaner } from './clean-text.ts';
import { linesOf } from './lines.ts';

/** What to look for, and where. */
export interface Look {
	/** The agents that have loaded private context. */
	readonly agents: readonly Remembered[];
	/** What they have loaded, as far as it is known. What their transcripts still hold whole is known from there. */
	readonly texts: readonly string[];
	/** Where Claude Code keeps the outputs of tasks. */
	readonly taskFolders: readonly string[];
	/** Files that were not written since then hold nothing. Milliseconds since 1970. */
	readonly since: number;
	/** Absolute paths, of folders with all that is in them, that are left as they are. */
	readonly except: readonly string[];
	/** Paths that stand in many lines and have to stay, such as that of the project. */
	readonly known: readonly string[];
	/** Whether nobody writes any more. Else what may still be written is left for a later look. */
	readonly isFinal: boolean;
}

export interface Looked {
	/** The files that were cleaned. */
	readonly cleaned: readonly string[];
	/** Those that could not be, and the code of the error. */
	readonly failed: readonly { readonly path: string; readonly code: string }[];
	/** Outputs that may be of a command of another agent that still runs. */
	readonly waiting: readonly string[];
}

/**
 * Cleans everything that Claude Code has written of agents. That is, of all files that have changed since:
 *
 * - each whose path names an agent, whole;
 * - each other one in a folder of its session, but for the transcripts of other agents, and for outputs of which another
 *   agent's transcript says that its tool wrote them;
 * - each file that holds what an agent was given when it loaded, whole: a copy of its conversation;
 * - of any other file the lines that name an agent: what others were told of its answer. A subagent that was told
 *   something private so counts as one of the agents.
 */
export async function look({ agents, texts, taskFolders, since, except, known, isFinal }: Look): Promise<Looked> {
	const places = agents.map(({ transcript }) => placesOf(transcript));
	const folders = [...new Set([...places.flatMap((place) => place.folders), ...taskFolders])];
	const linked = [...new Set(places.flatMap((place) => place.linked))];
	const left = [...except, ...places.flatMap((place) => place.except)];
	const files = changedFiles({ folders, linked, except: left }, since).filter((path) => !isPicture(path));
	const loads = new LoadsInTranscript();
	for (const agent of agents) for (const line of linesOfFile(transcriptOf(agent))) loads.read(line);
	const loaded = loads.texts.filter((text) => !isRemoved(text));
	const cleaner = new TextCleaner(
		[...texts, ...loaded],
		[...known, ...folders, ...agents.flatMap(({ transcript }) => namedAfterProject(transcript, taskFolders))],
	);
	const all = (text: string) => cleaner.clean(text);
	const names = new Set(agents.map(ownName));
	const sessions = [...new Set(agents.map(({ session }) => session))];

	const cleaned = new Set<string>();
	const failed = new Map<string, string>();
	const note = (path: string, result: CleanedFile) => {
		if (result === 'cleaned') cleaned.add(path);
		else if (result !== 'unchanged') failed.set(path, result.failed);
		return result === 'cleaned';
	};
	const isOwn = (path: string) => wordsOf(path).some((word) => names.has(word));
	const namesOne = (line: Buffer) => holdsOne(line, names);

	const outputs: string[] = [];
	let others: string[] = [];
	for (const path of files) {
		const isOutput = agentOfTranscript(path) === undefined && sessions.some((session) => isInFolderOf(session, path));
		if (isOwn(path)) note(path, await cleanFile(path, { clean: all }));
		else if (isOutput) outputs.push(path);
		else others.push(path);
	}
	const isOfLoad = (line: Buffer) => holdsOne(line, loads.ids);
	for (const path of others) {
		const isCopy = note(path, await cleanFile(path, { clean: all, concerns: isOfLoad }));
		if (isCopy) note(path, await cleanFile(path, { clean: all }));
	}
	for (let isTold = true; isTold; ) {
		isTold = false;
		for (const path of others) {
			const agent = agentOfTranscript(path);
			const isChanged = note(path, await cleanFile(path, { clean: all, concerns: namesOne }));
			if (!isChanged || agent === undefined) continue;
			names.add(agent);
			note(path, await cleanFile(path, { clean: all }));
			isTold = true;
		}
		others = others.filter((path) => !isOwn(path));
	}
	const repeating: string[] = [];
	for (const path of outputs)
		if ((await cleanFile(path, { clean: all, isDry: true })) !== 'unchanged') repeating.push(path);
	const waiting: string[] = [];
	if (repeating.length > 0) {
		const transcripts = files.filter((path) => sessions.some((session) => isTranscriptOf(session, path)));
		const owners = ownersOf(repeating, transcripts, isOwn, namesOne);
		for (const path of repeating) {
			const owner = owners.get(outputName(path));
			if (owner === 'another') continue;
			if (owner === 'ours' || isFinal || !mayBeWritten(path)) note(path, await cleanFile(path, { clean: all }));
			else waiting.push(path);
		}
	}
	return { cleaned: [...cleaned], failed: [...failed].map(([path, code]) => ({ path, code })), waiting };
}

/** Whose tool has written outputs, by their names, as far as transcripts say it. */
function ownersOf(
	outputs: readonly string[],
	transcripts: readonly string[],
	isOwn: (path: string) => boolean,
	namesOne: (line: Buffer) => boolean,
): ReadonlyMap<string, 'ours' | 'another'> {
	const names = new Set(outputs.map(outputName));
	const owners = new Map<string, 'ours' | 'another'>();
	for (const path of transcripts) {
		const owner = isOwn(path) ? 'ours' : 'another';
		for (const line of linesOfFile(path)) {
			if (owner === 'another' && namesOne(line)) continue;
			if (!line.includes(' to:') && !line.includes(' to ')) continue;
			for (const name of outputsIn(line.toString(), names)) if (owners.get(name) !== 'ours') owners.set(name, owner);
		}
	}
	return owners;
}

function mayBeWritten(path: string): boolean {
	const stats = statSync(path, { throwIfNoEntry: false });
	return stats !== undefined && Date.now() - stats.mtimeMs < LONGEST_COMMAND_MS;
}

/** The folders that Claude Code names after the project's path, in which a person's name can be. */
function namedAfterProject(transcript: string, taskFolders: readonly string[]): string[] {
	const project = dirname(transcript);
	return [project, ...taskFolders.map((folder) => join(folder, basename(project)))];
}

/** Of a path: `…-agent-<id>.json` has the id as a word. */
function wordsOf(path: string): string[] {
	return path.split(/-?agent-|[^\w-]/);
}

/** Few ids are looked for one by one; of many that takes longer than to look each word up. */
function holdsOne(line: Buffer, ids: ReadonlySet<string>): boolean {
	if (ids.size <= 8) return [...ids].some((id) => line.includes(id));
	return wordsOf(line.toString('latin1')).some((word) => ids.has(word));
}

/** None if it can't be read. */
function* linesOfFile(path: string): Generator<Buffer> {
	let file: number;
	try {
		file = openSync(path, 'r');
	} catch {
		return;
	}
	try {
		yield* linesOf(file, 0, Number.POSITIVE_INFINITY);
	} finally {
		closeSync(file);
	}
}
