import { expect, test } from 'vitest';
import { createSetting, RECEIPT, receiptsOf } from './setting.ts';

const [A, B] = ['a'.repeat(64), 'b'.repeat(64)];

test('those of the newest session, for a person', async () => {
	const { run } = await createSetting({
		receipts: receiptsOf([
			{ ...RECEIPT, session: 's0' },
			RECEIPT,
			{ ...RECEIPT, asAsked: false, outcome: 'unknown', bytes: undefined, sha256: undefined },
		]),
	});
	expect(await run('receipts')).toEqual({
		status: 0,
		stderr: '',
		stdout: `Session s1
2026-11-28 09:15:02Z  ok       mcp__db__query  200000 bytes
    agent      context-broker:mcp-executor a1
    arguments  sha256 ${A}
    result     sha256 ${B}
2026-11-28 09:15:02Z  unknown  mcp__db__query
    agent      context-broker:mcp-executor a1
    arguments  sha256 ${A} (other than asked)
    result     not seen
`,
	});
});

test('a name means nothing to the terminal, and makes no line of its own', async () => {
	const type = 'reader\n2026-11-28 09:15:02Z  ok\u001b[2A\u009b31m';
	const { run } = await createSetting({ receipts: receiptsOf([{ ...RECEIPT, type }]) });
	const { stdout } = await run('receipts');
	expect(stdout.split('\n')).toHaveLength(6);
	expect(stdout).toContain('reader\ufffd2026-11-28 09:15:02Z  ok\ufffd[2A\ufffd31m a1\n');
});

test('those of a session that is named, or of the one around the command', async () => {
	const receipts = receiptsOf([{ ...RECEIPT, session: 's0' }, RECEIPT]);
	const { run } = await createSetting({ receipts });
	expect((await run('receipts', 's0')).stdout).toMatch(/^Session s0\n2026/);
	expect((await run('receipts', 's9')).stdout).toBe('Session s9\nIt has no receipts.\n');
	const within = await createSetting({ receipts, environment: { CLAUDE_CODE_SESSION_ID: 's0' } });
	expect((await within.run('receipts')).stdout).toMatch(/^Session s0\n/);
	expect((await within.run('receipts', 's1')).stdout).toMatch(/^Session s1\n/);
});

test('for a program', async () => {
	const { run } = await createSetting({ receipts: receiptsOf([RECEIPT]) });
	expect(JSON.parse((await run('receipts', '--json')).stdout)).toEqual({
		session: 's1',
		receipts: [
			{
				...{ time: '2026-11-28T09:15:02.000Z', agent: 'a1', type: 'context-broker:mcp-executor' },
				...{ tool: 'mcp__db__query', arguments: A, asAsked: true, outcome: 'ok', bytes: 200_000, sha256: B },
			},
		],
	});
});

test('where there are none', async () => {
	const { run } = await createSetting({ receipts: receiptsOf([]) });
	expect((await run('receipts')).stdout).toBe('No session has receipts.\n');
	expect(JSON.parse((await run('receipts', '--json')).stdout)).toEqual({ session: null, receipts: [] });
});

test('one session at a time', async () => {
	const { run } = await createSetting();
	expect(await run('receipts', 's1', 's2')).toMatchObject({
		status: 2,
		stderr: expect.stringMatching(/"s2" is too much/),
	});
});
