import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { processesWith, startShellBroker, uniqueSeconds } from '../../support/shell.ts';

const MIB = 1024 * 1024;

/** Of memory that it holds, in bytes. */
function residentOf(pid: number): number {
	return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

test('200 commands at once each give their own output, and leave nothing', async () => {
	const broker = await startShellBroker();
	const seconds = uniqueSeconds();
	const results = await Promise.all(
		Array.from({ length: 200 }, (_, index) =>
			broker.run(`echo o${index}; sleep 0.2; echo e${index} >&2; [ ${seconds} ]; exit ${index % 100}`),
		),
	);
	for (const [index, result] of results.entries()) {
		expect(result).toMatchObject({ output: `o${index}\ne${index}\n`, exit_code: index % 100, background_pids: [] });
	}
	expect(processesWith(seconds)).toEqual([]);
	await expect.poll(() => readFileSync(`/proc/${broker.pid}/status`, 'utf8')).toMatch(/Threads/);
});

test('a program that prints 500 MB holds nobody up, takes no memory, and loses its middle only', async () => {
	const broker = await startShellBroker();
	await broker.run('head -c 3000000 /dev/zero');
	const before = residentOf(broker.pid);
	let most = 0;
	let slowest = 0;
	let isOver = false;
	const asking = (async () => {
		while (!isOver) {
			const since = performance.now();
			await broker.ask('ping', {});
			slowest = Math.max(slowest, performance.now() - since);
			most = Math.max(most, residentOf(broker.pid));
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
	})();
	const result = await broker.run('echo first; head -c 500000000 /dev/zero | tr "\\0" "x"; echo; echo last');
	isOver = true;
	await asking;
	expect(result).toMatchObject({ output_bytes: 500_000_012, truncated: true, exit_code: 0 });
	expect(result.output).toMatch(/^first\nx+\n\[… 498,9\d\d,\d{3} bytes left out …\]\nx+\nlast\n$/);
	expect(result.output.length).toBeLessThan(MIB + 100);
	expect(most - before).toBeLessThan(64 * MIB);
	// One that reads all at once answers when it has.
	expect(slowest).toBeLessThan(result.duration_ms / 2);
});

test('a program that goes on printing in the background takes no memory', async () => {
	const broker = await startShellBroker();
	await broker.run('head -c 3000000 /dev/zero');
	const before = residentOf(broker.pid);
	await broker.run('(yes & sleep 2; kill $!) & echo hi');
	await broker.run('sleep 2.5');
	expect(residentOf(broker.pid) - before).toBeLessThan(64 * MIB);
});

test('output comes out as clean text', async () => {
	const broker = await startShellBroker();
	const printed = [
		["printf '\\033[31mred\\033[0m\\n'", 'red\n'],
		["printf '10%%\\r50%%\\r100%%\\n'", '100%\n'],
		["printf '\\303'; sleep 0.1; printf '\\251\\n'", 'é\n'],
		["printf 'a\\377b\\n'", 'a\ufffdb\n'],
		["printf 'a\\0b'", 'a\ufffdb'],
		["printf 'a\\r\\nb\\r\\n'", 'a\nb\n'],
	] as const;
	for (const [command, output] of printed) expect((await broker.run(command)).output, command).toBe(output);
	const { output } = await broker.run('head -c 300000 /dev/urandom');
	expect(output).toBe('[binary output, 300,000 bytes]');
});

test('progress is told once a second, to whoever asked', async () => {
	const broker = await startShellBroker();
	const command = 'for i in 1 2 3 4 5 6; do echo $i; sleep 0.4; done';
	await broker.call(command);
	expect(broker.received.filter(({ method }) => method !== undefined)).toEqual([]);
	await broker.call(command, {}, { progressToken: 'mine' });
	await broker.ask('ping', {});
	const told = broker.received.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params);
	expect(told.length).toBeGreaterThanOrEqual(2);
	for (const [index, params] of told.entries()) {
		expect(params).toMatchObject({ progressToken: 'mine', progress: index + 1 });
		expect(params?.message).toMatch(/^Running for \d+ s, \d+ bytes of output$/);
	}
});
