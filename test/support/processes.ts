import { readdirSync, readFileSync } from 'node:fs';

/** The processes of which the command line holds a text. */
export function processesWith(text: string): number[] {
	return others().filter((pid) => commandLine(pid).includes(text));
}

/** The same, or the environment: also what they have started. */
export function processesNaming(text: string): number[] {
	return others().filter((pid) => commandLine(pid).includes(text) || read(pid, 'environ').includes(text));
}

function others(): number[] {
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
		.map(Number);
}

/** The command line of a process, its parts between blanks; empty if it is gone. */
export function commandLine(pid: number): string {
	return read(pid, 'cmdline').replaceAll('\0', ' ');
}

/** One that has ended and was not waited for has none. */
function read(pid: number, what: 'cmdline' | 'environ'): string {
	try {
		return readFileSync(`/proc/${pid}/${what}`, 'utf8');
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
