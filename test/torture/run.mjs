/**
 * `npm run torture`: the whole product under what machines of users do to it; see rows/.
 *
 *     --short        fewer of each, for CI: a minute
 *     --only TEXT    only the rows whose name begins so
 *     --seed N       another series of random inputs; a failure names the seed of its own, to be tried again with --only
 *     --json FILE    where the figures go
 *
 * Exit status 1 where something did not hold. The rows are TypeScript, as what they put to the test.
 */
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundled } from './support/bundled.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { torture } = await import(pathToFileURL(await bundled(root, 'torture.ts')).href);
process.exitCode = await torture(process.argv.slice(2));
process.exit();
