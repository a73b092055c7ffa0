export interface Invocation {
	readonly program: string;
	readonly args: readonly string[];
}

export interface Sandbox {
	readonly name: string;
	/** Whether it hides sockets in the file system, which lead to local services. */
	readonly hidesSockets: boolean;
	wrap(invocation: Invocation, sockets: readonly string[]): Invocation;
}

export interface Account {
	readonly user: number;
	readonly group: number;
}

export type FindProgram = (name: string) => string | undefined;

export function sandboxesOn(platform: NodeJS.Platform, account: Account | undefined, find: FindProgram): Sandbox[] {
	if (platform === 'darwin') return [sandboxExec];
	if (platform !== 'linux' || account === undefined) return [];
	return [unshare(account, find), bubblewrap(account, find)].filter((sandbox) => sandbox !== undefined);
}

/** Exit code and output of the wrapper of {@link unshare} if it could not hide a socket. */
export const NOT_ISOLATED = { exitCode: 125, output: 'context-broker: the network could not be taken away\n' };

/**
 * Runs in a user namespace: hides the sockets given before `--`, and brings the loopback device up. Then it returns to the
 * user's own id in a second namespace, which cannot undo that.
 */
const HIDE_AND_RUN = [
	'unshare=$1 mount=$2 ip=$3 user=$4 group=$5; shift 5',
	'while [ "$1" != -- ]; do',
	'	"$mount" --bind /dev/null "$1" 2>/dev/null',
	`	[ -S "$1" ] && { printf %s '${NOT_ISOLATED.output}'; exit ${NOT_ISOLATED.exitCode}; }`,
	'	shift',
	'done; shift',
	'[ -n "$ip" ] && "$ip" link set lo up 2>/dev/null',
	'exec "$unshare" --user --map-user="$user" --map-group="$group" -- "$@"',
].join('\n');

function unshare({ user, group }: Account, find: FindProgram): Sandbox | undefined {
	// util-linux's `unshare`: kernel namespaces.
	const [program, shell, mount, ip = ''] = ['unshare', 'sh', 'mount', 'ip'].map((name) => find(name));
	if (program === undefined || shell === undefined || mount === undefined) return undefined;
	return {
		name: 'unshare',
		hidesSockets: true,
		wrap: ({ program: inner, args }, sockets) => {
			const given = [program, mount, ip, String(user), String(group), ...sockets, '--', inner, ...args];
			const options = ['--user', '--map-root-user', '--net', '--mount', '--'];
			return { program, args: [...options, shell, '-c', HIDE_AND_RUN, shell, ...given] };
		},
	};
}

/**
 * https://github.com/containers/bubblewrap: some systems allow namespaces only to it. The second choice: if a hidden socket
 * disappears, it leaves an empty file, and it reports a signal as an exit code.
 */
function bubblewrap({ user }: Account, find: FindProgram): Sandbox | undefined {
	const program = find('bwrap');
	if (program === undefined) return undefined;
	// Root keeps its rights over the real network unless it drops them in a user namespace.
	const asRoot = user === 0 ? ['--unshare-user', '--cap-drop', 'ALL'] : [];
	return {
		name: 'bwrap',
		hidesSockets: true,
		wrap: ({ program: inner, args }, sockets) => {
			const hidden = sockets.flatMap((socket) => ['--ro-bind', '/dev/null', socket]);
			return { program, args: ['--dev-bind', '/', '/', '--unshare-net', ...asRoot, ...hidden, '--', inner, ...args] };
		},
	};
}

const sandboxExec: Sandbox = {
	name: 'sandbox-exec', // macOS; it refuses connections of every kind.
	hidesSockets: false,
	wrap: ({ program, args }) => ({
		program: '/usr/bin/sandbox-exec',
		args: ['-p', '(version 1)(allow default)(deny network*)', program, ...args],
	}),
};
