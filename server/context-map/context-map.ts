import { dirname } from 'node:path';
import { BrokerError } from '../errors.ts';
import { ReadError, type ReadFailure, type ReadFile, readStable } from '../files/read-stable.ts';
import { resolveEntryPath } from './locate.ts';
import { MapSyntaxError } from './map-fault.ts';
import { type Entry, type MapContent, parseContextMap } from './parse.ts';

/** In bytes. A map of 10,000 keys takes about a million. */
const MAP_LIMIT = 16 * 1024 * 1024;

const REASONS: Partial<Record<ReadFailure, string>> = {
	not_a_file: 'not a regular file',
	too_large: 'larger than 16 MiB',
};

/** The user's context map. Read at each look-up, so that an edit takes effect at once; parsed only if it changed. */
export class ContextMap {
	readonly file: string;
	readonly #home: string;
	readonly #environment: NodeJS.ProcessEnv;
	readonly #readFile: ReadFile;
	readonly #platform: NodeJS.Platform;
	#parsed: { readonly bytes: Buffer; readonly outcome: MapContent | MapSyntaxError } | undefined;

	/** @param environment for variables in the map; by default none is set, so that each variable is an error */
	constructor(
		file: string,
		home: string,
		environment: NodeJS.ProcessEnv = {},
		readFile: ReadFile = readStable,
		platform: NodeJS.Platform = process.platform,
	) {
		this.file = file;
		this.#home = home;
		this.#environment = environment;
		this.#readFile = readFile;
		this.#platform = platform;
	}

	/** @throws BrokerError `config_missing`, `config_unreadable`; MapSyntaxError if nothing in it is valid */
	async read(): Promise<MapContent> {
		const bytes = await this.#bytes();
		if (this.#parsed?.bytes !== bytes && this.#parsed?.bytes.equals(bytes) !== true)
			this.#parsed = { bytes, outcome: this.#parse(bytes) };
		const { outcome } = this.#parsed;
		if (outcome instanceof MapSyntaxError) throw outcome;
		return outcome;
	}

	resolve({ path }: Entry): string {
		return resolveEntryPath(path, dirname(this.file), this.#home, this.#platform);
	}

	#parse(bytes: Buffer): MapContent | MapSyntaxError {
		try {
			return parseContextMap(bytes, this.#environment, this.#platform);
		} catch (error) {
			if (error instanceof MapSyntaxError) return error;
			throw error;
		}
	}

	async #bytes(): Promise<Buffer> {
		try {
			return await this.#readFile(this.file, { limit: MAP_LIMIT });
		} catch (cause) {
			if (!(cause instanceof ReadError)) throw cause;
			const note = `The map is looked for at ${this.file}`;
			if (cause.failure === 'missing') throw new BrokerError('config_missing', { note, cause });
			const detail = `Reason: ${REASONS[cause.failure] ?? cause.message}.`;
			throw new BrokerError('config_unreadable', { detail, note, cause });
		}
	}
}
