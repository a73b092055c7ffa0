import { promises as fs } from 'node:fs';
import { type DecisionRecord, recordIn } from './record.ts';

/** A log is there but can't be read. The message is a sentence for the person. */
export class LogError extends Error {
	constructor(cause: NodeJS.ErrnoException) {
		super(`The log of decisions can not be read: ${cause.code ?? cause.name}.`, { cause });
	}
}

/** A file of the log. As long as it is open, no other gets its id. */
export class OpenLog {
	readonly id: bigint;
	readonly #handle: fs.FileHandle;
	#position = 0;
	/** The beginning of a line that is not whole yet. */
	#partial = Buffer.alloc(0);

	private constructor(handle: fs.FileHandle, id: bigint) {
		this.#handle = handle;
		this.id = id;
	}

	/** Undefined where there is none. @throws LogError */
	static async at(path: string): Promise<OpenLog | undefined> {
		try {
			const handle = await fs.open(path, 'r');
			return new OpenLog(handle, (await handle.stat({ bigint: true })).ino);
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
			throw new LogError(error as NodeJS.ErrnoException);
		}
	}

	/** What was added since the last time. */
	async rest(): Promise<DecisionRecord[]> {
		const { size } = await this.#handle.stat();
		if (size < this.#position) {
			// Emptied by somebody.
			this.#position = 0;
			this.#partial = Buffer.alloc(0);
		}
		const added = Buffer.alloc(size - this.#position);
		const { bytesRead } = await this.#handle.read(added, 0, added.length, this.#position);
		this.#position += bytesRead;
		const bytes = Buffer.concat([this.#partial, added.subarray(0, bytesRead)]);
		const end = bytes.lastIndexOf(0x0a) + 1;
		this.#partial = bytes.subarray(end);
		const lines = bytes.toString('utf8', 0, end).split('\n');
		return lines.map(recordIn).filter((record) => record !== undefined);
	}

	async close(): Promise<void> {
		await this.#handle.close();
	}
}
