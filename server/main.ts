import { homedir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { xdgConfig } from 'xdg-basedir';
import manifest from '../package.json' with { type: 'json' };
import { ContextMap } from './context-map/context-map.ts';
import { locateContextMap } from './context-map/locate.ts';
import type { BrokerError } from './errors.ts';
import { whenOver } from './lifetime.ts';
import { createServer } from './protocol/create-server.ts';
import { StdioTransport } from './protocol/stdio-transport.ts';
import { loadContext } from './tools/load-context.ts';

/** Milliseconds that answers under way get after the input has ended. */
const FAREWELL = 1_500;

/**
 * The broker on standard input and output, until its client is gone. Called by the bootstrap.
 *
 * @param start.parent the process id of the parent when this process started
 */
export async function main({ parent }: { parent: number }): Promise<void> {
	const [argument] = process.argv.slice(2);
	if (argument !== undefined) {
		process.stderr.write(USAGE);
		process.exit(2);
	}
	process.on('uncaughtException', (error) => {
		report({ code: 'internal_error', message: error.name });
		process.exit(1);
	});

	const home = homedir();
	const map = new ContextMap(locateContextMap(xdgConfig, home), home);
	const transport = new StdioTransport(process.stdin, process.stdout);
	const server = createServer([loadContext(map)], manifest.version, report);
	const over = whenOver({
		input: process.stdin,
		output: process.stdout,
		parent,
		currentParent: () => process.ppid,
		onSignal: (listener) => {
			for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, listener);
		},
	});
	await server.connect(transport);
	const inOrder = await over;
	if (inOrder) await Promise.race([transport.settled(), delay(FAREWELL)]);
	process.exit(0);
}

const USAGE = `Usage: context-broker           serve MCP on standard input and output
       context-broker prepare   install and build what the broker needs, then end
`;

/** One line on standard error: no path from the map, no key, no content. */
function report({ code, message, note }: Pick<BrokerError, 'code' | 'message'> & Partial<BrokerError>): void {
	process.stderr.write(`context-broker: ${code}: ${message}${note === undefined ? '' : ` ${note}.`}\n`);
}
