import { promises as fs } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Remembered, transcriptOf } from './session-files.ts';

/** In milliseconds: so long what was not found is not looked for again. */
const MISSING_LAST = 5_000;

/**
 * Where Claude Code keeps the files of sessions. 2.1.332 moves them to the folder of another project when a session
 * enters or leaves a worktree, and keeps their names.
 */
export class SessionPlaces {
	readonly #now: () => number;
	/** By session and agent, the transcript of the main thread where it was found last. */
	readonly #found = new Map<string, string>();
	readonly #missing = new Map<string, number>();

	/** @param now a clock that is never set back, in milliseconds */
	constructor(now: () => number) {
		this.#now = now;
	}

	/** The record, with the transcript where it is now. */
	async of<R extends Remembered>(record: R): Promise<R> {
		const key = `${record.session}\0${record.agent}`;
		const known = this.#found.get(key) ?? record.transcript;
		if (await exists(transcriptOf({ ...record, transcript: known }))) return { ...record, transcript: known };
		return { ...record, transcript: await this.#find(key, record) };
	}

	async #find(key: string, record: Remembered): Promise<string> {
		const since = this.#missing.get(key);
		if (since !== undefined && this.#now() - since < MISSING_LAST) return record.transcript;
		const projects = dirname(dirname(record.transcript));
		for (const project of await fs.readdir(projects).catch(() => [])) {
			const transcript = join(projects, project, basename(record.transcript));
			if (!(await exists(transcriptOf({ ...record, transcript })))) continue;
			this.#found.set(key, transcript);
			this.#missing.delete(key);
			return transcript;
		}
		this.#missing.set(key, this.#now());
		return record.transcript;
	}
}

async function exists(path: string): Promise<boolean> {
	return await fs.stat(path).then(
		() => true,
		() => false,
	);
}
