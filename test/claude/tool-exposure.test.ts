import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FIND_CONTEXT, LOAD_CONTEXT } from '../../server/claude-code/tools.ts';
import { brokerSession, LOAD, SCANNER, userWithKey } from './broker-session.ts';
import { does } from './client-differences.ts';
import { delegate } from './harness/delegation.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { toolNames, toolResults, userText } from './harness/request.ts';
import { CATALOG } from './markers.ts';

describe.each(clientVersions())('Claude Code %s', (version) => {
	test.each([
		['all', [FIND_CONTEXT, LOAD_CONTEXT]],
		['find-context', [FIND_CONTEXT]],
	])('with %s disabled, what is hidden is not there for anybody', async (disabled, hidden) => {
		const find = { tool: FIND_CONTEXT, input: { key: 'k' } };
		const scan = delegate({ type: SCANNER, background: false, calls: [find, LOAD] });
		const env = { CONTEXT_BROKER_DISABLED_TOOLS: disabled };
		const { model } = await brokerSession({ version, ...(await userWithKey()), env }, scan.script);
		const missing = { isError: true, text: expect.stringContaining('No such tool') };
		const loaded = { isError: false, parts: [CATALOG] };
		expect(scan.resultsOf()).toMatchObject([missing, hidden.includes(LOAD_CONTEXT) ? missing : loaded]);
		for (const request of model.requests) {
			for (const tool of hidden) expect(toolNames(request)).not.toContain(tool);
		}
	});

	test('a tool that is disabled and enabled again while the session runs goes and comes back', async () => {
		const user = await userWithKey();
		const file = join(user.home, '.config', 'context-broker', '.env');
		const write = (line: string) => ({
			tool: 'Bash',
			input: { command: `echo '${line}' > ${file} && sleep 4`, description: 'x' },
		});
		const prompts = ['First errand.', 'Second errand.', 'Third errand.'];
		const errands = prompts.map((prompt) => delegate({ type: SCANNER, prompt, calls: [LOAD] }));
		const start = (prompt = '') => ({
			tool: 'Agent',
			input: { description: 'x', prompt, subagent_type: SCANNER, run_in_background: false },
		});
		const steps = [
			start(prompts[0]),
			write('CONTEXT_BROKER_DISABLED_TOOLS=load-context'),
			start(prompts[1]),
			write('# CONTEXT_BROKER_DISABLED_TOOLS=load-context'),
			start(prompts[2]),
		];
		const session = { version, ...user, extraArgs: ['--allowedTools', `Bash,${LOAD_CONTEXT}`] };
		await brokerSession(session, (request) => {
			if (request.agent !== 'subagent') return steps[toolResults(request).length] ?? { text: 'Done.' };
			const index = prompts.findIndex((prompt) => userText(request).includes(prompt));
			return errands[index]?.script(request) ?? { text: 'Nothing.' };
		});
		const had = errands
			.map((errand) => errand.requestsOf()[0])
			.map((first) => first && toolNames(first).includes(LOAD_CONTEXT));
		// Else it looks at the list again with the next prompt, but the broker refuses the call at once.
		const atOnce = does(version, 'listsAtOnce');
		expect(had).toEqual([true, !atOnce, true]);
		const [first, second, third] = errands.map((errand) => errand.resultsOf());
		for (const results of [first, third]) expect(results).toMatchObject([{ isError: false, parts: [CATALOG] }]);
		expect(second).toMatchObject([
			{ isError: true, text: expect.stringMatching(atOnce ? /No such tool/ : /Unknown tool/) },
		]);
	});
});
