import { execFile } from 'node:child_process';
import type { Said } from './patient.ts';

/** Milliseconds that a program gets. */
const PATIENCE = 20_000;

const SCRIPTS = ['npm', 'claude'];

/** Runs a program to its end. @returns undefined where there is none of that name, or it took too long */
export async function runProgram(program: string, args: readonly string[], folder: string): Promise<Said | undefined> {
	return await new Promise((resolve) => {
		// On Windows npm and claude are scripts. Only they: a shell would read what is special in a path.
		const shell = process.platform === 'win32' && SCRIPTS.includes(program);
		const options = { cwd: folder, timeout: PATIENCE, windowsHide: true, shell };
		execFile(program, args, options, (error, text) => {
			if (error === null) resolve({ status: 0, text });
			else resolve(typeof error.code === 'number' ? { status: error.code, text } : undefined);
		});
	});
}
