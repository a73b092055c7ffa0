import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { BOOTSTRAP } from './paths.ts';

declare module 'vitest' {
	interface ProvidedContext {
		/** A data folder with a built broker, shared by all tests that are not about the build. */
		preparedData: string;
	}
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
	const data = await mkdtemp(join(tmpdir(), 'context-broker-data-'));
	const env = { PATH: process.env.PATH, HOME: data, USERPROFILE: data, CLAUDE_PLUGIN_DATA: data };
	await promisify(execFile)(process.execPath, [BOOTSTRAP, 'prepare'], { env });
	// A test starts the broker from an account without permissions.
	await chmod(data, 0o755);
	project.provide('preparedData', data);
	return () => rm(data, { recursive: true, force: true, maxRetries: 15 });
}
