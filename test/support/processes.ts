import { readdirSync, readFileSync } from 'node:fs';

/** Processes whose command line contains a text. */
export function processesWith(text: string): number[] {
	return others().filter((pid) => commandLine(pid).includes(text));
}

/** Processes whose command line or environment contains a text: also their children. */
export function processesNaming(text: string): number[] {
	return others().filter((pid) => commandLine(pid).includes(text) || read(pid, 'environ').includes(text));
}

function others(): number[] {
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
		.map(Number);
}

/** A process's command line, its arguments joined by blanks; empty if the process is gone. */
export function commandLine(pid: number): string {
	return read(pid, 'cmdline').replaceAll('\0', ' ');
}

/** Empty for a process that has ended but was not waited for. */
function read(pid: number, what: 'cmdline' | 'environ'): string {
	try {
		return readFileSync(`/proc/${pid}/${what}`, 'utf8');
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
