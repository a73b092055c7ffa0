import { closeSync, openSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { AgentRecord } from '../claude-code/session-files.ts';
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
	traceFoldersOf,
} from '../claude-code/written-files.ts';
import { changedFiles } from './changed-files.ts';
import { type CleanedFile, cleanFile } from './clean-file.ts';
import { isRemoved, TextCleaner } from './clean-text.ts';
import { linesOf } from './lines.ts';

/** Which private content to remove, and from where. */
export interface TraceScope {
	/** The agents that have loaded private context. */
	readonly agents: readonly AgentRecord[];
	/** The texts that they have loaded, as far as known. Their transcripts are searched for more. */
	readonly texts: readonly string[];
	/** Where Claude Code keeps the outputs of tasks. */
	readonly taskFolders: readonly string[];
	/** Older files contain nothing private, and are skipped. Milliseconds since 1970. */
	readonly since: number;
	/** Absolute paths that are not changed; a folder includes all that is in it. */
	readonly except: readonly string[];
	/** Paths that are in many lines and have to stay, such as the project's. */
	readonly known: readonly string[];
	/** Whether nobody writes files any more. Otherwise, files that may still be written are left for later. */
	readonly isFinal: boolean;
}

export interface CleanedTraces {
	readonly cleaned: readonly string[];
	/** The files that could not be cleaned, with the error's code. */
	readonly failed: readonly { readonly path: string; readonly code: string }[];
	/** Outputs that a running command of another agent may still write. */
	readonly waiting: readonly string[];
}

/**
 * Cleans what Claude Code has written about agents, in all files that have changed since `since`:
 *
 * - a file whose path names an agent: all of it
 * - another file in the session's folder: all of it, except other agents' transcripts, and outputs that another agent's
 *   tool wrote by its transcript
 * - a file with the result of an agent's load, such as a copy of its conversation: all of it
 * - any other file: only the lines that name an agent, since they can repeat its answer. A subagent with such a line in
 *   its transcript then counts as one of the agents.
 */
export async function cleanAgentTraces({
	agents,
	texts,
	taskFolders,
	since,
	except,
	known,
	isFinal,
}: TraceScope): Promise<CleanedTraces> {
	const places = agents.map(({ transcript }) => traceFoldersOf(transcript));
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

/** Whose tool wrote each output, by the output's name, as far as transcripts show it. */
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

/** The folders that Claude Code names after the project's path, which can contain a person's name. */
function namedAfterProject(transcript: string, taskFolders: readonly string[]): string[] {
	const project = dirname(transcript);
	return [project, ...taskFolders.map((folder) => join(folder, basename(project)))];
}

/** The words of a path or a line. In `…-agent-<id>.json` the id is a word. */
function wordsOf(path: string): string[] {
	return path.split(/-?agent-|[^\w-]/);
}

/** For a few ids, searching for each is faster than looking up each word. */
function holdsOne(line: Buffer, ids: ReadonlySet<string>): boolean {
	if (ids.size <= 8) return [...ids].some((id) => line.includes(id));
	return wordsOf(line.toString('latin1')).some((word) => ids.has(word));
}

/** No lines if the file cannot be read. */
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
