/** Changes each decision of a room of server/, and tells which changes no test of the room notices: `npm run mutants -- paths` */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const packages = ['core', 'vitest-runner'].map((name) => `--package=@stryker-mutator/${name}@9.6.1`);
const config = join(import.meta.dirname, 'stryker.config.mjs');
const { status } = spawnSync('npx', ['--yes', ...packages, 'stryker', 'run', config], {
	cwd: join(import.meta.dirname, '../..'),
	env: { ...process.env, ROOM: process.argv[2] },
	stdio: 'inherit',
	shell: process.platform === 'win32',
});
process.exit(status ?? 1);
