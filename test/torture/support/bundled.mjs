import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Makes a program that plain Node runs of a TypeScript file. The root of the checkout is `TORTURE_ROOT` in it.
 *
 * @param {string} root
 * @param {string} entry its path from test/torture on
 * @returns {Promise<string>} the path of the program
 */
export async function bundled(root, entry) {
	const { build } = createRequire(join(root, 'package.json'))('esbuild');
	const outfile = join(root, 'test', 'node_modules', '.torture', `${entry.replaceAll(/\W/g, '-')}.mjs`);
	await build({
		entryPoints: [join(root, 'test', 'torture', entry)],
		outfile,
		bundle: true,
		packages: 'external',
		platform: 'node',
		format: 'esm',
		target: 'node20',
		logLevel: 'warning',
		define: { TORTURE_ROOT: JSON.stringify(root) },
	});
	return outfile;
}
