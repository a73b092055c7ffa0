import type { MapElsewhere } from '../context-map/map-elsewhere.ts';
import { configInvalid, MapSyntaxError } from '../context-map/map-fault.ts';
import type { PrivateContent } from '../context-map/parse.ts';
import { markdownPathsIn } from '../context-map/private-paths.ts';
import type { Protection } from '../context-map/schema.ts';
import { BrokerError } from '../errors.ts';

/** The last content of the context map. If it cannot be read, what it protected stays protected. */
export class LastMap {
	readonly #read: () => Promise<PrivateContent>;
	readonly #findElsewhere: () => Promise<MapElsewhere | undefined>;
	#outcome: PrivateContent | BrokerError | undefined;
	#content: PrivateContent = { entries: new Map(), off: [], allowTools: [], isolation: [], paths: [], faults: [] };
	#fault: BrokerError | undefined;
	#elsewhere: MapElsewhere | undefined;
	#wasRead = false;
	#knowsIsolation = false;

	/** @param findElsewhere looks for a map in other places if there is none in its own */
	constructor(
		read: () => Promise<PrivateContent>,
		findElsewhere: () => Promise<MapElsewhere | undefined> = async () => undefined,
	) {
		this.#read = read;
		this.#findElsewhere = findElsewhere;
	}

	get content(): PrivateContent {
		return this.#content;
	}

	get outcome(): PrivateContent | BrokerError | undefined {
		return this.#outcome;
	}

	/** A map in another place, if there is none in its own. */
	get elsewhere(): MapElsewhere | undefined {
		return this.#elsewhere;
	}

	get wasRead(): boolean {
		return this.#wasRead;
	}

	/** Why it is unknown which tools are isolated; undefined once that was known. */
	get fault(): BrokerError | undefined {
		return this.#fault;
	}

	isOn(protection: Protection): boolean {
		return !this.#content.off.includes(protection);
	}

	async read(): Promise<PrivateContent | BrokerError> {
		const outcome = await this.#read().catch((error: unknown) => {
			if (error instanceof BrokerError) return error;
			throw error;
		});
		const isMissing = outcome instanceof BrokerError && outcome.code === 'config_missing';
		this.#elsewhere = isMissing ? await this.#findElsewhere() : undefined;
		if (outcome !== this.#outcome) this.#take(outcome);
		this.#outcome = outcome;
		return outcome;
	}

	#take(outcome: PrivateContent | BrokerError): void {
		const before = this.#content;
		if (outcome instanceof BrokerError) {
			const paths = outcome instanceof MapSyntaxError ? outcome.paths : this.#elsewhere?.paths;
			if (paths !== undefined)
				this.#content = { ...before, off: [], paths: union(paths, markdownPathsIn(before.paths)) };
			const hides = outcome instanceof MapSyntaxError && outcome.fault.hides.includes('isolation');
			if (!this.#knowsIsolation && outcome.code !== 'config_unreadable') this.#fault = hides ? outcome : undefined;
			return;
		}
		this.#wasRead = true;
		const [fault] = outcome.faults.filter(({ hides }) => hides.includes('isolation'));
		this.#fault = fault === undefined || this.#knowsIsolation ? undefined : configInvalid(fault);
		this.#knowsIsolation ||= fault === undefined;
		this.#content = outcome.faults.length === 0 ? outcome : withEarlier(outcome, before, fault !== undefined);
	}
}

/** Adds to the content of a map with faults what it protected and isolated before. */
function withEarlier(content: PrivateContent, before: PrivateContent, hidesIsolation: boolean): PrivateContent {
	const paths = [...before.entries.values()].map(({ path }) => path);
	const servers = new Set(content.isolation.map(({ server }) => server));
	const isolation = hidesIsolation ? before.isolation.filter(({ server }) => !servers.has(server)) : [];
	return {
		...content,
		// Only Markdown paths stay: half a path that somebody types, such as "~/", must not.
		paths: union(content.paths, markdownPathsIn([before.paths, paths])),
		isolation: [...content.isolation, ...isolation],
	};
}

function union(some: readonly string[], others: readonly string[]): readonly string[] {
	return [...new Set([...some, ...others])];
}
