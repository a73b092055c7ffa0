import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that only this machine can reach. */
export interface Loopback {
	/** `http://127.0.0.1:PORT`, without a slash at the end. */
	readonly url: string;
	/** Ends the server and every connection to it. */
	close(): Promise<void>;
}

/** Serves on a free port of the loopback interface. */
export async function serveLoopback(listener: RequestListener): Promise<Loopback> {
	const server = createServer(listener);
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		close: async () => {
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await closed;
		},
	};
}
