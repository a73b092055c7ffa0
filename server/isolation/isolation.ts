import { homedir } from 'node:os';
import { BrokerError } from '../errors.ts';
import { type FindProgram, type Invocation, type Sandbox, sandboxesOn } from './sandboxes.ts';
import { reachableSockets } from './sockets.ts';
import { verifyIsolation } from './verify-isolation.ts';

export interface CreateIsolationOptions {
	readonly process: Pick<NodeJS.Process, 'platform' | 'env' | 'getuid' | 'getgid'>;
	readonly folder: string;
	readonly find: FindProgram;
}

export function createIsolation({ process, folder, find }: CreateIsolationOptions): NetworkIsolation {
	const [user, group] = [process.getuid?.(), process.getgid?.()];
	const account = user === undefined || group === undefined ? undefined : { user, group };
	const { PATH = '' } = process.env;
	return new NetworkIsolation({
		sandboxes: () => sandboxesOn(process.platform, account, find),
		verifyIsolation: (sandbox) => verifyIsolation(sandbox, folder, { PATH }),
		sockets: () => reachableSockets(process.env, homedir(), user),
	});
}

export interface IsolationOptions {
	readonly sandboxes: () => readonly Sandbox[];
	/** @returns why the sandbox does not isolate; undefined if it does */
	readonly verifyIsolation: (sandbox: Sandbox) => Promise<string | undefined>;
	readonly sockets: () => readonly string[];
}

/** Runs commands without a network. Uses a sandbox only after this process has verified it. */
export class NetworkIsolation {
	readonly #options: IsolationOptions;
	#verified: Promise<Sandbox> | undefined;

	constructor(options: IsolationOptions) {
		this.#options = options;
	}

	/** How to run a program without a network. @throws BrokerError `network_isolation_unavailable` */
	async prepare(): Promise<(invocation: Invocation) => Invocation> {
		// A failure is not cached: the user can install what is missing during the session.
		this.#verified ??= this.#choose().catch((error: unknown) => {
			this.#verified = undefined;
			throw error;
		});
		const sandbox = await this.#verified;
		return (invocation) => sandbox.wrap(invocation, sandbox.hidesSockets ? this.#options.sockets() : []);
	}

	async #choose(): Promise<Sandbox> {
		const reasons: string[] = [];
		for (const sandbox of this.#options.sandboxes()) {
			const hole = await this.#options.verifyIsolation(sandbox).catch(untried);
			if (hole === undefined) return sandbox;
			reasons.push(`${sandbox.name}: ${hole.replace(/\s+/g, ' ')}`);
		}
		const note = reasons.length === 0 ? 'No program was found for it' : `Tried: ${reasons.join('; ')}`;
		throw new BrokerError('network_isolation_unavailable', { note });
	}
}

function untried(error: unknown): string {
	const { code, name } = error as NodeJS.ErrnoException;
	return `it could not be tried (${code ?? name})`;
}
