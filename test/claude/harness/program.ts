import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A program to run without standard input. */
export interface Program {
	readonly program: string;
	readonly args: readonly string[];
	readonly cwd: string;
	/** The whole environment. */
	readonly env: Readonly<Record<string, string>>;
	/** Time limit in milliseconds. */
	readonly timeoutMs: number;
}

/** A finished program's exit code and output. */
export interface Finished {
	readonly exitCode: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

/**
 * Runs a program in its own process group, and ends the whole group with it, so that no child is left.
 *
 * @throws Error with the output so far, if it takes too long
 */
export async function runProgram({ timeoutMs, ...program }: Program): Promise<Finished> {
	// Files instead of pipes: if the reader is slow, 2.1.126 ends before all of its output is through.
	const folder = await mkdtemp(join(tmpdir(), 'context-broker-output-'));
	const [stdout, stderr] = [join(folder, 'stdout'), join(folder, 'stderr')];
	try {
		const { exitCode, late } = await runInto(stdout, stderr, program, timeoutMs);
		const finished = { exitCode, stdout: await readFile(stdout, 'utf8'), stderr: await readFile(stderr, 'utf8') };
		if (late) {
			const command = [program.program, ...program.args].join(' ');
			throw new Error(`Not done within ${timeoutMs} ms: ${command}\n${finished.stdout}\n${finished.stderr}`);
		}
		return finished;
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

async function runInto(
	stdout: string,
	stderr: string,
	{ program, args, cwd, env }: Omit<Program, 'timeoutMs'>,
	timeoutMs: number,
): Promise<{ exitCode: number | null; late: boolean }> {
	const files = await Promise.all([open(stdout, 'w'), open(stderr, 'w')]);
	const child = spawn(program, args, {
		cwd,
		env,
		detached: true,
		stdio: ['ignore', files[0].fd, files[1].fd],
	});
	let late = false;
	const timer = setTimeout(() => {
		late = true;
		endGroup(child.pid);
	}, timeoutMs);
	try {
		const [exitCode] = (await once(child, 'exit')) as [number | null];
		return { exitCode, late };
	} finally {
		clearTimeout(timer);
		endGroup(child.pid);
		await Promise.all(files.map((file) => file.close()));
	}
}

/** Kills a process group if it still exists. */
export function endGroup(pid: number | undefined): void {
	if (pid === undefined) return;
	try {
		process.kill(-pid, 'SIGKILL');
	} catch (error) {
		// The whole group has already ended.
		if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
	}
}
