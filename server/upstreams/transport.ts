import { stripVTControlCharacters } from 'node:util';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { HttpInstance, StdioInstance } from '../context-map/server-config.ts';
import type { Invocation } from '../isolation/sandboxes.ts';
import { lazyAsync } from '../memoize.ts';
import { NOT_IN_WORKING_FOLDER } from '../processes/system-program.ts';
import { bufferMessages } from './message-buffer.ts';
import { proxiedFetch } from './proxy.ts';

const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;

/** Standard error from before the connection: its last lines say why the server ended. */
const MAX_PRINTED = { characters: 4_000, lines: 12 };

/** The SDK follows redirects within the same origin only. @param canSend checked right before each request */
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

/** The session holds private data: nothing more may be sent to an open instance. */
export class ClosedToPrivate extends Error {}

export interface StdioOptions {
	readonly config: StdioInstance;
	/** The program; in its sandbox, if it has one. */
	readonly invocation: Invocation;
	readonly cwd: string;
	readonly variables: Readonly<Record<string, string>>;
	readonly environment?: NodeJS.ProcessEnv;
	readonly platform?: NodeJS.Platform;
	readonly onStart: (pid: number) => void;
	/** Ends the server's processes. */
	readonly end: () => Promise<void>;
}

/** For a server to end with its input. Shorter than the SDK's (2 s). */
const EXIT_TIMEOUT_MS = 1_000;

/** Prepares a server's process. `printed` returns the last lines of its standard error. */
export function stdioTransport({
	config,
	invocation,
	cwd,
	variables,
	environment = process.env,
	platform = process.platform,
	onStart,
	end,
}: StdioOptions): {
	transport: StdioClientTransport;
	printed: () => string[];
} {
	const transport = new StdioClientTransport({
		command: invocation.program,
		args: [...invocation.args],
		env: { ...serverEnvironment(config, environment, platform), ...variables },
		cwd,
		stderr: 'pipe',
	});
	bufferMessages(transport, MAX_MESSAGE_BYTES);
	const { start, close } = transport;
	transport.start = async () => {
		await start.call(transport);
		if (transport.pid !== null) onStart(transport.pid);
	};
	transport.close = async () => {
		// The SDK ends only the first process. On Windows, the child of a launcher is lost without it.
		const timer = setTimeout(() => void end(), EXIT_TIMEOUT_MS);
		await close.call(transport).finally(() => clearTimeout(timer));
	};
	let text = '';
	// May be private, so it is shown only if the server does not start.
	transport.stderr?.on('data', (chunk: Buffer) => {
		text = (text + chunk.toString()).slice(-MAX_PRINTED.characters);
	});
	return { transport, printed: () => lastLines(text) };
}

/** The environment of a server. */
export function serverEnvironment(
	{ withoutNetwork, env }: Pick<StdioInstance, 'withoutNetwork' | 'env'>,
	environment = process.env,
	platform = process.platform,
): Record<string, string> {
	const given = {
		...getDefaultEnvironment(),
		...inherited(environment),
		...(withoutNetwork && OFFLINE),
		// Launchers such as npx start others by their bare names.
		...(platform === 'win32' && NOT_IN_WORKING_FOLDER),
	};
	if (platform !== 'win32') return { ...given, ...env };
	// On Windows their names have no case, and of PATH and Path, Node.js passes only the first.
	const names = new Map(Object.keys(given).map((name) => [name.toUpperCase(), name]));
	const own = Object.entries(env).map(([name, value]) => [names.get(name.toUpperCase()) ?? name, value] as const);
	return { ...given, ...Object.fromEntries(own) };
}

/** Proxy, certificates, language and time zone: some servers need them. */
const INHERITED =
	/^((https?|all|no)_proxy|node_(extra_ca_certs|use_env_proxy|use_system_ca)|ssl_cert_(file|dir)|(requests|curl|aws)_ca_bundle|lang|language|lc_\w+|tz)$/i;

function inherited(environment: NodeJS.ProcessEnv): Record<string, string> {
	const given = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined);
	return Object.fromEntries(given.filter(([name]) => INHERITED.test(name)));
}

/** Without a network, npm (10.8) asks the registry for 70 seconds before it uses its cache. */
const OFFLINE = { npm_config_prefer_offline: 'true', npm_config_fetch_retries: '0', UV_OFFLINE: '1' };

/** The last lines that are not empty, without control characters, which could change the terminal. */
function lastLines(text: string): string[] {
	const plain = stripVTControlCharacters(text).replace(/[^\P{Cc}\n\t]/gu, '');
	const lines = plain.split('\n').map((line) => line.trimEnd());
	return lines.filter((line) => line !== '').slice(-MAX_PRINTED.lines);
}
