import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { systemProgram } from '../../server/processes/system-program.ts';

declare module 'vitest' {
	interface ProvidedContext {
		/** Makes a broker take this system for another one; undefined if it does not. */
		fakedSystem: Record<string, string> | undefined;
	}
}

/** The system that the broker finds: another one than this if it is faked. */
export const SYSTEM = process.env.TESTED_SYSTEM ?? process.platform;

/** Reasons to skip a test. */
export const NEEDS_SETSID = 'a process that has left its group is found on Linux alone';
export const NEEDS_PROC = 'it reads /proc, which Linux alone has';

/** What a new Mac has, of what the tests use. */
const PROGRAMS_OF_MACOS =
	'bash cat cut date env false git grep head id kill ls mkdir mkfifo mv nc ps pwd rm sed seq sh sleep tail tee touch tr true wc';

const FAKE = fileURLToPath(new URL('fake-darwin.cjs', import.meta.url));

/** Makes this Linux a Mac for the brokers of the project's tests, as far as that goes. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
	const folder = await mkdtemp(join(tmpdir(), 'context-broker-macos-'));
	for (const name of PROGRAMS_OF_MACOS.split(' ')) {
		const file = systemProgram(name);
		if (file !== undefined) await symlink(file, join(folder, name));
	}
	await symlink(process.execPath, join(folder, 'node'));
	project.provide('fakedSystem', { PATH: folder, NODE_OPTIONS: `--require ${FAKE}` });
	return () => rm(folder, { recursive: true, force: true });
}
