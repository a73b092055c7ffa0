import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { procOf } from '../../../server/processes/process-table.ts';
import type { ProcessTreeId } from '../../../server/processes/process-tree.ts';
import { startWatching, Watchdog, watchCommands } from '../../../server/processes/watchdog.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** What a watching process would end, given the orders. */
async function endedBy(orders: readonly string[]): Promise<string[]> {
	const ended: string[] = [];
	await watchCommands(Readable.from(orders), (id: ProcessTreeId) => ({
		id,
		members: async () => [],
		end: async () => {
			ended.push(id.commandId);
			if (id.commandId === 'fails') throw new Error('no');
		},
	}));
	return ended.sort();
}

function watch(commandId: string): string {
	return `${JSON.stringify({ watch: { commandId } })}\n`;
}

test('what is watched at the end is ended, what was forgotten is not', async () => {
	const forget = `${JSON.stringify({ forget: 'b' })}\n`;
	expect(await endedBy([watch('a'), watch('b'), forget, watch('c')])).toEqual(['a', 'c']);
});

test('half a line and a tree that fails keep nothing from being ended', async () => {
	expect(await endedBy([watch('fails'), watch('a'), '{"watch":{"comm'])).toEqual(['a', 'fails']);
});

test('a new watching process is told of all that is still watched', () => {
	const started: PassThrough[] = [];
	const watchdog = new Watchdog(() => {
		const orders = new PassThrough();
		started.push(orders);
		return orders;
	});
	watchdog.watch({ commandId: 'a' });
	watchdog.watch({ commandId: 'b' });
	watchdog.forget('b');
	started[0]?.destroy();
	watchdog.watch({ commandId: 'c' });
	expect(started).toHaveLength(2);
	expect(String(started[1]?.read())).toBe(watch('a') + watch('c'));
});

test('one that was ended is started again at once, unless nothing is watched, and not for ever', async () => {
	const started: PassThrough[] = [];
	const watchdog = new Watchdog(() => {
		const orders = new PassThrough();
		started.push(orders);
		return orders;
	});
	watchdog.watch({ commandId: 'a' });
	started[0]?.destroy();
	await expect.poll(() => String(started[1]?.read())).toBe(watch('a'));
	watchdog.forget('a');
	started[1]?.destroy();
	await new Promise((resolve) => setTimeout(resolve, 50));
	expect(started).toHaveLength(2);

	const short = new Watchdog(() => {
		const orders = new PassThrough();
		started.push(orders.destroy());
		return orders;
	});
	short.watch({ commandId: 'a' });
	await new Promise((resolve) => setTimeout(resolve, 100));
	expect(started).toHaveLength(2 + 11);
});

test('one that can not be started harms nobody', async () => {
	const orders = startWatching(['/none']);
	orders?.write('x');
	await expect.poll(() => orders?.writable ?? false).toBe(false);
});

test('no signal to the broker and all of its group reaches it', async () => {
	const file = join(await temporaryFolder(), 'pid');
	const orders = startWatching(['bash', '-c', 'echo $$ >"$1"; read', 'bash', file]);
	await expect.poll(async () => await readFile(file, 'utf8').catch(() => '')).toMatch(/\n/);
	const pid = Number(await readFile(file, 'utf8'));
	expect(procOf(pid)?.group).toBe(pid);
	orders?.end();
});
