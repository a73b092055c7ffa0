import { stripVTControlCharacters } from 'node:util';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { HttpInstance, StdioInstance } from '../context-map/server-config.ts';
import type { Invocation } from '../isolation/sandboxes.ts';
import { lazyAsync } from '../memoize.ts';
import { bufferMessages } from './message-buffer.ts';
import { proxiedFetch } from './proxy.ts';

/** Bytes of the longest message that a server may send. */
const LONGEST_MESSAGE = 128 * 1024 * 1024;

/** Characters and lines that are kept of what a server prints before it is connected: the last ones say why it ended. */
const COMPLAINT = { characters: 4_000, lines: 12 };

/**
 * To a server that listens at a URL. Redirects lead nowhere but to the same origin: that is the SDK's rule.
 *
 * @param canSend asked in the moment in which something is sent; false keeps it here
 * @param environment for the proxy
 */
export function httpTransport(
	{ url, headers }: HttpInstance,
	canSend: () => boolean,
	environment: NodeJS.ProcessEnv = process.env,
): Transport & Pick<StreamableHTTPClientTransport, 'terminateSession'> {
	const proxied = lazyAsync(async () => (await proxiedFetch(new URL(url), environment)) ?? fetch);
	const guarded: typeof fetch = async (...request) => {
		const send = await proxied();
		if (!canSend()) throw new ClosedToPrivate();
		return await send(...request);
	};
	return new StreamableHTTPClientTransport(new URL(url), {
		fetch: guarded,
		requestInit: { headers: { ...headers } },
	}) as Transport & Pick<StreamableHTTPClientTransport, 'terminateSession'>;
}

/** Nothing more goes to an open instance, since the session holds private data. */
export class ClosedToPrivate extends Error {}

export interface StdioOptions {
	readonly config: StdioInstance;
	/** The program, with what isolates it where it is to be isolated. */
	readonly invocation: Invocation;
	/** Absolute. */
	readonly cwd: string;
	/** Tells the processes of this instance from all others. */
	readonly variables: Readonly<Record<string, string>>;
	/** The broker's own. */
	readonly environment?: NodeJS.ProcessEnv;
}

/** To a server that is started, and the last lines that it has printed on standard error so far. */
export function stdioTransport({ config, invocation, cwd, variables, environment = process.env }: StdioOptions): {
	transport: StdioClientTransport;
	complaint: () => string[];
} {
	const transport = new StdioClientTransport({
		command: invocation.program,
		args: [...invocation.args],
		env: {
			...getDefaultEnvironment(),
			...inherited(environment),
			...(config.withoutNetwork && OFFLINE),
			...config.env,
			...variables,
		},
		cwd,
		stderr: 'pipe',
	});
	bufferMessages(transport, LONGEST_MESSAGE);
	let printed = '';
	// What a server prints can be private; it is shown only where the server does not start.
	transport.stderr?.on('data', (chunk: Buffer) => {
		printed = (printed + chunk.toString()).slice(-COMPLAINT.characters);
	});
	return { transport, complaint: () => lastLines(printed) };
}

/** A proxy, certificates, language and time zone: without them a server does not work, or differently, on some machines. */
const INHERITED =
	/^((https?|all|no)_proxy|node_(extra_ca_certs|use_env_proxy|use_system_ca)|ssl_cert_(file|dir)|(requests|curl|aws)_ca_bundle|lang|language|lc_\w+|tz)$/i;

function inherited(environment: NodeJS.ProcessEnv): Record<string, string> {
	const given = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined);
	return Object.fromEntries(given.filter(([name]) => INHERITED.test(name)));
}

/** For npx and uvx without a network: npm (10.8) asks the registry again for 70 seconds before it takes what it has. */
const OFFLINE = { npm_config_prefer_offline: 'true', npm_config_fetch_retries: '0', UV_OFFLINE: '1' };

/** Without what would change the terminal in which they are shown, and without empty ones. */
function lastLines(text: string): string[] {
	const plain = stripVTControlCharacters(text).replace(/[^\P{Cc}\n\t]/gu, '');
	const lines = plain.split('\n').map((line) => line.trimEnd());
	return lines.filter((line) => line !== '').slice(-COMPLAINT.lines);
}
