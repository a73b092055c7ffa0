import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Process, processesOf, type ReadProcesses } from './process-table.ts';
import { windowsProgram } from './system-program.ts';

/** Identifies a command's processes. Plain data, so that it can be sent to another process. */
export interface ProcessTreeId {
	readonly commandId: string;
	/** Id of its first process. It is also the id of the process group, if that process leads one. */
	readonly root?: number;
	/** Start time of its first process, as in {@link Process}. */
	readonly since?: number;
	/** Identities that the last look found. */
	readonly seen?: readonly string[];
}

export interface ProcessTree {
	readonly id: ProcessTreeId;
	/** Empty if the processes cannot be listed. */
	members(): Promise<readonly Process[]>;
	/** Ends all of its processes, within a second. */
	end(): Promise<void>;
}

/** Together less than the second that `end` may take. */
const TERM_TIMEOUT_MS = 400;
const KILL_TIMEOUT_MS = 400;
const POLL_INTERVAL_MS = 25;

export function processTreesOn(
	platform: NodeJS.Platform,
	now: () => number,
	read = processesOf(platform),
): (id: ProcessTreeId) => ProcessTree {
	if (platform !== 'win32') return (id) => new SystemProcessTree(id, { read, now, signalRoot });
	// Orphans keep their parent's id, which can have been reused: an older process is no child of this tree.
	return (id) => new SystemProcessTree({ since: Date.now(), ...id }, { read, now, signalRoot: taskkill });
}

interface System {
	readonly read: ReadProcesses;
	readonly now: () => number;
	/** Used if the processes cannot be listed. */
	readonly signalRoot: (root: number, signal: NodeJS.Signals) => Promise<void>;
}

/**
 * Also finds processes that left the process group, by their environment, their parents and earlier looks. Does not find one
 * that wiped its environment, left the group and lost its parent between two looks.
 */
class SystemProcessTree implements ProcessTree {
	id: ProcessTreeId;
	readonly #system: System;

	constructor(id: ProcessTreeId, system: System) {
		this.id = id;
		this.#system = system;
	}

	async members(): Promise<readonly Process[]> {
		const members = await this.#look();
		if (members === undefined) this.#loseSight();
		return members ?? [];
	}

	async end(): Promise<void> {
		const hasEnded = await this.#signal('SIGTERM', TERM_TIMEOUT_MS);
		if (!hasEnded) await this.#signal('SIGKILL', KILL_TIMEOUT_MS);
		this.#loseSight();
	}

	/** Undefined if the processes cannot be listed. */
	async #look(): Promise<readonly Process[] | undefined> {
		const processes = await this.#system.read().catch(() => undefined);
		if (processes === undefined) return undefined;
		const members = membersOf(this.id, processes);
		this.id = { ...this.id, seen: members.map(({ identity }) => identity) };
		return members;
	}

	/** Stops trusting the id of the first process: it can end unseen from now on, and its id can be reused. */
	#loseSight(): void {
		this.id = { ...this.id, seen: this.id.seen ?? [] };
	}

	async #signal(signal: NodeJS.Signals, timeout: number): Promise<boolean> {
		const signalled = new Set<string>();
		const { now, signalRoot } = this.#system;
		const until = now() + timeout;
		// Looks again each time: until the signal arrives, a process can start others.
		do {
			const members = await this.#look();
			if (members === undefined) {
				const { root, seen } = this.id;
				if (root === undefined || seen !== undefined) return true;
				await signalRoot(root, signal);
				await delay(timeout);
				return false;
			}
			if (members.length === 0) return true;
			for (const { pid, identity } of members) {
				if (!signalled.has(identity)) kill(pid, signal);
				signalled.add(identity);
			}
			await delay(POLL_INTERVAL_MS);
		} while (now() < until);
		return false;
	}
}

export function membersOf(
	{ commandId, root, since = 0, seen }: ProcessTreeId,
	processes: readonly Process[],
): Process[] {
	const known = new Set(seen);
	// Another process or group can reuse the id.
	const holdsRoot =
		seen === undefined ||
		processes.some((each) => (each.pid === root || each.group === root) && known.has(each.identity));
	const members = new Map<number, Process>();
	// On Windows, a member can reuse the id of an older process's parent.
	const isChild = (each: Process, parent: Process | undefined) =>
		parent !== undefined && !(each.started < parent.started);
	const belongs = (each: Process) =>
		// Never these two: ending one of them by mistake would end everything.
		each.pid !== 1 &&
		each.pid !== process.pid &&
		!(each.started < since) &&
		((root !== undefined && holdsRoot && [each.pid, each.parent, each.group].includes(root)) ||
			known.has(each.identity) ||
			isChild(each, members.get(each.parent)) ||
			(each.commandId !== undefined && each.commandId === commandId));
	// Repeats until nothing changes, because children can be listed before their parents.
	for (let before = -1; before !== members.size; ) {
		before = members.size;
		for (const each of processes) if (!members.has(each.pid) && belongs(each)) members.set(each.pid, each);
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

async function signalRoot(root: number, signal: NodeJS.Signals): Promise<void> {
	for (const id of [-root, root]) kill(id, signal);
}

async function taskkill(root: number): Promise<void> {
	const program = windowsProgram('taskkill.exe', process.env);
	await promisify(execFile)(program, ['/pid', String(root), '/t', '/f']).catch(() => {});
}
