import { describe, expect, test } from 'vitest';
import { expectGone, expectSleeping, startShellBroker, uniqueSeconds } from '../../support/shell.ts';

describe('a command is ended with all its processes, and what it had printed is returned', () => {
	const cases = [
		{
			name: 'that prints nothing for the time set',
			map: '[shell]\nidle_timeout = 1\n',
			command: (sleep: string) => `echo before; ${sleep}`,
			error: 'It was ended after 1 seconds without output (idle_timeout).',
			output: /^before\n$/,
		},
		{
			name: 'that runs for the time set, however much it prints',
			map: '[shell]\nidle_timeout = 1\ntimeout = 2\n',
			command: (sleep: string) => `(${sleep}) & while true; do echo more; sleep 0.2; done`,
			error: 'It was ended after 2 seconds (timeout).',
			output: /^(more\n){5,}$/,
		},
		{
			name: 'that does not heed TERM',
			map: '[shell]\nidle_timeout = 1\n',
			command: (sleep: string) => `trap '' TERM; echo before; ${sleep}; ${sleep}; echo after`,
			error: 'It was ended after 1 seconds without output (idle_timeout).',
			output: /^before\n$/,
		},
		{
			name: 'that says something at TERM',
			map: '[shell]\nidle_timeout = 1\n',
			command: (sleep: string) => `trap 'echo bye; exit 7' TERM; ${sleep} & wait`,
			error: 'It was ended after 1 seconds without output (idle_timeout).',
			output: /^bye\n$/,
			exit_code: 7,
		},
		{
			name: 'with a child that left the group',
			map: '[shell]\nidle_timeout = 1\n',
			command: (sleep: string) => `setsid ${sleep} & echo before; wait`,
			error: 'It was ended after 1 seconds without output (idle_timeout).',
			output: /^before\n$/,
		},
		{
			name: 'with a child that left the group without its environment',
			map: '[shell]\nidle_timeout = 1\n',
			command: (sleep: string) => `setsid env -i ${sleep} & echo before; wait`,
			error: 'It was ended after 1 seconds without output (idle_timeout).',
			output: /^before\n$/,
		},
		{
			name: 'with a grandchild that holds the pipe',
			map: '[shell]\nidle_timeout = 1\n',
			command: (sleep: string) => `(setsid sh -c '${sleep}; true' & ); echo before; sleep 20`,
			error: 'It was ended after 1 seconds without output (idle_timeout).',
			output: /^before\n$/,
		},
		{
			name: 'that stopped itself',
			map: '[shell]\nidle_timeout = 1\n',
			command: (sleep: string) => `${sleep} & echo before; kill -STOP $$; echo after`,
			error: 'It was ended after 1 seconds without output (idle_timeout).',
			output: /^before\n$/,
		},
	];
	test.each(cases)('$name', async ({ map, command, error, output, exit_code }) => {
		const broker = await startShellBroker({ map });
		const seconds = uniqueSeconds();
		const result = await broker.run(command(`sleep ${seconds}`));
		await expectGone(seconds, 0);
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
	const broker = await startShellBroker({ map: '[shell]\nidle_timeout = 1\n' });
	const { output } = await broker.run("trap 'echo term' TERM; while true; do sleep 0.05; done");
	expect(output.match(/^term$/gm)).toHaveLength(1);
});

test('what went to the background before is left alone', async () => {
	const broker = await startShellBroker({ map: '[shell]\nidle_timeout = 1\n' });
	const [kept, ended] = [uniqueSeconds(), uniqueSeconds()];
	await broker.run(`sleep ${kept} &`);
	await broker.run(`sleep ${ended}`);
	await expectGone(ended, 0);
	await expectSleeping(kept);
});

test('a limit holds for the command that it was set for, and an edit for the next', async () => {
	const broker = await startShellBroker({ map: '[shell]\nidle_timeout = 1\n' });
	expect((await broker.run('sleep 5')).timed_out).toBe(true);
	await broker.user.writeMap('[keys]\n[shell]\nidle_timeout = 60\n');
	expect(await broker.run('sleep 1.5; echo hi')).toMatchObject({ timed_out: false, output: 'hi\n' });
});
