import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
	expectSleeping,
	processesWith,
	type ShellResult,
	shellRequest,
	startShellBroker,
	uniqueSeconds,
} from '../../support/shell.ts';

function cancel(requestId: number): object {
	return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'test' } };
}

/** Runs a command that is cancelled, and looks that the broker lives, gives one answer, and leaves nothing. */
async function cancelled(when: (seconds: string) => Promise<void>, ...ids: readonly number[]) {
	const broker = await startShellBroker();
	const seconds = uniqueSeconds();
	broker.send(shellRequest(7, `echo before; sleep ${seconds}`));
	await when(seconds);
	broker.send(...ids.map(cancel));
	const { result } = await broker.answerTo(7);
	expect(processesWith(seconds)).toEqual([]);
	await broker.ask('ping', {});
	expect(broker.received.filter(({ id }) => id === 7)).toHaveLength(1);
	expect(await broker.run('echo alive')).toMatchObject({ output: 'alive\n' });
	return result?.structuredContent as ShellResult;
}

test('at the start', async () => {
	const result = await cancelled(async () => {}, 7);
	expect(result).toMatchObject({ cancelled: true, exit_code: null });
	expect(result.error).toMatch(/^The command was cancelled( before it started)?\.$/);
});

test('in the middle: what had been printed is returned', async () => {
	const result = await cancelled((seconds) => expectSleeping(seconds), 7);
	expect(result).toMatchObject({
		cancelled: true,
		output: 'before\n',
		signal: 'SIGTERM',
		error: 'The command was cancelled.',
	});
});

test('twice', async () => {
	const result = await cancelled((seconds) => expectSleeping(seconds), 7, 7);
	expect(result).toMatchObject({ cancelled: true, output: 'before\n' });
});

test('after the end, and for an unknown id', async () => {
	const broker = await startShellBroker();
	broker.send(shellRequest(7, 'echo hi'), cancel(99));
	expect((await broker.answerTo(7)).result?.structuredContent).toMatchObject({ cancelled: false, output: 'hi\n' });
	broker.send(cancel(7), cancel(7));
	await broker.ask('ping', {});
	expect(broker.received.filter(({ id }) => id === 7)).toHaveLength(1);
});

test('in the very moment at which it ends', async () => {
	const broker = await startShellBroker();
	for (let id = 100; id < 140; id++) {
		broker.send(shellRequest(id, 'echo hi'));
		await delay((id - 100) / 2);
		broker.send(cancel(id));
	}
	for (let id = 100; id < 140; id++) await broker.answerTo(id);
	await broker.ask('ping', {});
	const ids = broker.received.map(({ id }) => id).filter((id) => typeof id === 'number');
	expect(ids).toHaveLength(40);
	expect(new Set(ids).size).toBe(40);
});

test('another command goes on', async () => {
	const broker = await startShellBroker();
	const seconds = uniqueSeconds();
	broker.send(shellRequest(7, `sleep ${seconds}`), shellRequest(8, 'sleep 1; echo done'));
	await expectSleeping(seconds);
	broker.send(cancel(7));
	expect((await broker.answerTo(8)).result?.structuredContent).toMatchObject({ output: 'done\n', exit_code: 0 });
});
