import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { writeAtomically } from '../files/write-atomically.ts';
import { lazy } from '../memoize.ts';

const lastSessionSchema = lazy(() =>
	z.strictObject({
		/** The version of Claude Code. */
		client: z.string(),
		/** Milliseconds since 1970. */
		connected: z.number(),
		/** The time of the session's first hook. Milliseconds since 1970. */
		asked: z.optional(z.number()),
		/** Where the session looked for the map, and the error's code. */
		map: z.optional(z.strictObject({ file: z.string(), error: z.optional(z.string()) })),
		/** Where a session found a map last. */
		found: z.optional(z.string()),
	}),
);

export type LastSessionRecord = z.infer<ReturnType<typeof lastSessionSchema>>;

type SessionMap = NonNullable<LastSessionRecord['map']>;

/** The last session of Claude Code. Shows the person whether hooks reach the broker. */
export class LastSession {
	readonly #folder: string;
	readonly #now: () => number;
	#record: LastSessionRecord | undefined;

	/** @param now milliseconds since 1970 */
	constructor(folder: string, now: () => number) {
		this.#folder = folder;
		this.#now = now;
	}

	async connected(client: string, map: SessionMap): Promise<void> {
		const found = map.error === 'config_missing' ? (await this.read())?.found : map.file;
		await this.#write({ ...this.#record, client, connected: this.#now(), map, found });
	}

	async asked(client: string): Promise<void> {
		await this.#write({ client, connected: this.#now(), ...this.#record, asked: this.#now() });
	}

	/** Undefined if there was none, or it cannot be read. */
	async read(): Promise<LastSessionRecord | undefined> {
		try {
			return lastSessionSchema().parse(JSON.parse(await fs.readFile(this.#file, 'utf8')));
		} catch {
			return undefined;
		}
	}

	get #file(): string {
		return join(this.#folder, 'last-session.json');
	}

	async #write(record: LastSessionRecord): Promise<void> {
		this.#record = record;
		await writeAtomically(this.#file, JSON.stringify(record));
	}
}
