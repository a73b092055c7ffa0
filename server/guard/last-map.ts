import type { PrivateContent } from '../context-map/parse.ts';
import type { Protection } from '../context-map/schema.ts';
import { BrokerError } from '../errors.ts';

/** What the context map said last. What can't be read now stays protected as it was then. */
export class LastMap {
	readonly #read: () => Promise<PrivateContent>;
	#content: PrivateContent = { entries: new Map(), off: [], allowTools: [], isolation: [] };
	#fault: BrokerError | undefined;
	#wasRead = false;

	/** @param read what it holds now. @throws BrokerError */
	constructor(read: () => Promise<PrivateContent>) {
		this.#read = read;
	}

	/** Nothing, as long as it was never read. */
	get content(): PrivateContent {
		return this.#content;
	}

	/** Why it could not be read, as long as it never could: what it isolates is not known then. */
	get fault(): BrokerError | undefined {
		return this.#fault;
	}

	isOn(protection: Protection): boolean {
		return !this.#content.off.includes(protection);
	}

	/** @returns what it holds now, or why it can't be read */
	async read(): Promise<PrivateContent | BrokerError> {
		try {
			this.#content = await this.#read();
			this.#wasRead = true;
			this.#fault = undefined;
			return this.#content;
		} catch (error) {
			if (!(error instanceof BrokerError)) throw error;
			if (!this.#wasRead && error.code !== 'config_missing') this.#fault = error;
			return error;
		}
	}
}
