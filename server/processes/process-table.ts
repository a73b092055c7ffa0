import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

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

export type ReadProcesses = () => Promise<readonly Process[]>;

export function processesOf(platform: NodeJS.Platform): ReadProcesses {
	return platform === 'linux' ? sharing(readProc) : readPs;
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
	const args = ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='];
	const { stdout } = await promisify(execFile)('ps', args, { maxBuffer: 64 * 1024 * 1024 });
	return stdout.split('\n').flatMap((line) => {
		const [, id, parent, group, state, started] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
		if (started === undefined || state?.startsWith('Z')) return [];
		const [pid, identity] = [Number(id), `${id} ${started}`];
		return [{ pid, parent: Number(parent), group: Number(group), identity, started: Number.NaN, commandId: undefined }];
	});
}

/** Reads once for all callers in the same turn of the event loop, for example 200 commands that end together. */
function sharing(readAll: () => readonly Process[]): ReadProcesses {
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
