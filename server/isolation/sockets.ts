import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** /proc does not show sockets of another network namespace, where those of Docker can be. */
function wellKnown(home: string, run: string): string[] {
	const folders = ['/run', '/var/run', run, join(home, '.docker', 'run'), join(home, '.docker', 'desktop')];
	const names = ['docker.sock', 'podman/podman.sock', 'containerd/containerd.sock'];
	return folders.flatMap((folder) => names.map((name) => join(folder, name)));
}

/**
 * The sockets in the file system, on Linux: a service behind one (Docker, systemd, a terminal multiplexer) has the network
 * that a command must not have. Does not find hard links and relative names.
 */
export function reachableSockets(environment: NodeJS.ProcessEnv, home: string, user = 0): string[] {
	const named = environment.DOCKER_HOST?.replace(/^unix:\/\//, '') ?? '';
	const known = wellKnown(home, environment.XDG_RUNTIME_DIR ?? `/run/user/${user}`);
	const paths = [...known, named, ...socketsIn(readFileSync('/proc/net/unix', 'utf8'))];
	return [...new Set(paths.flatMap((path) => socketAt(path) ?? []))];
}

/** The absolute paths in /proc/net/unix; others are names without a file. */
export function socketsIn(text: string): string[] {
	return text.split('\n').flatMap((line) => /^\S+: (?:\S+\s+){6}(\/.*)$/.exec(line)?.[1] ?? []);
}

/** The path with links resolved, if there is a socket that this account can reach. */
function socketAt(path: string): string | undefined {
	if (!path.startsWith('/')) return undefined;
	try {
		const real = realpathSync(path);
		return lstatSync(real).isSocket() ? real : undefined;
	} catch {
		return undefined; // Gone, or in a folder that is closed to the command as well.
	}
}
