import { expect, test } from 'vitest';
import type { DecisionRecord } from '../../../server/decision-log/record.ts';
import { createSetting, DECISION, decisionsOf } from './setting.ts';

const SCANNER = { agent: 'a1', type: 'context-broker:privacy-scanner' };
const TIME = '2026-11-28 09:15:02Z';
const { agent, type, reason, key, ...bare } = DECISION;

const RECORDS: readonly DecisionRecord[] = [
	DECISION,
	{ ...bare, ...SCANNER, outcome: 'approved', key },
	{ ...bare, tool: '', outcome: 'private', reason: 'given_out' },
	{ ...bare, ...SCANNER, tool: '', outcome: 'withheld', reason: 'asked_again' },
	{ ...bare, agent: '', type: 'reader', session: 's2' },
	{ ...bare, agent: 'a9', session: '' },
	{ ...bare, outcome: 'permitted', tool: 'run_shell_command' },
];

const OFF = `Decisions are not logged. These two lines in your context-map.toml have them logged from then on:

[log]
decisions = true
`;

test('those of all sessions, the oldest first, for a person', async () => {
	const { run } = await createSetting({ decisions: decisionsOf(RECORDS) });
	expect(await run('log')).toEqual({
		status: 0,
		stderr: '',
		stdout: `Session s1
${TIME}  refused    load_context  main  agents_only  key 5f0c2d9a71be
${TIME}  approved   load_context  context-broker:privacy-scanner a1  key 5f0c2d9a71be
${TIME}  private    this session  given_out
${TIME}  withheld   answer  context-broker:privacy-scanner a1  asked_again
Session s2
${TIME}  refused    load_context  main as reader
Session unknown
${TIME}  refused    load_context  a9
Session s1
${TIME}  permitted  run_shell_command  unknown
`,
	});
});

test.each([['--session', 's2'], ['--session=s2']])('those of one session: %s %s', async (...args) => {
	const { run } = await createSetting({ decisions: decisionsOf(RECORDS) });
	expect((await run('log', ...args)).stdout).toBe(`Session s2\n${TIME}  refused    load_context  main as reader\n`);
});

test('for a program, a line each', async () => {
	const { run } = await createSetting({ decisions: decisionsOf(RECORDS.slice(0, 3)) });
	const { stdout } = await run('log', '--json');
	const lines = stdout
		.trimEnd()
		.split('\n')
		.map((line) => JSON.parse(line));
	const common = { time: '2026-11-28T09:15:02.000Z', session: 's1', tool: 'load_context' };
	expect(lines).toEqual([
		{ ...common, agent: '', type: '', outcome: 'refused', reason: 'agents_only', key },
		{ ...common, ...SCANNER, outcome: 'approved', reason: null, key },
		{ ...common, agent: null, type: null, tool: null, outcome: 'private', reason: 'given_out', key: null },
	]);
});

test('on a terminal, what was not let pass stands out', async () => {
	const { run } = await createSetting({ decisions: decisionsOf(RECORDS), isTTY: true });
	const { stdout } = await run('log');
	expect(stdout).toContain('\u001b[1mSession s1\u001b[22m\n');
	expect(stdout).toContain('  \u001b[1mrefused  \u001b[22m  load_context');
	expect(stdout).toContain('  \u001b[32mapproved \u001b[39m  load_context');
});

test('where it is off, one is told the two lines that turn it on', async () => {
	const none = await createSetting({ decisions: decisionsOf([], false) });
	expect(await none.run('log')).toEqual({ status: 0, stdout: OFF, stderr: '' });
	expect(await none.run('log', '--json')).toEqual({ status: 0, stdout: '', stderr: `context-broker: ${OFF}` });
	const some = await createSetting({ decisions: decisionsOf([DECISION], false) });
	expect(await some.run('log')).toMatchObject({
		stdout: expect.stringContaining('agents_only'),
		stderr: `context-broker: This was logged before. ${OFF}`,
	});
});

test('where it is on and there is nothing, that is said', async () => {
	const { run } = await createSetting({ decisions: decisionsOf([]) });
	expect(await run('log')).toEqual({ status: 0, stdout: 'No decision is logged yet.\n', stderr: '' });
	const other = await createSetting({ decisions: decisionsOf(RECORDS) });
	expect((await other.run('log', '--session', 's\u001b9')).stdout).toBe('No decision of session s\ufffd9 is logged.\n');
});

test('where the map can not be read, that is said, and what there is is shown', async () => {
	const { run } = await createSetting({ decisions: decisionsOf([DECISION], 'The context map is not valid.') });
	expect(await run('log')).toMatchObject({
		stdout: expect.stringContaining('agents_only'),
		stderr: 'context-broker: It can not be told whether decisions are logged. The context map is not valid.\n',
	});
});

test('after an interruption no more is written', async () => {
	const interruption = new AbortController();
	const decisions = {
		isOn: async () => true,
		records: async function* (until?: AbortSignal) {
			expect(until).toBe(interruption.signal);
			yield DECISION;
			interruption.abort();
			yield DECISION;
		},
	};
	const { run } = await createSetting({ decisions, interruption: interruption.signal });
	expect((await run('log', '--follow')).stdout.match(/agents_only/g)).toHaveLength(1);
});
