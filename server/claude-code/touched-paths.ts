import { createReadStream, promises as fs } from 'node:fs';
import { LineSplitter, TooLong } from '../text/line-splitter.ts';
import { POWERSHELL } from './tools.ts';

/** Tools with the path of one file, and its field. Claude Code remembers the file, and watches it. */
const FILE_TOOLS: Readonly<Record<string, string>> = {
	...{ Read: 'file_path', Write: 'file_path', Edit: 'file_path', MultiEdit: 'file_path' },
	...{ NotebookRead: 'notebook_path', NotebookEdit: 'notebook_path' },
};

/** Tools of which Claude Code remembers the file that a command shows, such as `cat` or, in 2.1.332, `grep` (measured). */
const COMMAND_TOOLS = ['Bash', POWERSHELL];

/** Of a command. */
const MAX_WORDS = 100;

export function pathOfCall(tool: string, input: unknown): string | undefined {
	const path = (input as Readonly<Record<string, unknown>> | null)?.[FILE_TOOLS[tool] ?? ''];
	return typeof path === 'string' && path !== '' ? path : undefined;
}

/** The paths, as written, of the files that Claude Code remembers after a call; of a command, all words that can be one. */
export function touchedBy(tool: string, input: unknown): string[] {
	const path = pathOfCall(tool, input);
	if (path !== undefined) return [path];
	const command = COMMAND_TOOLS.includes(tool) ? (input as { command?: unknown } | null)?.command : undefined;
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

/** Of a longer transcript, the end is searched. */
const MAX_BYTES = 128 * 1024 * 1024;

/** A longer line holds a file or an image. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** Lines about a file, or about a call that failed; most of a transcript is other results. */
const RELEVANT = /"type":"(?:tool_use|attachment)"|"is_error":true/;

interface TouchedPath {
	readonly path: string;
	readonly cwd: string;
}

/** The files that the main thread of a session has touched, or was given, from its transcript, if there is one. */
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
		return {}; // Cut off, at one end or the other.
	}
}
