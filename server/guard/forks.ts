import { promises as fs } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { commandLineOf, forkedFrom } from '../claude-code/forked-from.ts';
import type { HookEvent } from './hook.ts';

/** What Claude Code names an entry of a transcript; a fork of a session keeps the names of what it copies. */
const ENTRY = /"uuid":"([0-9a-f-]{36})"/;

/**
 * Whether a session began as a copy of one of certain others (`--resume ID --fork-session`). It bears an id of its own,
 * and only its transcript shows where it comes from: it begins with an entry of the other's.
 *
 * @param transcript of the session; absolute. Those of the project's other sessions lie beside it
 * @param isOne whether a session is one of those, for instance one that holds private data
 * @param commandLine of Claude Code: before the first answer, only this tells that the session is a copy
 * @returns undefined where the transcript does not tell yet
 */
export async function isForkOf(
	transcript: string,
	isOne: (session: string) => Promise<boolean>,
	commandLine: () => Promise<readonly string[]> = () => commandLineOf(process.ppid, process.platform),
): Promise<boolean | undefined> {
	const own = await textOf(transcript);
	const [, first] = ENTRY.exec(own ?? '') ?? [];
	if (first === undefined) {
		const others = own === undefined ? await forkedFrom(transcript, await commandLine()) : [];
		const areOnes = await Promise.all(others.map((file) => isOne(basename(file, '.jsonl'))));
		return areOnes.includes(true) || undefined;
	}
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

/** Which sessions are copies of certain others. A session is looked at again only as long as its transcript does not tell. */
export class Copies {
	readonly #isOne: (session: string) => Promise<boolean>;
	readonly #known = new Map<string, boolean>();

	/** @param isOne whether a session is one of those; it stays so */
	constructor(isOne: (session: string) => Promise<boolean>) {
		this.#isOne = isOne;
	}

	async has({ session_id, transcript_path }: Pick<HookEvent, 'session_id' | 'transcript_path'>): Promise<boolean> {
		if (transcript_path === '') return false;
		const isCopy = this.#known.get(session_id) ?? (await isForkOf(transcript_path, this.#isOne));
		if (isCopy !== undefined) this.#known.set(session_id, isCopy);
		return isCopy === true;
	}
}
