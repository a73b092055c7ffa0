/**
 * `npm run test:claude`: the sessions with Claude Code, in the versions that test/package.json names, or in others.
 *
 *     --version 2.1.229   in this one, which is installed first; may be given several times
 *
 * All else goes to vitest: files, `-t`, and so on.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const test = fileURLToPath(new URL('..', import.meta.url));
/** @type {string[]} */
const versions = [];
/** @type {string[]} */
const rest = [];
for (const args = process.argv.slice(2); args.length > 0; ) {
	const [arg = ''] = args.splice(0, 1);
	if (arg === '--version') versions.push(args.shift() ?? '');
	else rest.push(arg);
}

/** @param {string} command @param {string[]} args @param {NodeJS.ProcessEnv} [env] */
function run(command, args, env = process.env) {
	const { status } = spawnSync(command, args, {
		cwd: test,
		stdio: 'inherit',
		env,
		shell: process.platform === 'win32',
	});
	if (status !== 0) process.exit(status ?? 1);
}

for (const version of versions) {
	if (!/^\d+\.\d+\.\d+$/.test(version)) {
		process.stderr.write('--version takes a version of Claude Code, such as 2.1.229.\n');
		process.exit(2);
	}
	const folder = `node_modules/.claude-code/${version}`;
	if (existsSync(`${test}/${folder}/node_modules/@anthropic-ai/claude-code`)) continue;
	const install = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
	run('npm', [...install, `@anthropic-ai/claude-code@${version}`]);
}
const env = versions.length === 0 ? process.env : { ...process.env, CLAUDE_VERSIONS: versions.join() };
run('npx', ['vitest', 'run', '--project', 'claude', ...rest], env);
