import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { systemProgram, windowsProgram } from './system-program.ts';

/** Holds the command's id in the environment of all its processes. */
export const COMMAND_VARIABLE = 'CONTEXT_BROKER_COMMAND';

export interface Process {
	readonly pid: number;
	readonly parent: number;
	readonly group: number;
	/** Process id and start time, because systems reuse process ids. */
	readonly identity: string;
	/** In a platform-specific unit; NaN if unknown. */
	readonly started: number;
	/** The value of {@link COMMAND_VARIABLE}, if it can be read. Read on first use. */
	readonly commandId: string | undefined;
}

/** Rejects if the processes cannot be listed. */
export type ReadProcesses = () => Promise<readonly Process[]>;

/** For the program that lists processes. */
const LIST_TIMEOUT_MS = 5_000;

export function processesOf(platform: NodeJS.Platform): ReadProcesses {
	if (platform === 'linux') return sharing(readProc);
	return sharing(platform === 'win32' ? readCim : readPs);
}

/** Takes about 10 µs a process. */
export function readProc(): Process[] {
	return readdirSync('/proc').flatMap((name) => {
		const pid = Number(name);
		return Number.isInteger(pid) ? (procOf(pid) ?? []) : [];
	});
}

export function procOf(pid: number): Process | undefined {
	const stat = read(`/proc/${pid}/stat`) ?? '';
	// proc(5): the program's name in parentheses can hold any character; state, parent and group follow.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	const [state, parent, group] = fields;
	const started = fields[19];
	if (started === undefined || state === 'Z' || state === 'X') return undefined;
	let id: { readonly value: string | undefined } | undefined;
	return {
		pid,
		parent: Number(parent),
		group: Number(group),
		identity: `${pid} ${started}`,
		started: Number(started),
		get commandId() {
			id ??= { value: commandIdIn(read(`/proc/${pid}/environ`) ?? '') };
			return id.value;
		},
	};
}

function commandIdIn(environ: string): string | undefined {
	const name = `${COMMAND_VARIABLE}=`;
	const entry = environ.split('\0').find((each) => each.startsWith(name));
	return entry?.slice(name.length);
}

/** A file of /proc; undefined if the process is gone or belongs to another account. */
function read(file: string): string | undefined {
	try {
		return readFileSync(file, 'latin1');
	} catch (error) {
		const { code = '' } = error as NodeJS.ErrnoException;
		if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(code)) return undefined;
		throw error;
	}
}

/** Runs ps(1), which does not show environments on every system. */
export async function readPs(): Promise<Process[]> {
	const ps = systemProgram('ps');
	if (ps === undefined) throw new Error('There is no ps');
	return await listed(ps, ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='], (line) => {
		const [, id, parent, group, state, started] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
		if (started === undefined || state?.startsWith('Z')) return [];
		const [pid, identity] = [Number(id), `${id} ${started}`];
		return [{ pid, parent: Number(parent), group: Number(group), identity, started: Number.NaN, commandId: undefined }];
	});
}

/** Prints a line for each process: its id, its parent's id, and its start in milliseconds since 1970. */
const LIST_PROCESSES = [
	'Get-CimInstance Win32_Process -Property ProcessId,ParentProcessId,CreationDate | Where-Object CreationDate',
	"ForEach-Object { '{0} {1} {2}' -f $_.ProcessId, $_.ParentProcessId, ([DateTimeOffset]$_.CreationDate).ToUnixTimeMilliseconds() }",
].join(' | ');

/** Runs PowerShell. Windows has no process groups, and a process keeps the id of a parent that has ended. */
export async function readCim(): Promise<Process[]> {
	const powershell = windowsProgram('WindowsPowerShell/v1.0/powershell.exe', process.env);
	return await listed(powershell, ['-NoProfile', '-NonInteractive', '-Command', LIST_PROCESSES], (line) => {
		const [, id, parent, started] = /^(\d+) (\d+) (\d+)\s*$/.exec(line) ?? [];
		if (started === undefined) return [];
		const [pid, identity] = [Number(id), `${id} ${started}`];
		return [
			{ pid, parent: Number(parent), group: Number.NaN, identity, started: Number(started), commandId: undefined },
		];
	});
}

async function listed(
	program: string,
	args: readonly string[],
	parse: (line: string) => Process[],
): Promise<Process[]> {
	const options = { maxBuffer: 64 * 1024 * 1024, timeout: LIST_TIMEOUT_MS, windowsHide: true };
	const { stdout } = await promisify(execFile)(program, args, options);
	const processes = stdout.split('\n').flatMap(parse);
	if (!processes.some(({ pid }) => pid === process.pid)) throw new Error('Not all processes are listed');
	return processes;
}

/** Reads once for all callers in the same turn of the event loop, for example 200 commands that end together. */
function sharing(readAll: () => readonly Process[] | Promise<readonly Process[]>): ReadProcesses {
	let next: Promise<readonly Process[]> | undefined;
	return () => {
		next ??= new Promise((resolve, reject) => {
			setImmediate(() => {
				next = undefined;
				try {
					resolve(readAll());
				} catch (error) {
					reject(error);
				}
			});
		});
		return next;
	};
}
