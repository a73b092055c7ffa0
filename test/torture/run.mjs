/**
 * `npm run torture`: the whole product under what machines of users do to it; see rows/.
 *
 *     --short        fewer of each, for CI: two minutes
 *     --only TEXT    only the rows whose name begins so
 *     --seed N       another series of random inputs; a failure names the seed of its own, to be tried again with --only
 *     --json FILE    where the figures go
 *
 * Exit status 1 where something did not hold. The rows are TypeScript, as what they put to the test.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { build } = createRequire(join(root, 'package.json'))('esbuild');
const outfile = join(root, 'test', 'node_modules', '.torture', 'torture.mjs');
await build({
	entryPoints: [fileURLToPath(new URL('torture.ts', import.meta.url))],
	outfile,
	bundle: true,
	packages: 'external',
	platform: 'node',
	format: 'esm',
	target: 'node20',
	logLevel: 'warning',
	define: { TORTURE_ROOT: JSON.stringify(root) },
});
const { torture } = await import(pathToFileURL(outfile).href);
process.exitCode = await torture(process.argv.slice(2));
process.exit();
