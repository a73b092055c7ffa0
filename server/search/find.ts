import { promises as fs } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { BrokerError } from '../errors.ts';
import { gitProgram } from '../processes/git-program.ts';
import type { Findings } from './findings.ts';
import { REASONS } from './report.ts';
import { notSearched, type Scope, scopeOf } from './scope.ts';
import { type Progress, search } from './search.ts';
import { startThread } from './thread.ts';

/** More threads do not make a disk faster, and each takes memory. */
const MAX_THREADS = 4;

export interface FindRequest {
	/** Absolute. */
	readonly project: string;
	/** The caller's working folder: absolute, or ''. */
	readonly cwd: string;
	/** Relative to the project, or absolute. */
	readonly path: string;
	/** The private file's path; its text follows. */
	readonly file: string;
	readonly text: string;
	readonly history: boolean;
	readonly ignored: boolean;
	readonly signal: AbortSignal;
	readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/**
 * Searches a project for a private file's entries.
 *
 * @param program what runs as a worker thread, and its arguments
 * @throws BrokerError
 */
export async function find(
	{ project, cwd, path, file, ...request }: FindRequest,
	program: readonly [string, ...string[]],
): Promise<Findings> {
	const scope: Scope = await scopeOf(project, path, cwd);
	const own = await fs.realpath(file).catch(() => file);
	if (join(scope.root, scope.path) === own) throw notSearched('the private file itself');
	const findings = await search({
		...request,
		...scope,
		git: await gitProgram(process.env.PATH),
		except: [own],
		threads: Math.min(availableParallelism(), MAX_THREADS),
		start: (start) => startThread(program, start),
	}).catch((cause: unknown) => {
		// Errors from a worker thread arrive as plain errors.
		const { code } = Object(cause) as Partial<BrokerError>;
		throw code === 'git_failed' ? new BrokerError(code, { cause }) : cause;
	});
	for (const [reason, { paths }] of findings.unsearched) {
		if (findings.total === 0 && paths.includes(scope.path)) throw notSearched(REASONS[reason]);
	}
	return findings;
}
