import { OpenLog } from './open-log.ts';
import { logIn } from './places.ts';
import type { DecisionRecord } from './record.ts';

/**
 * What is added to a log, also where it was put aside in the meantime. It looks by the path: a watch of the file would
 * stay with the older one.
 */
export class LogTail {
	readonly #log: ReturnType<typeof logIn>;
	#isBegun = false;
	#current: OpenLog | undefined;
	/** Put aside lately: a process that had it open can still add to it. */
	#previous: OpenLog | undefined;
	/** The older file that was looked at last. */
	#older: OpenLog | undefined;

	/** @param data the data folder; need not exist */
	constructor(data: string) {
		this.#log = logIn(data);
	}

	/** All that there is, the first time; then what was added since. */
	async added(): Promise<DecisionRecord[]> {
		const late = (await this.#previous?.rest()) ?? [];
		await this.#previous?.close();
		this.#previous = undefined;
		// Opened before the older one, so that nothing is missed where the one becomes the other in between.
		const next = await OpenLog.at(this.#log.file);
		const isOther = next !== undefined && next.id !== this.#current?.id;
		const last = (await this.#current?.rest()) ?? [];
		if (!isOther) await next?.close();
		if (isOther) {
			this.#previous = this.#current;
			this.#current = next;
		}
		const between = isOther || !this.#isBegun ? await this.#between() : [];
		this.#isBegun = true;
		const first = isOther ? await next.rest() : [];
		return [...late, ...last, ...between, ...first];
	}

	async close(): Promise<void> {
		for (const log of [this.#current, this.#previous, this.#older]) await log?.close();
	}

	/** What the older file holds that was not seen: at the beginning, or where more than one was full since the last look. */
	async #between(): Promise<DecisionRecord[]> {
		const between = await OpenLog.at(this.#log.older);
		const seen = [this.#current, this.#previous, this.#older].map((log) => log?.id);
		const isNew = between !== undefined && !seen.includes(between.id);
		await this.#older?.close();
		this.#older = between;
		return isNew ? await between.rest() : [];
	}
}
