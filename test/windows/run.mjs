/**
 * The tests on Windows, or else under Wine 10.
 *
 *     npm run test:windows                    unit and stdio tests, and sessions with the Windows client
 *     npm run test:windows -- server/paths    test files whose names contain this
 *     npm run test:windows -- --long stdio    the same of those that `npm test` leaves to the full run
 *     npm run test:windows -- --node 24       with another Node, under Wine
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { reasonAgainstWine, runInside, setUp } from './wine.mjs';

const { values, positionals } = parseArgs({
	options: { node: { type: 'string', default: '20' }, long: { type: 'boolean', default: false } },
	allowPositionals: true,
});

/** Sessions with the newest client alone. None is in a terminal: tests make that by a program of Unix. */
const SESSIONS = ['identity', 'load-context', 'shell', 'spelled-paths'].map((name) => `claude/${name}`);

/** Again if they fail: under Wine on a busy machine, a broker at times needs more for its end than its second and a half. */
const STDIO = ['--project', 'stdio', '--retry', '2'];

/** Of the tests that take long, those of how servers behind the broker start and end. */
const SERVERS = ['--mode', 'long', '--project', 'stdio', 'stdio/servers/faults'];

const mode = values.long ? ['--mode', 'long'] : [];
const runs =
	positionals.length > 0
		? [[...mode, '--project', 'unit', '--project', 'stdio', '--project', 'claude', ...positionals]]
		: [['--project', 'unit'], STDIO, SERVERS, ['--project', 'claude', ...SESSIONS]];

process.exit(process.platform === 'win32' ? onWindows() : underWine());

function onWindows() {
	const root = fileURLToPath(new URL('..', import.meta.url));
	const start = (/** @type {string[]} */ ...args) =>
		spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
	const installed = start('setup.mjs', 'all');
	if (installed !== 0) return installed;
	return Math.max(...runs.map((args) => start('node_modules/vitest/vitest.mjs', 'run', ...args)));
}

function underWine() {
	const reason = reasonAgainstWine();
	if (reason !== undefined) {
		process.stdout.write(`Skipped: Wine 10 can't be set up on this machine, since ${reason}.\n`);
		return 0;
	}
	setUp(values.node);
	const { devDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
	const version = devDependencies['@anthropic-ai/claude-code'];
	// Output by a file: a pipe of Linux is none of Windows.
	const script = `cd /shared/checkout/test
: >/shared/output.txt
CLAUDE_VERSIONS=${version} WINEPATH='Z:\\shared\\bin\\${values.node}' wine64 'Z:\\shared\\bin\\${values.node}\\node.exe' node_modules/vitest/vitest.mjs run "$@" >/shared/output.txt 2>&1 </dev/null &
tail --lines=+1 --follow --sleep-interval=0.2 --pid=$! /shared/output.txt
wait $!`;
	return Math.max(...runs.map((args) => runInside(['sh', '-c', script, 'sh', ...args])));
}
