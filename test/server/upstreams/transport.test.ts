import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ClosedToPrivate, httpTransport } from '../../../server/upstreams/transport.ts';

test('over HTTP it is asked in the moment in which a request leaves, and nothing leaves after a no', async () => {
	let requests = 0;
	const server = createServer((_, response) => {
		requests += 1;
		response.writeHead(202).end();
	}).listen(0, '127.0.0.1');
	onTestFinished(() => void server.close());
	await once(server, 'listening');
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
	let canSend = true;
	const transport = httpTransport({ kind: 'http', url, headers: {} }, () => canSend);
	onTestFinished(() => transport.close());
	await transport.start();
	const send = () => transport.send({ jsonrpc: '2.0', method: 'notifications/test' });
	await send();
	expect(requests).toBe(1);
	const sending = send();
	// The request has not left yet.
	canSend = false;
	await expect(sending).rejects.toThrow(ClosedToPrivate);
	await expect(send()).rejects.toThrow(ClosedToPrivate);
	expect(requests).toBe(1);
});
