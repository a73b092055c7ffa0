import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isRunning } from '../../server/processes/is-running.ts';
import { procOf } from '../../server/processes/process-table.ts';
import { windowsProgram } from '../../server/processes/system-program.ts';
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

/** Of all other processes, by id; under Wine by Linux's. Without those that have ended but were not waited for. */
export function commandLines(): Map<number, string> {
	return new Map([...listAll()].filter(([pid]) => pid !== process.pid));
}

/** Programs of Windows see it under Wine alone, which itself shows no command lines. */
const WINE_PROC = 'Z:\\proc';

const LIST_ON_WINDOWS = `Get-CimInstance Win32_Process | ForEach-Object { '{0} - {1}' -f $_.ProcessId, $_.CommandLine }`;

function listAll(): Map<number, string> {
	if (process.platform === 'win32' && existsSync(WINE_PROC)) return listInWine();
	const [program, args] =
		process.platform === 'win32'
			? [
					windowsProgram('WindowsPowerShell/v1.0/powershell.exe', process.env),
					['-NoProfile', '-Command', LIST_ON_WINDOWS],
				]
			: ['ps', ['-A', '-ww', '-o', 'pid=,stat=,command=']];
	const { stdout } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
	const lines = [...stdout.matchAll(/^ *(\d+) +([^Z\s]\S*) +(.*)$/gm)];
	return new Map(lines.map(([, pid, , line = '']) => [Number(pid), line]));
}

function listInWine(): Map<number, string> {
	const lines = readdirSync(WINE_PROC).flatMap((name): [number, string][] => {
		try {
			return [[Number(name), readFileSync(`${WINE_PROC}\\${name}\\cmdline`, 'utf8').replaceAll('\0', ' ').trim()]];
		} catch {
			return []; // It is no process, or has ended.
		}
	});
	return new Map(lines.filter(([pid, line]) => !Number.isNaN(pid) && line !== ''));
}

/** Whether a process has ended. On Linux it asks /proc, since ps is slower. */
export function hasEnded(pid: number): boolean {
	if (process.platform === 'win32') return !isRunning(pid);
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
