import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { type Process, processesOf, type ReadProcesses } from './process-table.ts';

/** Identifies a command's processes. Plain data, so that it can be sent to another process. */
export interface ProcessTreeId {
	readonly commandId: string;
	readonly group?: number;
	/** Start time of its first process, as in {@link Process}. */
	readonly since?: number;
	/** Identities that the last look found. */
	readonly seen?: readonly string[];
}

export interface ProcessTree {
	readonly id: ProcessTreeId;
	members(): Promise<readonly Process[]>;
	/** Ends all of its processes, within a second. */
	end(): Promise<void>;
}

/** Together less than the second that `end` may take. */
const TERM_TIMEOUT_MS = 400;
const KILL_TIMEOUT_MS = 400;
const POLL_INTERVAL_MS = 25;

export function processTreesOn(platform: NodeJS.Platform, now: () => number): (id: ProcessTreeId) => ProcessTree {
	if (platform === 'win32') return (id) => new WindowsProcessTree(id);
	const read = processesOf(platform);
	return (id) => new PosixProcessTree(id, read, now);
}

/**
 * Also finds processes that left the process group, by their environment, their parents and earlier looks. Does not find one
 * that wiped its environment, left the group and lost its parent between two looks.
 */
class PosixProcessTree implements ProcessTree {
	id: ProcessTreeId;
	readonly #read: ReadProcesses;
	readonly #now: () => number;

	constructor(id: ProcessTreeId, read: ReadProcesses, now: () => number) {
		this.id = id;
		this.#read = read;
		this.#now = now;
	}

	async members(): Promise<readonly Process[]> {
		const members = membersOf(this.id, await this.#read());
		this.id = { ...this.id, seen: members.map(({ identity }) => identity) };
		return members;
	}

	async end(): Promise<void> {
		const hasEnded = await this.#signal('SIGTERM', TERM_TIMEOUT_MS);
		if (!hasEnded) await this.#signal('SIGKILL', KILL_TIMEOUT_MS);
	}

	async #signal(signal: NodeJS.Signals, timeout: number): Promise<boolean> {
		const signalled = new Set<string>();
		const until = this.#now() + timeout;
		// Looks again each time: until the signal arrives, a process can start others.
		do {
			const members = await this.members();
			if (members.length === 0) return true;
			for (const { pid, identity } of members) {
				if (!signalled.has(identity)) kill(pid, signal);
				signalled.add(identity);
			}
			await delay(POLL_INTERVAL_MS);
		} while (this.#now() < until);
		return false;
	}
}

export function membersOf(
	{ commandId, group, since = 0, seen }: ProcessTreeId,
	processes: readonly Process[],
): Process[] {
	const known = new Set(seen);
	// Another process group can reuse the id of an empty one.
	const holdsGroup = seen === undefined || processes.some((each) => each.group === group && known.has(each.identity));
	const members = new Set<number>();
	const belongs = (each: Process) =>
		// Never these two: ending one of them by mistake would end everything.
		each.pid !== 1 &&
		each.pid !== process.pid &&
		!(each.started < since) &&
		((group !== undefined && holdsGroup && each.group === group) ||
			known.has(each.identity) ||
			members.has(each.parent) ||
			(each.commandId !== undefined && each.commandId === commandId));
	// Repeats until nothing changes, because children can be listed before their parents.
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
		// It has ended, or belongs to another account.
		if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
	}
}

/** Windows knows parents but no groups: a process whose parent is gone is not found. */
class WindowsProcessTree implements ProcessTree {
	id: ProcessTreeId;

	constructor(id: ProcessTreeId) {
		this.id = id;
	}

	async members(): Promise<readonly []> {
		this.id = { ...this.id, seen: [] };
		return [];
	}

	async end(): Promise<void> {
		const { group } = this.id;
		if (group === undefined) return;
		await new Promise<void>((resolve) => execFile('taskkill', ['/pid', String(group), '/t', '/f'], () => resolve()));
		await this.members();
	}
}
