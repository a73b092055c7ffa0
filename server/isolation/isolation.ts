import { BrokerError } from '../errors.ts';
import type { Invocation } from './invocation.ts';
import type { IsolationWay } from './ways.ts';

export interface IsolationOptions {
	/** Those to be tried now, the better first. */
	readonly ways: () => readonly IsolationWay[];
	/** Why a way is not proven; undefined where it is. */
	readonly findHole: (way: IsolationWay) => Promise<string | undefined>;
	/** The sockets to be hidden now. */
	readonly sockets: () => readonly string[];
}

/** Takes the network away from commands. A way is used only after it was proven, by this process. */
export class NetworkIsolation {
	readonly #options: IsolationOptions;
	#proven: Promise<IsolationWay> | undefined;

	constructor(options: IsolationOptions) {
		this.#options = options;
	}

	/**
	 * How to run a program without a network.
	 *
	 * @throws BrokerError `network_isolation_unavailable`
	 */
	async prepare(): Promise<(invocation: Invocation) => Invocation> {
		// A failure is not kept: what is missing can be installed while the session runs.
		this.#proven ??= this.#prove().catch((error: unknown) => {
			this.#proven = undefined;
			throw error;
		});
		const way = await this.#proven;
		return (invocation) => way.wrap(invocation, way.hidesSockets ? this.#options.sockets() : []);
	}

	async #prove(): Promise<IsolationWay> {
		const reasons: string[] = [];
		for (const way of this.#options.ways()) {
			const hole = await this.#options.findHole(way).catch(whyNot);
			if (hole === undefined) return way;
			reasons.push(`${way.name}: ${hole.replace(/\s+/g, ' ')}`);
		}
		const note = reasons.length === 0 ? 'Nothing was found that could do it' : `Tried: ${reasons.join('; ')}`;
		throw new BrokerError('network_isolation_unavailable', { note });
	}
}

/** What fails can't be trusted to take anything away. */
function whyNot(error: unknown): string {
	const { code, name } = error as NodeJS.ErrnoException;
	return `it could not be tried (${code ?? name})`;
}
