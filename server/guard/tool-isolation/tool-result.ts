import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { sha256 } from '../../text/digest.ts';

/** What a tool gave, as one text. */
export interface ToolText {
	readonly text: string;
	/** Whether Claude Code has put it aside, since it is too long for it, and gives the agent a path in its place. */
	readonly isPutAside: boolean;
}

/** Characters of a result that Claude Code passes on as they are; of a longer one it gives the first 2,000 and a path. */
const PASSED_ON = 50_000;

/** Characters of it that an executor gets, which can't read a file. */
const PART = 48_000;

/**
 * What an executor gets in the place of a result that Claude Code does not give it whole.
 *
 * @param isOwn whether the broker has seen to it that it is given whole
 */
export function firstPart({ text, isPutAside }: ToolText, isOwn: boolean): string | undefined {
	if (!isPutAside && (isOwn || text.length <= PASSED_ON)) return undefined;
	const count = (number: number) => number.toLocaleString('en');
	return `[Context Broker: this result has ${count(text.length)} characters, and Claude Code passes on ${count(PASSED_ON)} at most. Below are the first ${count(PART)}; the rest you can not get. Say so in your answer.]\n${text.slice(0, PART)}`;
}

/** What Claude Code says in the place of a result that it has put aside; the same in 2.1.126 and 2.1.332. */
const PUT_ASIDE =
	/^Error: result \(.*?\) exceeds maximum allowed tokens\. Output has been saved to (.+?)\.\nFormat: (.*)/;

/**
 * The result of a tool: the texts as the server sent them, a line break between two; anything else as JSON.
 *
 * @param response `tool_response` of the event: JSON text, or a text
 * @param transcript the one of the session's main thread: what is put aside lies beside it
 * @returns undefined where it was put aside and can't be read
 */
export async function textOfResult(response: string, transcript: string): Promise<ToolText | undefined> {
	const [, path, format = ''] = PUT_ASIDE.exec(response) ?? [];
	if (path === undefined) return { text: textOf(response), isPutAside: false };
	try {
		// By its name alone: the rest of the path is known.
		const saved = await readFile(join(transcript.replace(/\.jsonl$/, ''), 'tool-results', basename(path)), 'utf8');
		return { text: format.startsWith('JSON') ? textOf(saved) : saved, isPutAside: true };
	} catch {
		return undefined;
	}
}

/** Size and digest of a text, as UTF-8. */
export function measure(text: string): { readonly bytes: number; readonly sha256: string } {
	return { bytes: Buffer.byteLength(text), sha256: sha256(text) };
}

function textOf(response: string): string {
	let value: unknown;
	try {
		value = JSON.parse(response);
	} catch {
		return response; // A plain text.
	}
	if (!Array.isArray(value)) return response;
	return value
		.map((block: unknown) => {
			const { type, text } = Object(block) as { type?: unknown; text?: unknown };
			return type === 'text' && typeof text === 'string' ? text : JSON.stringify(block);
		})
		.join('\n');
}
