import { join } from 'node:path';
import { conversation, INITIALIZE, outcomeOf, startBroker } from './broker.ts';
import type { Installation } from './installation.ts';
import { createUser } from './user.ts';

/** The content behind the user's key `k`. */
export const TEXT = '# Catalog\n- Jane Example, 12 Example Road\n';

/** Writes a map and its file for an installation's user. */
export async function withContext(installation: Installation): Promise<Installation> {
	const user = await createUser(installation.env.HOME);
	await user.write('catalog.md', TEXT);
	await user.writeMap('[keys]\nk = "catalog.md"\n');
	return installation;
}

/** Starts an installation's server and connects a client. */
export async function connect({ root, env }: Installation, more: Record<string, string> = {}, initialize = INITIALIZE) {
	const command = [process.execPath, join(root, 'server', 'bootstrap.cjs')] as [string, string];
	const broker = startBroker(env.HOME ?? '', { ...env, ...more }, command);
	const { ask, finish } = conversation(broker);
	await ask('initialize', initialize.params);
	broker.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
	return { ask, finish, process: broker.process };
}

/** The result for a client that starts a server and loads. */
export async function loaded(installation: Installation, more: Record<string, string> = {}): Promise<string> {
	const { ask, finish } = await connect(installation, more);
	const answer = await ask('tools/call', { name: 'load_context', arguments: { key: 'k' } });
	const { errors } = await finish();
	return answer.result === undefined ? errors : outcomeOf(answer);
}
