import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer as createProxy, type Server } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { proxyFor } from '../../../server/upstreams/proxy.ts';
import { httpTransport } from '../../../server/upstreams/transport.ts';
import { temporaryFolder } from '../../support/temporary.ts';

async function listen(server: Server): Promise<number> {
	server.listen(0, '127.0.0.1');
	onTestFinished(() => void server.close());
	await once(server, 'listening');
	return (server.address() as AddressInfo).port;
}

/** A server for HTTPS that knows no name, and notes the paths that it is asked for. */
async function secureServer() {
	const folder = await temporaryFolder();
	const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
	const args = ['req', '-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-subj', '/CN=x'];
	execFileSync('openssl', [...args, '-keyout', key, '-out', cert], { stdio: 'ignore' });
	vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
	onTestFinished(() => void vi.unstubAllEnvs());
	const paths: unknown[] = [];
	const server = createServer({ key: await readFile(key), cert: await readFile(cert) }, ({ url }, response) => {
		paths.push(url);
		response.writeHead(202).end();
	});
	return { port: await listen(server), paths };
}

/** Notes what it is asked for, and leads everything to one port; without a port it refuses. */
async function proxyTo(port: number | undefined) {
	const asked: unknown[] = [];
	const proxy = createProxy();
	proxy.on('connect', ({ url, headers }, socket) => {
		asked.push(url, headers['proxy-authorization']);
		if (port === undefined) return void socket.end('HTTP/1.1 407 Who are you?\r\n\r\n');
		socket.write('HTTP/1.1 200 Connected\r\n\r\n');
		const target = connect(port, '127.0.0.1');
		socket.pipe(target).pipe(socket);
		socket.on('error', () => target.destroy());
		onTestFinished(() => void target.destroy());
	});
	return { port: await listen(proxy), asked };
}

async function send(url: string, environment: NodeJS.ProcessEnv): Promise<void> {
	const transport = httpTransport({ kind: 'http', url, headers: {} }, () => true, environment);
	onTestFinished(() => transport.close());
	await transport.start();
	await transport.send({ jsonrpc: '2.0', method: 'notifications/test' });
}

const hasOpenssl = (() => {
	try {
		return execFileSync('openssl', ['version']).length > 0;
	} catch {
		return false;
	}
})();

test('a server is reached through the proxy of HTTPS_PROXY', async ({ skip }) => {
	skip(!hasOpenssl, 'openssl makes the certificate, and is not there');
	const { port, paths } = await secureServer();
	const proxy = await proxyTo(port);
	await send('https://mcp.example.invalid/mcp', { HTTPS_PROXY: `http://jo:p%40ss@127.0.0.1:${proxy.port}` });
	expect(paths).toEqual(['/mcp']);
	const authorization = `Basic ${Buffer.from('jo:p@ss').toString('base64')}`;
	expect(proxy.asked).toEqual(['mcp.example.invalid:443', authorization]);
});

test('a proxy that refuses is the reason that is told', async () => {
	const proxy = await proxyTo(undefined);
	const sending = send('https://mcp.example.invalid:8443/mcp', { https_proxy: `http://127.0.0.1:${proxy.port}` });
	await expect(sending).rejects.toMatchObject({
		cause: { message: 'the proxy in HTTPS_PROXY answered with status 407' },
	});
	expect(proxy.asked).toEqual(['mcp.example.invalid:8443', undefined]);
});

describe('the proxy for a server', () => {
	const HTTPS_PROXY = 'http://proxy.example:3128';

	test.each([
		['https://a.example/mcp', { HTTPS_PROXY }, true],
		['https://a.example/mcp', { https_proxy: HTTPS_PROXY, HTTPS_PROXY: 'http://other' }, true],
		['https://a.example/mcp', { HTTPS_PROXY, NO_PROXY: 'b.example, .c.example' }, true],
		['https://xa.example/mcp', { HTTPS_PROXY, NO_PROXY: 'a.example' }, true],
		['https://a.example/mcp', { HTTPS_PROXY, NO_PROXY: 'a.example:8443' }, true],
		['https://a.example/mcp', { HTTPS_PROXY, NO_PROXY: '' }, true],
		['https://a.example/mcp', {}, false],
		['https://a.example/mcp', { HTTPS_PROXY: '' }, false],
		['https://a.example/mcp', { HTTPS_PROXY: 'socks5://proxy.example:1080' }, false],
		['https://a.example/mcp', { HTTPS_PROXY: 'proxy' }, false],
		['http://a.example/mcp', { HTTPS_PROXY }, false],
		['https://localhost/mcp', { HTTPS_PROXY }, false],
		['https://127.0.0.1:8443/mcp', { HTTPS_PROXY }, false],
		['https://[::1]/mcp', { HTTPS_PROXY }, false],
		['https://a.example/mcp', { HTTPS_PROXY, NO_PROXY: '*' }, false],
		['https://a.example/mcp', { HTTPS_PROXY, no_proxy: 'b.example,A.EXAMPLE' }, false],
		['https://x.a.example/mcp', { HTTPS_PROXY, NO_PROXY: '.a.example' }, false],
		['https://x.a.example/mcp', { HTTPS_PROXY, NO_PROXY: '*.a.example' }, false],
		['https://a.example/mcp', { HTTPS_PROXY, NO_PROXY: 'a.example:443' }, false],
		['https://a.example:8443/mcp', { HTTPS_PROXY, NO_PROXY: 'a.example:8443' }, false],
	])('%s with %o: %o', (url, environment, isThere) => {
		expect(proxyFor(new URL(url), environment)?.href).toBe(isThere ? `${HTTPS_PROXY}/` : undefined);
	});
});
