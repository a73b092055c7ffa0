import { createReadStream, promises as fs } from 'node:fs';
import { LineSplitter, TooLong } from '../text/line-splitter.ts';
import { POWERSHELL } from './tools.ts';

/** Tools with the path of one file, and the field of the path. Claude Code remembers the file, and watches it. */
const PATH_FIELDS: Readonly<Record<string, string>> = {
	...{ Read: 'file_path', Write: 'file_path', Edit: 'file_path', MultiEdit: 'file_path' },
	...{ NotebookRead: 'notebook_path', NotebookEdit: 'notebook_path' },
};

/** Tools with a command. Claude Code remembers a file that `cat` or, in 2.1.332, `grep` shows (measured). */
const SHELL_TOOLS = ['Bash', POWERSHELL];

/** Words of a command that count as paths. */
const MAX_WORDS = 100;

export function pathOfCall(tool: string, input: unknown): string | undefined {
	const path = (input as Readonly<Record<string, unknown>> | null)?.[PATH_FIELDS[tool] ?? ''];
	return typeof path === 'string' && path !== '' ? path : undefined;
}

/** The paths, as written, that Claude Code remembers after a call; of a command, all words that can be a path. */
export function touchedBy(tool: string, input: unknown): string[] {
	const path = pathOfCall(tool, input);
	if (path !== undefined) return [path];
	const command = SHELL_TOOLS.includes(tool) ? (input as { command?: unknown } | null)?.command : undefined;
	if (typeof command !== 'string') return [];
	const words = command.match(/"[^"]*"|'[^']*'|(?:\\.|[^\s"'`;|&()<>=\\])+/g) ?? [];
	const bare = words.map((word) => word.replace(/^["']|["']$/g, ''));
	const plain = tool === POWERSHELL ? bare : bare.map((word) => word.replace(/\\(.)/g, '$1'));
	const folders = plain.filter((_, index) => plain[index - 1] === 'cd').map((folder) => `${folder}/`);
	const paths = plain.filter((word) => /[./]/.test(word) && !word.startsWith('-')).slice(0, MAX_WORDS);
	return ['', ...folders.slice(0, 3)].flatMap((folder) =>
		paths.filter((word) => folder === '' || !/^[/~$]/.test(word)).map((word) => folder + word),
	);
}

/** Of a longer transcript, only the end is searched. */
const MAX_BYTES = 128 * 1024 * 1024;

/** Longer lines are skipped: they contain a file or an image. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** Lines about a file or a failed call. Most lines are other results, and are not parsed. */
const RELEVANT = /"type":"(?:tool_use|attachment)"|"is_error":true/;

interface TouchedPath {
	readonly path: string;
	readonly cwd: string;
}

/** The files that a session's main thread has touched or got, by its transcript; none without a transcript. */
export async function touchedIn(transcript: string): Promise<TouchedPath[]> {
	const size = (await fs.stat(transcript).catch(() => undefined))?.size ?? 0;
	if (size === 0) return [];
	const touched = new Map<string, TouchedPath[]>();
	const lines = new LineSplitter(MAX_LINE_BYTES);
	const start = Math.max(0, size - MAX_BYTES);
	for await (const chunk of createReadStream(transcript, { start, end: size - 1, highWaterMark: 1024 * 1024 })) {
		for (const line of lines.push(chunk as Buffer)) {
			if (!(line instanceof TooLong) && RELEVANT.test(line)) note(line, touched);
		}
	}
	return [...touched.values()].flat();
}

interface TranscriptEntry {
	readonly uuid?: string;
	readonly cwd?: string;
	readonly isSidechain?: boolean;
	readonly attachment?: { readonly filename?: unknown };
	readonly message?: { readonly content?: unknown };
}

interface TranscriptBlock {
	readonly type?: string;
	readonly id?: string;
	readonly name?: string;
	readonly input?: unknown;
	readonly tool_use_id?: string;
	readonly is_error?: boolean;
}

function note(line: string, touched: Map<string, TouchedPath[]>): void {
	const entry = parse(line);
	const { uuid = '', cwd = '', attachment, message } = entry;
	if (entry.isSidechain === true) return;
	if (typeof attachment?.filename === 'string') touched.set(uuid, [{ path: attachment.filename, cwd }]);
	for (const block of Array.isArray(message?.content) ? (message.content as TranscriptBlock[]) : []) {
		const { type, id = '', name = '', input, tool_use_id = '', is_error } = block;
		if (type === 'tool_use')
			touched.set(
				id,
				touchedBy(name, input).map((path) => ({ path, cwd })),
			);
		if (type === 'tool_result' && is_error === true) touched.delete(tool_use_id);
	}
}

function parse(line: string): TranscriptEntry {
	try {
		return JSON.parse(line) as TranscriptEntry;
	} catch {
		return {}; // Cut off at its beginning or end.
	}
}
