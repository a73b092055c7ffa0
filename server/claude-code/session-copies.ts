import { promises as fs } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { HookEvent } from './hooks.ts';

/** What Claude Code names an entry of a transcript; a fork of a session keeps the names of what it copies. */
const ENTRY = /"uuid":"([0-9a-f-]{36})"/;

/**
 * Whether a session began as a copy of one of certain others (`--resume ID --fork-session`). It bears an id of its own,
 * and only its transcript shows where it comes from: it begins with an entry of the other's.
 *
 * @param transcript of the session; absolute. Those of the project's other sessions lie beside it
 * @param isOne whether a session is one of those, for instance one that holds private data
 * @returns undefined where the transcript does not tell yet
 */
export async function isForkOf(
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

/** Undefined where there is no such file. What can't be read otherwise is an error, which lets nothing pass. */
async function textOf(file: string): Promise<string | undefined> {
	try {
		return await fs.readFile(file, 'utf8');
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		throw error;
	}
}

/** The transcripts that a session can be a copy of, as long as its own does not tell. */
export type SourcesOf = (transcript: string) => Promise<readonly string[]>;

/** By the command line of Claude Code: before the first answer, nothing else tells that a session is a copy. */
export const sourcesByCommandLine: SourcesOf = async (transcript) => {
	// No part of a start.
	const { commandLineOf, forkedFrom } = await import('./forked-from.ts');
	return await forkedFrom(transcript, await commandLineOf(process.ppid, process.platform));
};

/** Which sessions are copies of certain others. A session is looked at again only as long as its transcript does not tell. */
export class Copies {
	readonly #isOne: (session: string) => Promise<boolean>;
	readonly #sourcesOf: SourcesOf;
	readonly #known = new Map<string, boolean>();

	/**
	 * @param isOne whether a session is one of those; it stays so
	 * @param sourcesOf if given, a session that can be a copy of one of those counts as one, until its transcript tells
	 */
	constructor(isOne: (session: string) => Promise<boolean>, sourcesOf: SourcesOf = async () => []) {
		this.#isOne = isOne;
		this.#sourcesOf = sourcesOf;
	}

	async has({ session_id, transcript_path }: Pick<HookEvent, 'session_id' | 'transcript_path'>): Promise<boolean> {
		if (transcript_path === '') return false;
		const isCopy = this.#known.get(session_id) ?? (await isForkOf(transcript_path, this.#isOne));
		if (isCopy !== undefined) {
			this.#known.set(session_id, isCopy);
			return isCopy;
		}
		const sources = await this.#sourcesOf(transcript_path);
		const areOnes = await Promise.all(sources.map((source) => this.#isOne(basename(source, '.jsonl'))));
		return areOnes.includes(true);
	}
}
