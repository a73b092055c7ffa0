import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { lazily } from '../lazily.ts';
import { sha256 } from '../text/digest.ts';

const receiptSchema = lazily(() =>
	z.strictObject({
		/** The session's id. */
		session: z.string(),
		/** The subagent's id. */
		agent: z.string(),
		/** What it is, `plugin:agent` or `agent`. */
		type: z.string(),
		/** When the call was over. Milliseconds since 1970; no date is later. */
		at: z.int().check(z.minimum(0), z.maximum(8.64e15)),
		/** As Claude Code names it: `mcp__…`. */
		tool: z.string(),
		/** SHA-256 of the arguments as JSON without white space and with sorted names. */
		arguments: z.string(),
		/** Whether these are the arguments that the agent was started with; undefined where it was started with none. */
		asAsked: z.optional(z.boolean()),
		/** `unknown`: Claude Code has told no outcome; the person has refused the call, or it was broken off. */
		outcome: z.enum(['ok', 'error', 'unknown']),
		/** Size of the result as UTF-8, and its SHA-256; undefined where nobody has seen it. */
		bytes: z.optional(z.number()),
		sha256: z.optional(z.string()),
	}),
);

/** That an agent has called a tool. Holds nothing of the arguments or the result. */
export type Receipt = z.infer<ReturnType<typeof receiptSchema>>;

/** In milliseconds: about as long as Claude Code keeps transcripts. */
const LIFETIME = 30 * 24 * 60 * 60 * 1_000;

/** The receipts of sessions: a file each, a line a receipt, so that several processes can add to one. */
export class Receipts {
	readonly #folder: string;
	readonly #now: () => number;

	/**
	 * @param folder where they lie
	 * @param now milliseconds since 1970
	 */
	constructor(folder: string, now: () => number) {
		this.#folder = folder;
		this.#now = now;
	}

	/** Rejects where it can't be written. */
	async add(receipt: Omit<Receipt, 'at'>): Promise<void> {
		await fs.mkdir(this.#folder, { recursive: true, mode: 0o700 });
		const line = `${JSON.stringify({ ...receipt, at: this.#now() })}\n`;
		await fs.appendFile(this.#fileOf(receipt.session), line, { mode: 0o600 });
	}

	/** Those of a session, in the order in which they were written. What is no receipt is left out. */
	async of(session: string): Promise<Receipt[]> {
		return await this.#read(this.#fileOf(session));
	}

	/** The session that has got a receipt last; undefined where there is none. */
	async newest(): Promise<string | undefined> {
		const files = await Promise.all((await this.#files()).map(async (file) => ({ file, time: await changed(file) })));
		const [newest] = files.sort((a, b) => b.time - a.time);
		return newest && (await this.#read(newest.file)).at(-1)?.session;
	}

	/** Removes those of sessions that have got none for 30 days. */
	async removeOld(): Promise<void> {
		for (const file of await this.#files()) {
			if (this.#now() - (await changed(file)) > LIFETIME) await fs.rm(file, { force: true });
		}
	}

	#fileOf(session: string): string {
		return join(this.#folder, `${sha256(session).slice(0, 32)}.jsonl`);
	}

	async #files(): Promise<string[]> {
		const names = await fs.readdir(this.#folder).catch(ifMissing([]));
		return names.filter((name) => name.endsWith('.jsonl')).map((name) => join(this.#folder, name));
	}

	async #read(file: string): Promise<Receipt[]> {
		const text = await fs.readFile(file, 'utf8').catch(ifMissing(''));
		return text.split('\n').flatMap((line) => {
			const receipt = receiptSchema().safeParse(parse(line));
			return receipt.success ? [receipt.data] : [];
		});
	}
}

/** Milliseconds since 1970; of a file that is gone, 0. */
async function changed(file: string): Promise<number> {
	return (await fs.stat(file).catch(() => undefined))?.mtimeMs ?? 0;
}

function ifMissing<T>(value: T): (error: NodeJS.ErrnoException) => T {
	return (error) => {
		if (error.code === 'ENOENT') return value;
		throw error;
	};
}

function parse(line: string): unknown {
	try {
		return JSON.parse(line);
	} catch {
		return undefined; // The line of a process that was ended while it wrote.
	}
}
