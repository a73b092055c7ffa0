import { describe, expect, test } from 'vitest';
import {
	expectGone,
	expectSleeping,
	processesWith,
	shellRequest,
	startShellBroker,
	uniqueSeconds,
} from '../../support/shell.ts';

/** A broker with a command under way, and processes that others have left in the background. */
async function busyBroker() {
	const broker = await startShellBroker();
	const seconds = uniqueSeconds();
	await broker.run(`sleep ${seconds} & setsid sleep ${seconds} >/dev/null 2>&1 & echo`);
	broker.send(shellRequest(7, `trap '' TERM; echo before; sleep ${seconds}1; sleep ${seconds}1`));
	await expectSleeping(`${seconds}1`);
	await expectSleeping(seconds);
	return { broker, seconds };
}

/** The broker has a second and a half for its end: less than it needs at times on a machine that is very busy. */
const AT_TIMES = { retry: 5 };

test('when its input ends, the broker answers with what was printed, and nothing survives', AT_TIMES, async () => {
	const { broker, seconds } = await busyBroker();
	const { code, rest } = await broker.finish();
	expect(code).toBe(0);
	expect(rest.find(({ id }) => id === 7)?.result?.structuredContent).toMatchObject({
		output: 'before\n',
		error: 'The command was stopped because Context Broker is shutting down.',
		cancelled: true,
	});
	await expectGone(seconds);
});

test('a request that comes with the end of the input is answered', AT_TIMES, async () => {
	const broker = await startShellBroker();
	broker.send(shellRequest(7, 'echo before; sleep 30'));
	const { code, rest } = await broker.finish();
	expect(code).toBe(0);
	expect(rest.find(({ id }) => id === 7)?.result?.structuredContent).toMatchObject({ cancelled: true });
});

test('a process that wiped its environment and stayed in the group is found, and ended', async () => {
	const broker = await startShellBroker();
	const seconds = uniqueSeconds();
	const { background_pids } = await broker.run(`env -i sleep ${seconds} & echo`);
	await expectSleeping(seconds);
	expect(background_pids).toEqual(processesWith(seconds));
	await broker.finish();
	await expectGone(seconds);
});

describe('nothing survives', () => {
	test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const)('a broker ended by %s', async (signal) => {
		const { broker, seconds } = await busyBroker();
		broker.kill(signal);
		await expectGone(seconds);
		await expectGone(`watch-commands ${broker.pid}`);
	});

	test('a broker that is killed right after the start of the first command', async () => {
		const broker = await startShellBroker();
		const seconds = uniqueSeconds();
		broker.send(shellRequest(7, `setsid sleep ${seconds} & sleep ${seconds}`));
		await expectSleeping(seconds);
		broker.kill('SIGKILL');
		await expectGone(seconds);
	});

	test('a broker whose watching process was killed before', async () => {
		const { broker, seconds } = await busyBroker();
		const [watcher = 0] = await watchersOf(broker.pid);
		process.kill(watcher, 'SIGKILL');
		await expect.poll(async () => await watchersOf(broker.pid)).not.toContain(watcher);
		// What starts another also tells it what to watch; the answer comes after both.
		await broker.ask('ping', {});
		broker.kill('SIGKILL');
		await expectGone(seconds);
	});
});

async function watchersOf(pid: number): Promise<readonly number[]> {
	let watchers: readonly number[] = [];
	const look = () => {
		watchers = processesWith(`watch-commands ${pid}`);
		return watchers;
	};
	await expect.poll(look).toHaveLength(1);
	// Not looked up once more: a moment later, one that was killed is gone, and no other one there.
	return watchers;
}
