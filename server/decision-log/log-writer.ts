import { promises as fs } from 'node:fs';
import type { Decision } from './decision.ts';
import { digestOf, secretIn } from './key-digest.ts';
import { makeRoom } from './make-room.ts';
import { logIn } from './places.ts';
import { lineOf } from './record.ts';

/** Writes decisions down, a line each, beside other processes. A file of its own, to be loaded where they are wanted. */
export class LogWriter {
	readonly #log: ReturnType<typeof logIn>;

	/** @param data the data folder */
	constructor(data: string) {
		this.#log = logIn(data);
	}

	/** Rejects where it can't be written. */
	async write({ key, ...decision }: Decision): Promise<void> {
		const { folder, file } = this.#log;
		await fs.mkdir(folder, { recursive: true, mode: 0o700 });
		const digest = key === undefined ? undefined : digestOf(key, await secretIn(folder));
		const line = lineOf({ ...decision, key: digest });
		await makeRoom(this.#log, Buffer.byteLength(line));
		// One write at the end of the file: the system lets no other come between.
		await fs.appendFile(file, line, { mode: 0o600 });
	}
}
