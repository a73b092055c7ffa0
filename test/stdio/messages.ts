import { type Message, type RawBroker, startBroker } from '../support/broker.ts';
import { createUser } from '../support/user.ts';

export const PING = { jsonrpc: '2.0', id: 'ping', method: 'ping' };
export const PONG = { jsonrpc: '2.0', id: 'ping', result: {} };

/** What the key `k` leads to. */
export const TEXT = '# Catalog\n- Jane Doe\n';

/** A broker whose user has one key, `k`. */
export async function startWithKey(): Promise<RawBroker> {
	const user = await createUser();
	await user.write('catalog.md', TEXT);
	await user.writeMap('[keys]\nk = "catalog.md"\n');
	return startBroker(user.home);
}

export function withId(messages: readonly Message[], id: string | number): Message[] {
	return messages.filter((message) => message.id === id);
}
