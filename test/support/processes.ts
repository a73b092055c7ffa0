import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { procOf } from '../../server/processes/process-table.ts';

/** The processes of which the command line holds a text. */
export function processesWith(text: string): number[] {
	return [...commandLines()].filter(([, line]) => line.includes(text)).map(([pid]) => pid);
}

/** The same, or the environment: also what they have started. On Linux alone. */
export function processesNaming(text: string): number[] {
	return [...commandLines()]
		.filter(([pid, line]) => line.includes(text) || environment(pid).includes(text))
		.map(([pid]) => pid);
}

/** The command line of a process, its parts between blanks; empty if it is gone. */
export function commandLine(pid: number): string {
	return commandLines().get(pid) ?? '';
}

/** Of all processes but this one, by their ids. One that has ended and was not waited for is none. */
export function commandLines(): Map<number, string> {
	const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'pid=,stat=,command='], {
		encoding: 'utf8',
		maxBuffer: 64 * 1024 * 1024,
	});
	const lines = [...stdout.matchAll(/^ *(\d+) +([^Z\s]\S*) +(.*)$/gm)];
	const all = lines.map(([, pid, , line = '']) => [Number(pid), line] as const);
	return new Map(all.filter(([pid]) => pid !== process.pid));
}

/** Whether the system says that a process has ended: at once on Linux, where ps would take its time. */
export function hasEnded(pid: number): boolean {
	return process.platform === 'linux' ? procOf(pid) === undefined : !commandLines().has(pid);
}

function environment(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/environ`, 'utf8');
	} catch {
		return '';
	}
}

/** Ends these at once, if they are still there. */
export function killAll(pids: readonly number[]): void {
	for (const pid of pids) {
		try {
			process.kill(pid, 'SIGKILL');
		} catch {
			// It has ended meanwhile.
		}
	}
}
