import { basename, dirname, join, sep } from 'node:path';
import { type AgentRecord, sessionFolder } from './session-files.ts';
import { LOAD_CONTEXT } from './tools.ts';

/** Where Claude Code writes the files of a session, except the outputs of tasks. */
export interface TraceFolders {
	readonly folders: readonly string[];
	/** Folders in which links to folders are followed. */
	readonly linked: readonly string[];
	/** Folders that are not cleaned. */
	readonly except: readonly string[];
}

/** Data of plugins and hooks, copies of the person's files for a rewind, and the task list: not cleaned. */
const EXCLUDED_FOLDERS = ['plugins', 'session-env', 'file-history', 'tasks'];

/** @param transcript of the main thread: `<config>/projects/<project>/<session>.jsonl` */
export function traceFoldersOf(transcript: string): TraceFolders {
	const projects = dirname(dirname(transcript));
	if (basename(projects) !== 'projects') return { folders: [sessionFolder(transcript)], linked: [], except: [] };
	const config = dirname(projects);
	return { folders: [config], linked: [projects], except: EXCLUDED_FOLDERS.map((name) => join(config, name)) };
}

/** The name in the paths of all files that are an agent's own: its id; for the main agent, the session's id. */
export function ownName({ session, agent }: Pick<AgentRecord, 'session' | 'agent'>): string {
	return agent === '' ? session : agent;
}

/** The id of the subagent whose transcript a file is. */
export function agentOfTranscript(path: string): string | undefined {
	return /^agent-([\w-]+)\.jsonl$/.exec(basename(path))?.[1];
}

/** Whether a file is in a folder of a session, where the outputs of its agents' tools are. */
export function isInFolderOf(session: string, path: string): boolean {
	return path.includes(`${sep}${session}${sep}`);
}

/** Whether a file is a picture or a PDF. Its bytes can contain a short name by chance. */
export function isPicture(path: string): boolean {
	return /\.(?:png|jpe?g|gif|webp|pdf)$/i.test(path);
}

/** Whether a file is a transcript of a session: of its main thread or of a subagent. */
export function isTranscriptOf(session: string, path: string): boolean {
	if (!path.endsWith('.jsonl')) return false;
	return (
		basename(path) === `${session}.jsonl` || (isInFolderOf(session, path) && agentOfTranscript(path) !== undefined)
	);
}

/** The names of the outputs that a tool writes by a line of a transcript. */
export function outputsIn(line: string, names: ReadonlySet<string>): string[] {
	if (!line.includes('"tool_result"')) return [];
	const said = [...line.matchAll(/(?:saved|written) to:? ([^"\n]*)/g)].flatMap(
		([, path = '']) => path.match(/[\w-]+/g) ?? [],
	);
	return said.filter((word) => names.has(word));
}

/** How long a command can run before a transcript names its output. */
export const LONGEST_COMMAND_MS = 10 * 60 * 1_000;

/** The name of a tool's output file in transcripts. */
export function outputName(path: string): string {
	return basename(path).replace(/\.\w+$/, '');
}

/** An agent's loads, by its transcript. */
export class LoadsInTranscript {
	/** The ids of the calls. A copy of the conversation has the same ids. */
	readonly ids = new Set<string>();
	readonly texts: string[] = [];

	read(line: Buffer): void {
		if (!line.includes(LOAD_CONTEXT) && ![...this.ids].some((id) => line.includes(id))) return;
		for (const block of blocksOf(line.toString())) {
			if (block.type === 'tool_use' && block.name === LOAD_CONTEXT) this.ids.add(String(block.id));
			if (block.type !== 'tool_result' || block.is_error === true || !this.ids.has(String(block.tool_use_id))) continue;
			const parts = typeof block.content === 'string' ? [{ text: block.content }] : block.content;
			for (const { text } of Array.isArray(parts) ? parts.map(Object) : []) {
				if (typeof text === 'string') this.texts.push(text);
			}
		}
	}
}

interface Block {
	readonly type?: unknown;
	readonly id?: unknown;
	readonly name?: unknown;
	readonly tool_use_id?: unknown;
	readonly is_error?: unknown;
	readonly content?: unknown;
}

function blocksOf(line: string): Block[] {
	try {
		const { content } = (JSON.parse(line) as { message?: { content?: unknown } }).message ?? {};
		return Array.isArray(content) ? content.map(Object) : [];
	} catch {
		return []; // The line is still being written.
	}
}
