import { lstatSync, readFileSync, realpathSync } from 'node:fs';

/** Where services listen that start programs elsewhere, also where /proc does not show them: in a container. */
const WELL_KNOWN = ['/run/docker.sock', '/run/podman/podman.sock', '/run/containerd/containerd.sock'];

/**
 * The sockets in the file system, on Linux: a service behind one of them (Docker, systemd, a terminal multiplexer) has
 * the network that a command without it must not have.
 */
export function reachableSockets(environment: NodeJS.ProcessEnv): string[] {
	const named = environment.DOCKER_HOST?.replace(/^unix:\/\//, '') ?? '';
	const paths = [...WELL_KNOWN, named, ...socketsIn(readFileSync('/proc/net/unix', 'utf8'))];
	return [...new Set(paths.flatMap((path) => socketAt(path) ?? []))];
}

/** The absolute paths in a text of the form of /proc/net/unix; others are names without a file. */
export function socketsIn(text: string): string[] {
	return text.split('\n').flatMap((line) => /^\S+: (?:\S+\s+){6}(\/.*)$/.exec(line)?.[1] ?? []);
}

/** The path with links resolved; undefined where there is no socket, or none that this account can reach. */
function socketAt(path: string): string | undefined {
	if (!path.startsWith('/')) return undefined;
	try {
		const real = realpathSync(path);
		return lstatSync(real).isSocket() ? real : undefined;
	} catch {
		// Gone, or in a folder that is closed to the command as well.
		return undefined;
	}
}
