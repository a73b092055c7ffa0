import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { connect } from 'node:tls';
import { isLoopback } from '../context-map/http-instance.ts';

/** Node's limit for a connection of its own. */
const TUNNEL_TIMEOUT_MS = 10_000;

/**
 * Node's fetch through the environment's proxy, if there is one for this URL. Node itself reads these variables only from 24
 * on.
 */
export async function proxiedFetch(url: URL, environment: NodeJS.ProcessEnv): Promise<typeof fetch | undefined> {
	const proxy = proxyFor(url, environment);
	if (proxy === undefined) return undefined;
	// Loads Node's own dispatcher. It is stored under a global symbol, which undici's packages use too.
	await fetch('data:,');
	const { constructor: Agent } = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'));
	const dispatcher = new Agent({
		connect: ({ hostname }: { hostname: string }, done: (error: Error | null, socket: unknown) => void) =>
			tunnel(proxy, url, hostname).then(
				(socket) => done(null, socket),
				(error) => done(error, null),
			),
	});
	return async (input, init) => await fetch(input, { ...init, dispatcher } as RequestInit);
}

/** The proxy for a URL. Programs on this machine are reached without one. */
export function proxyFor({ protocol, hostname, port }: URL, environment: NodeJS.ProcessEnv): URL | undefined {
	const text = environment.https_proxy || environment.HTTPS_PROXY || '';
	const proxy = URL.canParse(text) ? new URL(text) : undefined;
	if (protocol !== 'https:' || isLoopback(hostname) || !/^https?:$/.test(proxy?.protocol ?? '')) return undefined;
	const except = (environment.no_proxy || environment.NO_PROXY || '').toLowerCase().split(/[\s,]+/);
	const isExcepted = except.some((entry) => {
		const [, name = '', only = port] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
		if (only !== port && !(only === '443' && port === '')) return false;
		return entry === '*' || (name !== '' && `.${hostname}`.endsWith(`.${name}`));
	});
	return isExcepted ? undefined : proxy;
}

/** A connection through the proxy by CONNECT (RFC 9110, section 9.3.6). */
function tunnel(proxy: URL, { port }: URL, hostname: string): Promise<unknown> {
	return new Promise((resolve, reject) => {
		const { protocol, username, password } = proxy;
		const path = `${hostname}:${port || 443}`;
		const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
		const authorization = { 'Proxy-Authorization': `Basic ${Buffer.from(user).toString('base64')}` };
		const headers = { Host: path, ...(user === ':' ? {} : authorization) };
		const request = protocol === 'https:' ? requestSecure : requestPlain;
		// `origin` has no user information: Node would turn it into an Authorization header.
		request(new URL(proxy.origin), { method: 'CONNECT', path, headers, signal: AbortSignal.timeout(TUNNEL_TIMEOUT_MS) })
			.on('connect', ({ statusCode }, socket) => {
				if (statusCode !== 200) {
					socket.destroy();
					reject(new Error(`the proxy in HTTPS_PROXY answered with status ${statusCode}`));
					return;
				}
				const secure = connect({ socket, servername: hostname, ALPNProtocols: ['http/1.1'] });
				secure.once('secureConnect', () => resolve(secure)).once('error', reject);
			})
			.on('error', reject)
			.end();
	});
}
