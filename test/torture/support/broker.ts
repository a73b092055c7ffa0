import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './root.ts';

const bootstrap = () => join(ROOT, 'server', 'bootstrap.cjs');

/** Builds the broker in a data folder, so that it starts at once from there. */
export async function prepareBroker(data: string): Promise<void> {
	await promisify(execFile)(process.execPath, [bootstrap(), 'prepare'], { env: environment(data, data) });
}

/** Starts a broker of the user whose home is given, as a client does. Whoever does has to end it. */
export function spawnBroker(home: string, data: string): ChildProcessWithoutNullStreams {
	return spawn(process.execPath, [bootstrap()], { env: environment(home, data) });
}

/** Ends a broker that may have ended by itself. */
export async function endBroker(broker: ChildProcessWithoutNullStreams): Promise<void> {
	if (broker.exitCode !== null || broker.signalCode !== null) return;
	const exit = once(broker, 'exit');
	broker.kill('SIGKILL');
	await exit;
}

function environment(home: string, data: string): NodeJS.ProcessEnv {
	return { PATH: process.env.PATH, HOME: home, CLAUDE_PLUGIN_DATA: data };
}
