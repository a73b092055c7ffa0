import { join } from 'node:path';
import { build } from 'esbuild';

declare const TORTURE_ROOT: string;

/**
 * Makes a program of a TypeScript file that a row runs in a process of its own.
 *
 * @param entry its path from test/torture on
 * @returns the path of what plain Node runs
 */
export async function bundled(entry: string): Promise<string> {
	const outfile = join(TORTURE_ROOT, 'test', 'node_modules', '.torture', `${entry.replaceAll(/\W/g, '-')}.mjs`);
	await build({
		entryPoints: [join(TORTURE_ROOT, 'test', 'torture', entry)],
		outfile,
		bundle: true,
		packages: 'external',
		platform: 'node',
		format: 'esm',
		target: 'node20',
		logLevel: 'warning',
	});
	return outfile;
}
