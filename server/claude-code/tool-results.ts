import { promises as fs } from 'node:fs';
import { basename, join } from 'node:path';
import { beginningOf } from '../text/beginning.ts';
import { sha256 } from '../text/digest.ts';

/** What a tool gave, as one text. */
export interface ToolText {
	readonly text: string;
	/** Whether it is text alone; else there are images and the like in it, as JSON. */
	readonly isTextAlone: boolean;
	/** Where Claude Code has put it aside, since it is too long for it, and gives the agent a path in its place. */
	readonly file?: string;
}

/** A call, as far as its result can lie in a file. */
export interface ResultPlace {
	/** The tool, by its full name. */
	readonly tool: string;
	/** The transcript of the session's main thread: what is put aside lies beside it. */
	readonly transcript: string;
	/** When the call began; milliseconds since 1970. */
	readonly since: number;
	/** Whether a file is the result of another call. */
	readonly isTaken: (file: string) => boolean;
}

/** Characters of a result that Claude Code passes on as they are; of a longer one it gives the first 2,000 and a path. */
const PASSED_ON = 50_000;

/** Characters of it that an executor gets, which can't read a file. */
const PART = 48_000;

/** The clocks of a file system and of the process can differ, in milliseconds. */
const CLOCKS = 2_000;

/** What Claude Code says in the place of a result that it has put aside; the same in 2.1.126 and 2.1.332. */
const PUT_ASIDE =
	/^Error: result \(.*?\) exceeds maximum allowed tokens\. Output has been saved to (.+?)\.\nFormat: (.*)/;

/**
 * What an executor gets in the place of a result that Claude Code does not give it whole.
 *
 * @param isListedLarge whether Claude Code gives more of it
 */
export function firstPart({ text, isTextAlone, file }: ToolText, isListedLarge: boolean): string | undefined {
	if (!isTextAlone || (file === undefined && (isListedLarge || text.length <= PASSED_ON))) return undefined;
	const count = (number: number) => number.toLocaleString('en');
	return `[Context Broker: this result has ${count(text.length)} characters, more than Claude Code passes on. Below are the first ${count(PART)}; the rest you can not get. Say so in your answer.]\n${beginningOf(text, PART)}`;
}

/**
 * The result of a tool: its texts as Claude Code passes them on, a line break between two; anything else as JSON.
 *
 * @param response `tool_response` of the event: JSON text, or a text
 * @returns undefined where it was put aside and can't be read
 */
export async function textOfResult(response: string, place: ResultPlace): Promise<ToolText | undefined> {
	const [, path = '', format = ''] = PUT_ASIDE.exec(response) ?? [];
	const file = join(place.transcript.replace(/\.jsonl$/, ''), 'tool-results', basename(path));
	// A server can send those words too, to have another's result taken for its own.
	if (path !== file || place.isTaken(file) || !isNamedAfter(basename(path), place.tool)) return textOf(response);
	try {
		const { mtimeMs } = await fs.stat(file);
		if (mtimeMs < place.since - CLOCKS) return textOf(response);
		const saved = await fs.readFile(file, 'utf8');
		return { ...(format.startsWith('JSON') ? textOf(saved) : { text: saved, isTextAlone: true }), file };
	} catch {
		return undefined;
	}
}

/** Claude Code puts `-` between server and tool. */
function isNamedAfter(file: string, tool: string): boolean {
	const plain = (name: string) => name.replaceAll(/[-_]/g, '');
	return plain(file).startsWith(plain(tool));
}

/** Size and digest of a text, as UTF-8. */
export function measure(text: string): { readonly bytes: number; readonly sha256: string } {
	return { bytes: Buffer.byteLength(text), sha256: sha256(text) };
}

function textOf(response: string): ToolText {
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
