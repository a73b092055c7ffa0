import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { cleanTraces } from '../../../server/traces/clean-traces.ts';
import type { Order } from '../../../server/traces/orders.ts';
import { CATALOG, holdsMarker } from '../../claude/markers.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const LINE = `${JSON.stringify({ type: 'user', text: CATALOG })}\n`;

/** A cleaning process, in this one: of a client that runs until `endClient` is called. */
async function createCleaning() {
	const folder = await temporaryFolder();
	const client = spawn('sleep', ['600']);
	onTestFinished(() => void client.kill('SIGKILL'));
	const transcript = join(folder, 'projects', '-p', 's1.jsonl');
	const fileOf = (agent: string) => join(folder, 'projects', '-p', 's1', 'subagents', `agent-${agent}.jsonl`);
	const since = Date.now();
	const orders = new PassThrough();
	const forgotten: string[] = [];
	const over = cleanTraces({
		orders,
		output: new PassThrough(),
		client: client.pid ?? 0,
		forget: async (agents) => void forgotten.push(...agents.map(({ agent }) => agent)),
	});
	const tell = (order: Order) => void orders.write(`${JSON.stringify(order)}\n`);
	tell({ where: { taskFolders: [], except: [], known: [] } });
	tell({ texts: [CATALOG] });
	return {
		...{ over, orders, forgotten, fileOf },
		write: (agent: string) => {
			mkdirSync(dirname(fileOf(agent)), { recursive: true });
			appendFileSync(fileOf(agent), LINE);
		},
		tell: (agent: string, isOver: boolean) => tell({ agent: { session: 's1', agent, transcript, since }, isOver }),
		holds: (agent: string) => holdsMarker(readFileSync(fileOf(agent), 'utf8')),
		endClient: async () => {
			client.kill('SIGKILL');
			await once(client, 'exit');
		},
	};
}

test('an agent is cleaned when it is over, also of what is written a moment later, and forgotten when nothing is left', async () => {
	const { over, tell, write, holds, forgotten } = await createCleaning();
	write('a1');
	write('a2');
	tell('a1', false);
	tell('a2', false);
	tell('a1', true);
	await expect.poll(() => holds('a1')).toBe(false);
	write('a1');
	await expect.poll(() => forgotten).toEqual(['a1']);
	expect([holds('a1'), holds('a2')]).toEqual([false, true]);
	tell('a2', true);
	await over;
	expect(holds('a2')).toBe(false);
	expect(forgotten).toEqual(['a1', 'a2']);
});

test('one that goes on is not over', async () => {
	const { over, tell, write, holds, forgotten } = await createCleaning();
	write('a1');
	tell('a1', true);
	await expect.poll(() => holds('a1')).toBe(false);
	tell('a1', false);
	write('a1');
	write('a2');
	tell('a2', true);
	await expect.poll(() => forgotten).toEqual(['a2']);
	expect(holds('a1')).toBe(true);
	tell('a1', true);
	await over;
	expect(holds('a1')).toBe(false);
});

test('when broker and client are gone, all is cleaned at once', async () => {
	const { over, orders, tell, write, holds, forgotten, endClient } = await createCleaning();
	write('a1');
	tell('a1', false);
	orders.end();
	await endClient();
	await over;
	expect([holds('a1'), forgotten]).toEqual([false, ['a1']]);
});

test('half an order of a broker that was killed is no order', async () => {
	const { over, orders, forgotten } = await createCleaning();
	orders.end('{"agent":{"session":"s1"');
	await over;
	expect(forgotten).toEqual([]);
});

test('what can not be cleaned is told, and remembered', async () => {
	const { over, orders, tell, write, forgotten, fileOf, endClient } = await createCleaning();
	write('a1');
	writeFileSync(fileOf('a1'), `\0\0\0${LINE}`);
	tell('a1', false);
	orders.end();
	await endClient();
	await over;
	expect(forgotten).toEqual([]);
	expect(holdsMarker(readFileSync(fileOf('a1'), 'utf8'))).toBe(true);
});
