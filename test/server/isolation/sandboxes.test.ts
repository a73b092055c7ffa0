import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { NOT_ISOLATED, sandboxesOn } from '../../../server/isolation/sandboxes.ts';
import { systemProgram } from '../../../server/processes/system-program.ts';
import { MAY_NOT_ISOLATE, mayUse } from '../../support/account.ts';
import { shortFolder } from '../../support/temporary.ts';

const RUN = { program: 'bash', args: ['-c', 'echo "a b"'] };

/** @param missing a program that is not there */
function commandLines(platform: NodeJS.Platform, account?: { user: number; group: number }, missing = ''): string[] {
	const find = (name: string) => (name === missing ? undefined : `/bin/${name}`);
	return sandboxesOn(platform, account, find).map((sandbox) => {
		const { program, args } = sandbox.wrap(RUN, ['/run/a b.sock']);
		return [program, ...args.filter((arg) => !arg.includes('\n'))].join(' ');
	});
}

const JO = { user: 1000, group: 100 };
const UNSHARE =
	'/bin/unshare --user --map-root-user --net --mount -- /bin/sh -c /bin/sh /bin/unshare /bin/mount /bin/ip';

test('on Linux plain namespaces come before bubblewrap, and root gives up its rights', () => {
	expect(commandLines('linux', JO)).toEqual([
		`${UNSHARE} 1000 100 /run/a b.sock -- bash -c echo "a b"`,
		'/bin/bwrap --dev-bind / / --unshare-net --ro-bind /dev/null /run/a b.sock -- bash -c echo "a b"',
	]);
	expect(commandLines('linux', { user: 0, group: 0 })[1]).toBe(
		'/bin/bwrap --dev-bind / / --unshare-net --unshare-user --cap-drop ALL --ro-bind /dev/null /run/a b.sock -- bash -c echo "a b"',
	);
});

test('a sandbox of which a program is missing is left out, but for the one that brings up the loopback device', () => {
	expect(commandLines('linux', JO, 'bwrap')).toHaveLength(1);
	for (const name of ['unshare', 'sh', 'mount']) expect(commandLines('linux', JO, name)).toHaveLength(1);
	expect(commandLines('linux', JO, 'ip')).toHaveLength(2);
});

test('on macOS it is the sandbox of the system, on Windows there is none', () => {
	expect(commandLines('darwin', { user: 501, group: 20 })).toEqual([
		'/usr/bin/sandbox-exec -p (version 1)(allow default)(deny network*) bash -c echo "a b"',
	]);
	expect(commandLines('win32')).toEqual([]);
});

test('where a socket can not be hidden, nothing is run', async ({ skip }) => {
	const account = { user: process.getuid?.() ?? 0, group: process.getgid?.() ?? 0 };
	// It hides nothing, and says so no more than a mount that is forbidden.
	const find = (name: string) => systemProgram(name === 'mount' ? 'true' : name);
	const sandbox = sandboxesOn(process.platform, account, find).find(({ name }) => name === 'unshare');
	skip(sandbox === undefined || !mayUse(sandbox), MAY_NOT_ISOLATE);
	const socket = join(await shortFolder(), 'socket');
	const listener = createServer().listen(socket);
	onTestFinished(() => void listener.close());
	await once(listener, 'listening');
	const run = (sockets: readonly string[]) => {
		const { program, args } = sandbox?.wrap({ program: 'echo', args: ['it ran'] }, sockets) ?? RUN;
		const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' });
		return { exitCode: status, output: stdout };
	};
	expect(run([socket])).toEqual(NOT_ISOLATED);
	expect(run([`${socket}-gone`])).toEqual({ exitCode: 0, output: 'it ran\n' });
});
