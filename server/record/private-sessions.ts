import { promises as fs } from 'node:fs';
import { dirname, join } from 'node:path';
import { BrokerError } from '../errors.ts';
import { writeAtomically } from '../files/write-atomically.ts';
import { sha256 } from '../text/digest.ts';

/**
 * The sessions that hold private data: an empty file each. That there is one counts, whatever is in it, and so does
 * everything that keeps from looking. None is ever removed.
 */
export class PrivateSessions {
	readonly #folder: string;

	/** @param folder made when the first mark is written */
	constructor(folder: string) {
		this.#folder = folder;
	}

	/** Writes a mark down, so that it outlasts a power failure. @throws BrokerError `state_unwritable` */
	async add(session: string): Promise<void> {
		try {
			const made = await writeAtomically(this.#fileOf(session), '');
			await syncFolder(this.#folder);
			// Each folder that was made has its name in the one above it.
			for (let path = this.#folder; made !== undefined && path.length >= made.length; path = dirname(path)) {
				await syncFolder(dirname(path));
			}
		} catch (cause) {
			throw new BrokerError('state_unwritable', { cause });
		}
	}

	/** Whether a session has a mark, or may have one. */
	async has(session: string): Promise<boolean> {
		try {
			await fs.lstat(this.#fileOf(session));
			return true;
		} catch (error) {
			return (error as NodeJS.ErrnoException).code !== 'ENOENT';
		}
	}

	#fileOf(session: string): string {
		return join(this.#folder, sha256(session).slice(0, 32));
	}
}

/** The name of a new file lasts when its folder was written. Windows has no such thing. */
async function syncFolder(path: string): Promise<void> {
	if (process.platform === 'win32') return;
	const folder = await fs.open(path, 'r');
	await folder.sync().finally(() => folder.close());
}
