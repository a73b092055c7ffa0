import { promises as fs } from 'node:fs';
import { basename, join } from 'node:path';
import { sha256 } from '../text/digest.ts';
import { truncate } from '../text/truncate.ts';

export interface ToolText {
	readonly text: string;
	/** False if the text also has other blocks as JSON, such as images. */
	readonly isTextAlone: boolean;
	/** Claude Code's file for a result that is too long; the agent gets its path. */
	readonly file?: string;
}

/** A call whose result can be in a file. */
export interface SavedResult {
	readonly tool: string;
	/** The main thread's transcript: the file is beside it. */
	readonly transcript: string;
	/** The start of the call; milliseconds since 1970. */
	readonly since: number;
	/** Whether the file belongs to an earlier call. */
	readonly isTaken: (file: string) => boolean;
}

/** In characters. Of a longer result Claude Code passes on the first 2,000, and a path. */
const MAX_PASSED_LENGTH = 50_000;

/** In characters: the part that an executor gets, since it cannot read a file. */
const PART_LENGTH = 48_000;

/** The clocks of a file system and of the process can differ. */
const CLOCK_TOLERANCE_MS = 2_000;

/** Claude Code's words in place of a result in a file; the same in 2.1.126 and 2.1.332. */
const PUT_ASIDE =
	/^Error: result \(.*?\) exceeds maximum allowed tokens\. Output has been saved to (.+?)\.\nFormat: (.*)/;

/** What an executor gets of a result that Claude Code would cut. @param isListedLarge whether Claude Code passes on more */
export function firstPart({ text, isTextAlone, file }: ToolText, isListedLarge: boolean): string | undefined {
	if (!isTextAlone || (file === undefined && (isListedLarge || text.length <= MAX_PASSED_LENGTH))) return undefined;
	const count = (number: number) => number.toLocaleString('en');
	return `[Context Broker: this result has ${count(text.length)} characters, more than Claude Code passes on. Below are the first ${count(PART_LENGTH)}; you cannot get the rest. Say so in your answer.]\n${truncate(text, PART_LENGTH)}`;
}

/** @param response `tool_response` of the event @returns undefined if the result is in a file that cannot be read */
export async function textOfResult(response: string, call: SavedResult): Promise<ToolText | undefined> {
	const [, path = '', format = ''] = PUT_ASIDE.exec(response) ?? [];
	const file = join(call.transcript.replace(/\.jsonl$/, ''), 'tool-results', basename(path));
	// A server can send these words itself, to pass off another's result as its own.
	if (path !== file || call.isTaken(file) || !isNamedAfter(basename(path), call.tool)) return parseResult(response);
	try {
		const { mtimeMs } = await fs.stat(file);
		if (mtimeMs < call.since - CLOCK_TOLERANCE_MS) return parseResult(response);
		const saved = await fs.readFile(file, 'utf8');
		return { ...(format.startsWith('JSON') ? parseResult(saved) : { text: saved, isTextAlone: true }), file };
	} catch {
		return undefined;
	}
}

/** In file names, Claude Code puts `-` between server and tool. */
function isNamedAfter(file: string, tool: string): boolean {
	const plain = (name: string) => name.replaceAll(/[-_]/g, '');
	return plain(file).startsWith(plain(tool));
}

export function measure(text: string): { readonly bytes: number; readonly sha256: string } {
	return { bytes: Buffer.byteLength(text), sha256: sha256(text) };
}

function parseResult(response: string): ToolText {
	let value: unknown;
	try {
		value = JSON.parse(response);
	} catch {
		return { text: response, isTextAlone: true };
	}
	if (!Array.isArray(value)) return { text: response, isTextAlone: true };
	const texts = value.map((block: unknown) => {
		const { type, text } = Object(block) as { type?: unknown; text?: unknown };
		return type === 'text' && typeof text === 'string' ? text : undefined;
	});
	const text = texts.map((one, index) => one ?? JSON.stringify(value[index])).join('\n');
	return { text, isTextAlone: !texts.includes(undefined) };
}
