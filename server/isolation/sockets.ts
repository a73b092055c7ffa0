import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** Where sockets of Docker and the like can be. /proc does not show those of another network namespace. */
function wellKnown(home: string, run: string): string[] {
	const folders = ['/run', '/var/run', run, join(home, '.docker', 'run'), join(home, '.docker', 'desktop')];
	const names = ['docker.sock', 'podman/podman.sock', 'containerd/containerd.sock'];
	return folders.flatMap((folder) => names.map((name) => join(folder, name)));
}

/**
 * The sockets in the file system that this account can reach, on Linux. The services behind them (Docker, systemd, a terminal
 * multiplexer) have the network that the command must not have. Does not find hard links and relative names.
 */
export function reachableSockets(environment: NodeJS.ProcessEnv, home: string, user = 0): string[] {
	const named = environment.DOCKER_HOST?.replace(/^unix:\/\//, '') ?? '';
	const known = wellKnown(home, environment.XDG_RUNTIME_DIR ?? `/run/user/${user}`);
	const paths = [...known, named, ...socketsIn(readFileSync('/proc/net/unix', 'utf8'))];
	return [...new Set(paths.flatMap((path) => socketAt(path) ?? []))];
}

/** The absolute paths in /proc/net/unix. Other entries are names without a file. */
export function socketsIn(text: string): string[] {
	return text.split('\n').flatMap((line) => /^\S+: (?:\S+\s+){6}(\/.*)$/.exec(line)?.[1] ?? []);
}

/** The resolved path if this account can reach a socket there. */
function socketAt(path: string): string | undefined {
	if (!path.startsWith('/')) return undefined;
	try {
		const real = realpathSync(path);
		return lstatSync(real).isSocket() ? real : undefined;
	} catch {
		return undefined; // Gone, or in a folder that the command cannot open either.
	}
}
