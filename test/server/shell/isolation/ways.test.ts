import { expect, test } from 'vitest';
import { isolationWays } from '../../../../server/shell/isolation/ways.ts';

const RUN = { program: 'bash', args: ['-c', 'echo "a b"'] };

function commandLines(platform: NodeJS.Platform, account?: { user: number; group: number }): string[] {
	return isolationWays(platform, account).map((way) => {
		const { program, args } = way.wrap(RUN, ['/run/a b.sock']);
		return [program, ...args.filter((arg) => !arg.includes('\n'))].join(' ');
	});
}

test('on Linux bubblewrap comes before plain namespaces, and root gives up its rights', () => {
	expect(commandLines('linux', { user: 1000, group: 100 })).toEqual([
		'bwrap --dev-bind / / --unshare-net --ro-bind /dev/null /run/a b.sock -- bash -c echo "a b"',
		'unshare --user --map-root-user --net --mount -- sh -c sh 1000 100 /run/a b.sock -- bash -c echo "a b"',
	]);
	expect(commandLines('linux', { user: 0, group: 0 })[0]).toBe(
		'bwrap --dev-bind / / --unshare-net --unshare-user --cap-drop ALL --ro-bind /dev/null /run/a b.sock -- bash -c echo "a b"',
	);
});

test('on macOS it is the sandbox of the system, on Windows there is none', () => {
	expect(commandLines('darwin', { user: 501, group: 20 })).toEqual([
		'/usr/bin/sandbox-exec -p (version 1)(allow default)(deny network*) bash -c echo "a b"',
	]);
	expect(commandLines('win32')).toEqual([]);
});
