import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { procOf } from '../../server/processes/process-table.ts';
import { SYSTEM } from './system.ts';

/** Processes whose command line contains a text. */
export function processesWith(text: string): number[] {
	return [...commandLines()].filter(([, line]) => line.includes(text)).map(([pid]) => pid);
}

/** Processes whose command line or environment contains a text: also their children. Linux only. @param pattern of the command line */
export function processesNaming(text: string, pattern = /^/): number[] {
	return [...commandLines()]
		.filter(([pid, line]) => pattern.test(line) && (line.includes(text) || environment(pid).includes(text)))
		.map(([pid]) => pid);
}

/** A process's command line, its arguments joined by blanks; empty if the process is gone. */
export function commandLine(pid: number): string {
	return commandLines().get(pid) ?? '';
}

/** Of all other processes, by id. Without those that have ended but were not waited for. */
export function commandLines(): Map<number, string> {
	const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'pid=,stat=,command='], {
		encoding: 'utf8',
		maxBuffer: 64 * 1024 * 1024,
	});
	const lines = [...stdout.matchAll(/^ *(\d+) +([^Z\s]\S*) +(.*)$/gm)];
	const all = lines.map(([, pid, , line = '']) => [Number(pid), line] as const);
	return new Map(all.filter(([pid]) => pid !== process.pid));
}

/** Whether a process has ended. On Linux it asks /proc, since ps is slower. */
export function hasEnded(pid: number): boolean {
	if (process.platform !== 'linux') return !commandLines().has(pid);
	// Other systems report the end when all threads have ended.
	return procOf(pid) === undefined && (SYSTEM === 'linux' || threadsOf(pid) <= 1);
}

function threadsOf(pid: number): number {
	try {
		return readdirSync(`/proc/${pid}/task`).length;
	} catch {
		return 0;
	}
}

function environment(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/environ`, 'utf8');
	} catch {
		return '';
	}
}

/** Kills processes that still exist. */
export function killAll(pids: readonly number[]): void {
	for (const pid of pids) {
		try {
			process.kill(pid, 'SIGKILL');
		} catch {
			// It has already ended.
		}
	}
}
