import { promises as fs } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type AgentRecord, sessionFolder, transcriptOf } from './session-files.ts';

/** A transcript that was not found is not searched again for this time. */
const MISSING_LIFETIME_MS = 5_000;

/** By session name, the folders of projects in which the session has files. */
type Sessions = ReadonlyMap<string, readonly string[]>;

/**
 * Finds the transcripts of sessions. 2.1.332 moves them to the folder of another project when a session enters or leaves a
 * worktree, and keeps their names.
 */
export class TranscriptLocator {
	readonly #now: () => number;
	/** By session and agent, the path where the main thread's transcript was found last. */
	readonly #found = new Map<string, string>();
	readonly #missing = new Map<string, number>();

	/** @param now a monotonic clock, in milliseconds */
	constructor(now: () => number) {
		this.#now = now;
	}

	/** The records, with their transcripts' current paths. Reads each folder once for all records. */
	async locate<R extends AgentRecord>(records: readonly R[]): Promise<R[]> {
		const looked = new Map<string, Promise<Sessions>>();
		const sessionsIn = (projects: string) => {
			const sessions = looked.get(projects) ?? findSessions(projects);
			looked.set(projects, sessions);
			return sessions;
		};
		return await Promise.all(
			records.map(async (record) => ({ ...record, transcript: await this.#locate(record, sessionsIn) })),
		);
	}

	async #locate(record: AgentRecord, sessionsIn: (projects: string) => Promise<Sessions>): Promise<string> {
		const key = `${record.session}\0${record.agent}`;
		const known = this.#found.get(key) ?? record.transcript;
		if (await exists(transcriptOf({ ...record, transcript: known }))) return known;
		const since = this.#missing.get(key);
		if (since !== undefined && this.#now() - since < MISSING_LIFETIME_MS) return record.transcript;
		const sessions = await sessionsIn(dirname(dirname(record.transcript)));
		for (const project of sessions.get(basename(sessionFolder(record.transcript))) ?? []) {
			const transcript = join(project, basename(record.transcript));
			if (!(await exists(transcriptOf({ ...record, transcript })))) continue;
			this.#found.set(key, transcript);
			this.#missing.delete(key);
			return transcript;
		}
		this.#missing.set(key, this.#now());
		return record.transcript;
	}
}

async function findSessions(projects: string): Promise<Sessions> {
	const found = new Map<string, string[]>();
	const look = async (project: string) => {
		for (const name of new Set((await namesIn(project)).map(sessionFolder))) {
			found.set(name, [...(found.get(name) ?? []), project]);
		}
	};
	await Promise.all((await namesIn(projects)).map((name) => look(join(projects, name))));
	return found;
}

async function namesIn(folder: string): Promise<string[]> {
	return await fs.readdir(folder).catch(() => []);
}

async function exists(path: string): Promise<boolean> {
	return await fs.stat(path).then(
		() => true,
		() => false,
	);
}
