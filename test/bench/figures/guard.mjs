import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '../client.mjs';
import { CLAUDE_CODE, hookCall, loadHook } from '../hook-calls.mjs';
import { interleave } from '../interleave.mjs';
import { difference, value } from '../row.mjs';
import { median } from '../statistics.mjs';
import { catalog, LARGE, load, User } from '../user.mjs';

/** In milliseconds: the least time between an agent's load and its answer. */
const AGENT_WORK_MS = 1_000;

const SUBAGENT = { agent_id: 'a1', agent_type: 'context-broker:privacy-scanner' };

/**
 * The broker's time for Claude Code's hooks.
 *
 * @param {import('../run.mjs').Extent} extent
 */
export async function guard({ rounds, isShort }) {
	const [user, noKeys] = [new User({ small: catalog(10_000), large: catalog(LARGE) }), new User({})];
	user.build();
	noKeys.build();
	const command = JSON.stringify({ command: 'git status && grep -rn "some text" src | head -n 20' });
	const shell = hookCall('PreToolUse', { tool_name: 'Bash', tool_use_id: 'toolu_b', tool_input: command });
	const of = { tool_name: 'Bash', tool_use_id: 'toolu_b', tool_input: command };
	/** @param {string} stdout */
	const result = (stdout) => hookCall('PostToolUse', { ...of, tool_response: JSON.stringify({ stdout, stderr: '' }) });
	const answer = hookCall('SubagentStop', { ...SUBAGENT, last_assistant_message: report(20_000) });
	const decisions = await withClient(user.broker, async (client) => {
		await client.introduce(CLAUDE_CODE);
		const measures = {
			load: () => client.timeAll(20, loadHook('small', 'toolu_l')),
			shell: () => client.timeAll(20, shell),
			result: () => client.timeAll(20, result(report(1_000))),
			longResult: () => client.timeAll(5, result(report(30_000))),
		};
		await interleave(10, measures);
		return await interleave(isShort ? 10 : 50, measures);
	});

	const withoutKeys = await withClient(noKeys.broker, async (client) => {
		await client.introduce(CLAUDE_CODE);
		const compared = result(report(30_000));
		const measures = {
			longResult: () => client.timeAll(20, compared),
			// An event that needs no decision.
			other: () => client.timeAll(20, { ...compared, arguments: { ...compared.arguments, hook_event_name: 'Other' } }),
		};
		await interleave(10, measures);
		return await interleave(isShort ? 10 : 50, measures);
	});

	/** @type {{ first: number[], later: number[] }} */
	const checks = { first: [], later: [] };
	for (let round = 0; round < (isShort ? 3 : Math.min(rounds, 10)); round++) {
		await withClient(user.broker, async (client) => {
			await client.introduce(CLAUDE_CODE);
			const approval = await client.call(loadHook('large', 'toolu_1'));
			if (!approval.includes('"allow"')) throw new Error('the load was not approved');
			await client.call({ ...load('large'), _meta: { 'claudecode/toolUseId': 'toolu_1' } });
			await delay(AGENT_WORK_MS);
			checks.first.push(await client.time(answer));
			checks.later.push(...(await client.timeAll(10, answer)));
			if ((await client.call(answer)) !== '{}') throw new Error('the answer was taken for a quotation');
		});
	}
	return [
		value('guard: decision about a load', 'ms', median(decisions.load), 1),
		value('guard: decision about a shell command', 'ms', median(decisions.shell), 1),
		value('guard: result of 1,000 characters compared', 'ms', median(decisions.result), 1),
		value('guard: result of 30,000 characters compared', 'ms', median(decisions.longResult), 5),
		difference(
			'guard: result of 30,000 characters, no keys',
			'ms',
			median(withoutKeys.longResult),
			['an event with nothing to decide', median(withoutKeys.other)],
			0.2,
		),
		value('guard: answer of 20,000 characters checked', 'ms', median(checks.later), 25),
		value('guard: the same, first in a process', 'ms', median(checks.first), 25),
	];
}

/** A scanner's answer without a quotation. @param {number} length @returns {string} */
function report(length) {
	let text = '| file | line | entry | certainty |\n|---|---|---|---|\n';
	for (let n = 0; text.length < length; n++) {
		text += `| src/fixtures/people${n}.ts | ${n} | Names, entry ${n % 40} | ${n % 3 === 0 ? 'certain' : 'likely'} |\n`;
	}
	return text.slice(0, length);
}
