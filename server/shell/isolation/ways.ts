import type { Invocation } from '../invocation.ts';

/** A way to run a program without a network. */
export interface IsolationWay {
	/** The program that does it. */
	readonly name: string;
	/** Whether it hides sockets in the file system, through which local services are reached. */
	readonly hidesSockets: boolean;
	/** @param sockets paths of sockets to hide */
	wrap(invocation: Invocation, sockets: readonly string[]): Invocation;
}

/** Who runs the broker; undefined on Windows. */
export interface Account {
	readonly user: number;
	readonly group: number;
}

/** The ways of a platform, the better first. */
export function isolationWays(platform: NodeJS.Platform, account: Account | undefined): IsolationWay[] {
	if (platform === 'darwin') return [sandboxExec];
	return platform === 'linux' && account !== undefined ? [bubblewrap(account), unshare(account)] : [];
}

/** https://github.com/containers/bubblewrap: a network namespace of its own, all else as it is. */
function bubblewrap({ user }: Account): IsolationWay {
	// Root keeps its rights over the real network unless it gives them up, in a user namespace.
	const asRoot = user === 0 ? ['--unshare-user', '--cap-drop', 'ALL'] : [];
	return {
		name: 'bwrap',
		hidesSockets: true,
		wrap: ({ program, args }, sockets) => {
			const hidden = sockets.flatMap((socket) => ['--ro-bind', '/dev/null', socket]);
			const options = ['--dev-bind', '/', '/', '--unshare-net', ...asRoot, ...hidden];
			return { program: 'bwrap', args: [...options, '--', program, ...args] };
		},
	};
}

/**
 * In a user namespace in which it may: hides what it is given up to `--`, and brings the loopback device up where there
 * is a program for it. Then back to the user that it was, in a second namespace, which can't undo it.
 */
const HIDE_AND_RUN = [
	'user=$1 group=$2; shift 2',
	'while [ "$1" != -- ]; do mount --bind /dev/null "$1" || exit 125; shift; done; shift',
	'ip link set lo up 2>/dev/null',
	'exec unshare --user --map-user="$user" --map-group="$group" -- "$@"',
].join('\n');

/** unshare(1) of util-linux: namespaces without bubblewrap. */
function unshare({ user, group }: Account): IsolationWay {
	return {
		name: 'unshare',
		hidesSockets: true,
		wrap: ({ program, args }, sockets) => {
			const account = [String(user), String(group)];
			const inside = ['sh', '-c', HIDE_AND_RUN, 'sh', ...account, ...sockets, '--', program, ...args];
			return { program: 'unshare', args: ['--user', '--map-root-user', '--net', '--mount', '--', ...inside] };
		},
	};
}

/** The sandbox of macOS, which refuses connections of every kind. */
const sandboxExec: IsolationWay = {
	name: 'sandbox-exec',
	hidesSockets: false,
	wrap: ({ program, args }) => ({
		program: '/usr/bin/sandbox-exec',
		args: ['-p', '(version 1)(allow default)(deny network*)', program, ...args],
	}),
};
