import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { Decisions } from '../../../server/decision-log/decisions.ts';
import { BrokerError } from '../../../server/errors.ts';
import { RUN_SHELL_COMMAND } from '../../../server/guard/announced-calls.ts';
import { allowCall, denyCall } from '../../../server/guard/hook.ts';
import { loggedIn } from '../../support/decisions.ts';
import { hookEvent, loadEvent, SCANNER } from '../../support/guard.ts';
import { temporaryFolder } from '../../support/temporary.ts';

let data: string;
let folder: string;
let warnings: string[];
/** What the map says; undefined where it can't be read. */
let isOn: boolean | undefined;
/** What it said when it was read last. */
let last: { logsDecisions: boolean } | undefined;
let decisions: Decisions;

beforeEach(async () => {
	data = await temporaryFolder();
	folder = join(data, 'decisions');
	warnings = [];
	isOn = true;
	last = { logsDecisions: true };
	let now = 0;
	decisions = new Decisions({
		data,
		map: {
			get last() {
				return last;
			},
			read: async () => {
				if (isOn === undefined) throw new BrokerError('config_invalid');
				last = { logsDecisions: isOn };
			},
		},
		session: 's0',
		clock: () => {
			now += 1;
			return now;
		},
		warn: (sentence) => warnings.push(sentence),
	});
});

async function logged(): Promise<object[]> {
	await decisions.settled();
	return await loggedIn(data);
}

const load = (toolUseId?: string) => ({ tool: 'load_context', input: { key: 'k' }, toolUseId });
const shell = (toolUseId?: string) => ({ tool: 'run_shell_command', input: { command: 'x' }, toolUseId });
const REFUSAL = denyCall(new BrokerError('protected_file'));

test('a load is approved, turns the session private, and is delivered: to whom the hook has announced', async () => {
	decisions.answered(loadEvent('1', 'k'), allowCall('yes'));
	decisions.turnedPrivate('s1', 'given_out');
	decisions.called(load('1'), undefined);
	const scanner = { session: 's1', agent: 'a1', type: SCANNER, tool: 'load_context' };
	const key = expect.stringMatching(/^[0-9a-f]{12}$/);
	expect(await logged()).toEqual([
		{ at: 1, ...scanner, outcome: 'approved', key },
		{ at: 2, session: 's1', tool: '', outcome: 'private', reason: 'given_out' },
		{ at: 3, ...scanner, outcome: 'delivered', key },
	]);
});

test('of the shell and of other servers it is told that they were permitted, or what they failed with', async () => {
	const event = { tool_name: RUN_SHELL_COMMAND, tool_use_id: '1', ...{ agent_id: 'a2', agent_type: 'reader' } };
	decisions.answered(hookEvent('PreToolUse', event), {});
	decisions.permitted('run_shell_command', '1');
	decisions.called(shell('1'), undefined);
	for (const code of ['command_not_started', 'network_isolation_unavailable'] as const) {
		decisions.called(shell('1'), new BrokerError(code));
	}
	decisions.permitted('db__query', undefined);
	decisions.called({ tool: 'db__query', input: { key: 'none' }, toolUseId: '9' }, new BrokerError('upstream_lost'));
	const reader = { session: 's1', agent: 'a2', type: 'reader', tool: RUN_SHELL_COMMAND };
	expect(await logged()).toEqual([
		{ at: 1, ...reader, outcome: 'permitted' },
		{ at: 2, ...reader, outcome: 'failed', reason: 'command_not_started' },
		{ at: 3, ...reader, outcome: 'refused', reason: 'network_isolation_unavailable' },
		{ at: 4, session: 's1', tool: 'db__query', outcome: 'permitted' },
		{ at: 5, session: 's1', tool: 'db__query', outcome: 'failed', reason: 'upstream_lost' },
	]);
});

test('a call that no hook has announced is logged in the session that is known, by an unknown caller', async () => {
	decisions.called(load(), new BrokerError('caller_unverified'));
	const key = expect.any(String);
	const refused = { tool: 'load_context', outcome: 'refused', reason: 'caller_unverified', key };
	expect(await logged()).toEqual([{ at: 1, session: 's0', ...refused }]);
});

test('the plain answers to hooks are not logged', async () => {
	decisions.answered(loadEvent('1', 'k'), {});
	decisions.answered(hookEvent('PostToolUse', { tool_name: 'Bash' }), {});
	expect(await logged()).toEqual([]);
	await expect(readdir(folder)).rejects.toThrow('ENOENT');
});

test('nothing is written and no folder made where it is off, or where the map never could be read', async () => {
	for (const [now, before] of [
		[false, { logsDecisions: false }],
		[undefined, undefined],
	] as const) {
		[isOn, last] = [now, before];
		decisions.answered(loadEvent('1', 'k'), allowCall('yes'));
		decisions.turnedPrivate('s1', 'found');
		decisions.permitted('run_shell_command', '1');
		decisions.called(load('1'), undefined);
		decisions.called(load('2'), new BrokerError('unknown_key'));
		await decisions.settled();
	}
	await expect(readdir(folder)).rejects.toThrow('ENOENT');
	expect(warnings).toEqual([]);
});

test('what the map says counts at once, also for what is decided before anybody has read it', async () => {
	[isOn, last] = [true, undefined];
	decisions.called(load('1'), new BrokerError('caller_unverified'));
	expect(await logged()).toHaveLength(1);
	isOn = false;
	decisions.called(load('1'), new BrokerError('caller_unverified'));
	expect(await logged()).toHaveLength(1);
	last = { logsDecisions: true };
	decisions.answered(loadEvent('1', 'k'), REFUSAL);
	expect(await logged()).toHaveLength(2);
});

test('a map that breaks leaves it on', async () => {
	isOn = undefined;
	decisions.called(load('1'), new BrokerError('config_invalid'));
	decisions.answered(loadEvent('1', 'k'), REFUSAL);
	expect(await logged()).toHaveLength(2);
});

test('that nothing can be written is told once, with the reason, and never thrown', async () => {
	await writeFile(folder, 'a file in its place');
	decisions.answered(loadEvent('1', 'k'), REFUSAL);
	decisions.answered(loadEvent('1', 'k'), REFUSAL);
	await decisions.settled();
	expect(warnings).toEqual([expect.stringMatching(/^Decisions can not be logged: (EEXIST|ENOTDIR)\.$/)]);
	await rm(folder);
	decisions.answered(loadEvent('1', 'k'), REFUSAL);
	expect(await logged()).toMatchObject([{ at: 3, outcome: 'refused', reason: 'protected_file' }]);
});
