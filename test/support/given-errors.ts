import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Reporter } from 'vitest/node';
import { ERROR_CODES, type ErrorCode } from '../../server/errors.ts';

/** One file for each code; its time is that of the last run that saw the error. Several processes write here, in two runs. */
const FOLDER = new URL('../node_modules/.given-errors/', import.meta.url);

/** Longer than `npm test` and the rest of the full run together. */
const RUN_MS = 3 * 60 * 60 * 1_000;

/** A bug in the broker; no test can provoke it. */
const UNWANTED: readonly ErrorCode[] = ['internal_error'];

const seen = new Set<string>();

/** Notes the broker's errors in a text that a real process gave to a test or to a session's model. */
export function noteErrors(text: string): void {
	for (const [, code = ''] of text.matchAll(/\b([a-z]+(?:_[a-z]+)+): [A-Z]/g)) {
		if (seen.has(code) || !ERROR_CODES.includes(code as ErrorCode)) continue;
		seen.add(code);
		mkdirSync(FOLDER, { recursive: true });
		rmSync(new URL(code, FOLDER), { force: true });
		writeFileSync(new URL(code, FOLDER), '');
	}
}

/** After the full run, checks that each error of the documents' table came from a real process. */
export const givenErrorsReporter: Reporter = {
	onTestRunEnd(modules) {
		const projects = new Map(modules.map(({ project }) => [project.name, project]));
		const isFull = ['unit', 'stdio', 'bootstrap', 'claude', 'clients'].every((name) => projects.has(name));
		const isNarrowed = projects.get('stdio')?.globalConfig.testNamePattern !== undefined;
		if (!isFull || isNarrowed) return;
		const wasGiven = (code: string) => {
			const stats = statSync(fileURLToPath(new URL(code, FOLDER)), { throwIfNoEntry: false });
			return stats !== undefined && Date.now() - stats.mtimeMs < RUN_MS;
		};
		const wanted = ERROR_CODES.filter((code) => !UNWANTED.includes(code));
		const missing = wanted.filter((code) => !wasGiven(code));
		process.stdout.write(
			`\nErrors of docs/errors.md that a broker gave: ${wanted.length - missing.length} of ${wanted.length}.\n`,
		);
		if (missing.length === 0) return;
		process.stdout.write(`Not given: ${missing.join(', ')}\n`);
		process.exitCode = 1;
	},
};
