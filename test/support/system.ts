import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { systemProgram } from '../../server/processes/system-program.ts';

declare module 'vitest' {
	interface ProvidedContext {
		/** Environment in which a broker takes this system for another one; undefined without that. */
		fakedSystem: Record<string, string> | undefined;
	}
}

/** The system that the broker sees. */
export const SYSTEM = process.env.TESTED_SYSTEM ?? process.platform;

/** Reasons to skip a test. */
export const NEEDS_SETSID = 'a process that has left its group is found on Linux alone';
export const NEEDS_PROC = 'it reads /proc, which Linux alone has';

/** Programs of a new Mac, as far as the tests use them. */
const PROGRAMS_OF_MACOS =
	'bash cat cut date env false git grep head id kill ls mkdir mkfifo mv nc ps pwd rm sed seq sh sleep tail tee touch tr true wc';

const FAKE = fileURLToPath(new URL('fake-darwin.cjs', import.meta.url));

/** Makes brokers of the project take this Linux for macOS. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
	const folder = await mkdtemp(join(tmpdir(), 'context-broker-macos-'));
	for (const name of PROGRAMS_OF_MACOS.split(' ')) {
		const file = systemProgram(name);
		if (file !== undefined) await symlink(file, join(folder, name));
	}
	await symlink(process.execPath, join(folder, 'node'));
	project.provide('fakedSystem', { PATH: folder, NODE_OPTIONS: `--require ${JSON.stringify(FAKE)}` });
	return () => rm(folder, { recursive: true, force: true });
}
