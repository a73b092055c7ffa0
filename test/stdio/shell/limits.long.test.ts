import { describe, expect, test } from 'vitest';
import { expectSleeping, processesWith, startShellBroker, uniqueSeconds } from '../../support/shell.ts';

/** In seconds longer than a shell takes to start, also on a busy machine. */
const IDLE = '[shell]\nidle_timeout = 4\n';

const NO_OUTPUT = 'The command was stopped after 4 seconds without output (idle_timeout).';

describe('a command is ended with all its processes, and what it had printed is returned', () => {
	const cases = [
		{
			name: 'that prints nothing for the time set',
			map: IDLE,
			command: (sleep: string) => `echo before; ${sleep}`,
			error: NO_OUTPUT,
			output: /^before\n$/,
		},
		{
			name: 'that runs for the time set, however much it prints',
			map: `${IDLE}timeout = 6\n`,
			command: (sleep: string) => `(${sleep}) & while true; do echo more; sleep 0.2; done`,
			error: 'The command was stopped after 6 seconds (timeout).',
			output: /^(more\n){5,}$/,
		},
		{
			name: 'that does not heed TERM',
			map: IDLE,
			command: (sleep: string) => `trap '' TERM; echo before; ${sleep}; ${sleep}; echo after`,
			error: NO_OUTPUT,
			output: /^before\n$/,
		},
		{
			name: 'that says something at TERM',
			map: IDLE,
			command: (sleep: string) => `trap 'echo bye; exit 7' TERM; ${sleep} & wait`,
			error: NO_OUTPUT,
			output: /^bye\n$/,
			exit_code: 7,
		},
		{
			name: 'with a child that left the group',
			map: IDLE,
			command: (sleep: string) => `setsid ${sleep} & echo before; wait`,
			error: NO_OUTPUT,
			output: /^before\n$/,
		},
		{
			name: 'with a child that left the group without its environment',
			map: IDLE,
			command: (sleep: string) => `setsid env -i ${sleep} & echo before; wait`,
			error: NO_OUTPUT,
			output: /^before\n$/,
		},
		{
			name: 'with a grandchild that holds the pipe',
			map: IDLE,
			command: (sleep: string) => `(setsid sh -c '${sleep}; true' & ); echo before; sleep 200`,
			error: NO_OUTPUT,
			output: /^before\n$/,
		},
		{
			name: 'that stopped itself',
			map: IDLE,
			command: (sleep: string) => `${sleep} & echo before; kill -STOP $$; echo after`,
			error: NO_OUTPUT,
			output: /^before\n$/,
		},
	];
	test.each(cases)('$name', async ({ map, command, error, output, exit_code }) => {
		const broker = await startShellBroker({ map });
		const seconds = uniqueSeconds();
		const result = await broker.run(command(`sleep ${seconds}`));
		expect(processesWith(seconds)).toEqual([]);
		expect(result).toMatchObject({
			error,
			timed_out: true,
			cancelled: false,
			output: expect.stringMatching(output),
			background_pids: [],
			exit_code: exit_code ?? null,
		});
		if (exit_code === undefined) expect(result.signal).toMatch(/^SIG(TERM|KILL)$/);
	});
});

test('TERM comes once', async () => {
	const broker = await startShellBroker({ map: IDLE });
	const { output } = await broker.run("trap 'echo term' TERM; while true; do sleep 0.05; done");
	expect(output.match(/^term$/gm)).toHaveLength(1);
});

test('what went to the background before is left alone', async () => {
	const broker = await startShellBroker({ map: IDLE });
	const [kept, ended] = [uniqueSeconds(), uniqueSeconds()];
	await broker.run(`sleep ${kept} &`);
	await broker.run(`sleep ${ended}`);
	expect(processesWith(ended)).toEqual([]);
	await expectSleeping(kept);
});

test('a limit holds for the command that it was set for, and an edit for the next', async () => {
	const broker = await startShellBroker({ map: IDLE });
	expect((await broker.run('sleep 200')).timed_out).toBe(true);
	await broker.user.writeMap('[keys]\n[shell]\nidle_timeout = 60\n');
	expect(await broker.run('sleep 5; echo hi')).toMatchObject({ timed_out: false, output: 'hi\n' });
});
