import { setTimeout as delay } from 'node:timers/promises';
import type { Process, ReadProcesses } from './process-table.ts';

/** What tells the processes of one command from all others; plain data, so that it can be handed to another process. */
export interface FamilyTraits {
	/** What they have in their environment. */
	readonly commandId: string;
	/** The process group that the command runs in, which bears the id of its first process; once it was started. */
	readonly group?: number;
	/** When its first process started, as {@link Process} tells it. */
	readonly since?: number;
	/** The identities of those that were seen last, once somebody has looked. */
	readonly seen?: readonly string[];
}

/** The processes of one command. */
export interface Family {
	/** As of the last look. */
	readonly traits: FamilyTraits;
	/** Looks which of them run now. */
	members(): Promise<readonly Process[]>;
	/** Ends all of them, within a second. */
	end(): Promise<void>;
}

/** Milliseconds that processes have to end by themselves. */
const GRACE = 400;

/** Milliseconds until a killed one is given up: the kernel holds it. */
const LAST_WAIT = 400;

/** Milliseconds between two looks. */
const POLL = 25;

/**
 * The processes of one command, also those that left its process group: they are known by their environment, by their
 * parents, and from earlier looks. One that wiped its environment, left the group and lost its parent between two looks
 * is not found.
 */
export class ProcessFamily implements Family {
	#traits: FamilyTraits;
	readonly #read: ReadProcesses;
	readonly #now: () => number;

	/** @param now a clock that is never set back, in milliseconds */
	constructor(traits: FamilyTraits, read: ReadProcesses, now: () => number) {
		this.#traits = traits;
		this.#read = read;
		this.#now = now;
	}

	get traits(): FamilyTraits {
		return this.#traits;
	}

	async members(): Promise<readonly Process[]> {
		const members = membersOf(this.#traits, await this.#read());
		this.#traits = { ...this.#traits, seen: members.map(({ identity }) => identity) };
		return members;
	}

	/** TERM, then KILL. */
	async end(): Promise<void> {
		const hasEnded = await this.#tell('SIGTERM', GRACE);
		if (!hasEnded) await this.#tell('SIGKILL', LAST_WAIT);
	}

	/** @returns whether all are gone */
	async #tell(signal: NodeJS.Signals, patience: number): Promise<boolean> {
		const told = new Set<string>();
		const until = this.#now() + patience;
		// A look after each signal, since processes can start others until they get it.
		do {
			const members = await this.members();
			if (members.length === 0) return true;
			for (const { pid, identity } of members) {
				if (told.has(identity)) continue;
				told.add(identity);
				kill(pid, signal);
			}
			await delay(POLL);
		} while (this.#now() < until);
		return false;
	}
}

/** Those of all processes that belong to a command. */
export function membersOf(
	{ commandId, group, since = 0, seen }: FamilyTraits,
	processes: readonly Process[],
): Process[] {
	const known = new Set(seen);
	// When nobody is left in a group, its id is given away again.
	const holdsGroup = seen === undefined || processes.some((each) => each.group === group && known.has(each.identity));
	const members = new Set<number>();
	const belongs = (each: Process) =>
		// Whatever else is true of them: what is ended by mistake here takes all with it.
		each.pid !== 1 &&
		each.pid !== process.pid &&
		!(each.started < since) &&
		((group !== undefined && holdsGroup && each.group === group) ||
			known.has(each.identity) ||
			members.has(each.parent) ||
			(each.commandId !== undefined && each.commandId === commandId));
	// As many rounds as the family is deep: parents need not be listed before their children.
	for (let before = -1; before !== members.size; ) {
		before = members.size;
		for (const each of processes) if (!members.has(each.pid) && belongs(each)) members.add(each.pid);
	}
	return processes.filter(({ pid }) => members.has(pid));
}

function kill(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(pid, signal);
	} catch (error) {
		// Gone in the meantime, or run as somebody else, so not ours to end.
		if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
	}
}
