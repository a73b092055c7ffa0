import { promises as fs } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { HookEvent } from './hooks.ts';

/** The id of an entry in a transcript. A copied session keeps the ids of the copied entries. */
const ENTRY = /"uuid":"([0-9a-f-]{36})"/;

/**
 * Whether a session began as a copy of one of certain originals (`--resume ID --fork-session`). It has an id of its own.
 * Only its transcript shows where it comes from: the first entry is also in the original's transcript.
 *
 * @param transcript of the session; absolute. Transcripts of the project's other sessions are in the same folder
 * @param isOne whether a session is one of the originals, for example one that holds private data
 * @returns undefined if the transcript does not show it yet
 */
export async function isCopyOf(
	transcript: string,
	isOne: (session: string) => Promise<boolean>,
): Promise<boolean | undefined> {
	const [, first] = ENTRY.exec((await textOf(transcript)) ?? '') ?? [];
	if (first === undefined) return undefined;
	const folder = dirname(transcript);
	for (const name of await fs.readdir(folder)) {
		if (!name.endsWith('.jsonl') || name === basename(transcript)) continue;
		if (!(await isOne(name.slice(0, -'.jsonl'.length)))) continue;
		if ((await textOf(join(folder, name)))?.includes(first) === true) return true;
	}
	return false;
}

/** Undefined if there is no such file. @throws Error if it cannot be read, so that nothing is allowed by mistake */
async function textOf(file: string): Promise<string | undefined> {
	try {
		return await fs.readFile(file, 'utf8');
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		throw error;
	}
}

/** Finds the transcripts that a session can be a copy of, as long as its own does not show it. */
export type SourcesOf = (transcript: string) => Promise<readonly string[]>;

/** Reads Claude Code's command line: before the first answer, nothing else shows that a session is a copy. */
export const sourcesByCommandLine: SourcesOf = async (transcript) => {
	// Imported here to keep the start fast.
	const { commandLineOf, forkedFrom } = await import('./forked-from.ts');
	return await forkedFrom(transcript, await commandLineOf(process.ppid, process.platform));
};

/** Which sessions are copies of certain originals. Remembers the result once a transcript shows it. */
export class SessionCopies {
	readonly #isOne: (session: string) => Promise<boolean>;
	readonly #sourcesOf: SourcesOf;
	readonly #known = new Map<string, boolean>();

	/**
	 * @param isOne whether a session is one of the originals; it stays one
	 * @param sourcesOf if given, a session that can be a copy counts as one until its transcript shows whether it is
	 */
	constructor(isOne: (session: string) => Promise<boolean>, sourcesOf: SourcesOf = async () => []) {
		this.#isOne = isOne;
		this.#sourcesOf = sourcesOf;
	}

	async has({ session_id, transcript_path }: Pick<HookEvent, 'session_id' | 'transcript_path'>): Promise<boolean> {
		if (transcript_path === '') return false;
		const isCopy = this.#known.get(session_id) ?? (await isCopyOf(transcript_path, this.#isOne));
		if (isCopy !== undefined) {
			this.#known.set(session_id, isCopy);
			return isCopy;
		}
		const sources = await this.#sourcesOf(transcript_path);
		const areOnes = await Promise.all(sources.map((source) => this.#isOne(basename(source, '.jsonl'))));
		return areOnes.includes(true);
	}
}
