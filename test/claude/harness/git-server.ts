import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { GIT_ENVIRONMENT } from './git.ts';
import { type Loopback, serveLoopback } from './loopback.ts';

/**
 * Serves the bare repositories in a folder, read-only, over git's smart HTTP protocol:
 * `ROOT/name.git` is at `URL/name.git`.
 */
export async function startGitServer(repositoryRoot: string): Promise<Loopback> {
	return serveLoopback((request, response) => {
		serve(repositoryRoot, request, response).catch((error: unknown) => {
			response.destroy(error instanceof Error ? error : new Error(String(error)));
		});
	});
}

/** Runs `git http-backend`, a CGI program (RFC 3875), for one request. */
async function serve(root: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
	const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
	const child = spawn('git', ['http-backend'], {
		// Standard error is ignored: the response's status says enough.
		stdio: ['pipe', 'pipe', 'ignore'],
		env: {
			...GIT_ENVIRONMENT,
			PATH: process.env.PATH ?? '',
			GIT_PROJECT_ROOT: root,
			GIT_HTTP_EXPORT_ALL: '1',
			REQUEST_METHOD: request.method ?? 'GET',
			PATH_INFO: decodeURIComponent(pathname),
			QUERY_STRING: searchParams.toString(),
			CONTENT_TYPE: request.headers['content-type'] ?? '',
			HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
			GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
		},
	});
	// Git answers a refused request before it reads the body.
	child.stdin.on('error', () => request.unpipe());
	request.pipe(child.stdin);
	const output = await buffer(child.stdout);
	const end = output.indexOf('\r\n\r\n');
	if (end < 0) throw new Error('git http-backend answered without headers');
	response.statusCode = 200;
	for (const line of output.toString('latin1', 0, end).split('\r\n')) {
		const [name = '', value = ''] = line.split(/:\s*/, 2);
		if (name.toLowerCase() === 'status') response.statusCode = Number.parseInt(value, 10);
		else response.setHeader(name, value);
	}
	response.end(output.subarray(end + 4));
}
