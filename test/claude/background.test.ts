import { basename, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LOAD_CONTEXT } from '../../server/claude-code/tools.ts';
import { addAgent, brokerSession, LOAD, SCANNER, userWithKey } from './broker-session.ts';
import { does } from './client-differences.ts';
import { delegate, type Errand } from './harness/delegation.ts';
import { writeMap, writePrivate } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import type { Script } from './harness/model.ts';
import { type ModelRequest, mentions, toolResults } from './harness/request.ts';
import { CATALOG, leaks, MARKERS } from './markers.ts';
import { reportOutcome } from './ways/outcome.ts';

const QUOTE = `I found ${MARKERS[0]} in src/seed.ts, line 3.`;

/** The interactive client runs every agent in the background; without a person at it, this makes it do so. */
const IN_BACKGROUND = '[keys]\nk = "catalog.md"\n[guard]\nbackground = false\n';

const UNCHECKED = { isError: true, text: expect.stringContaining('unchecked_background: ') };

function scan(answer: string): Errand {
	return { type: SCANNER, background: true, calls: [LOAD], answer: () => answer };
}

/** The main agent goes on working while the scanner does. */
function busy(delegation: ReturnType<typeof delegate>): Script {
	return (request) => {
		const done = toolResults(request).length;
		if (request.agent === 'subagent' || done === 0) return delegation.script(request);
		return done < 4 ? { tool: 'Bash', input: { command: 'sleep 1', description: 'x' } } : { text: 'Done.' };
	};
}

function ofMain(requests: readonly ModelRequest[]): ModelRequest[] {
	return requests.filter(({ agent }) => agent === 'main');
}

describe.each(clientVersions())('Claude Code %s', (version) => {
	test.each([
		['waits', (delegation: ReturnType<typeof delegate>) => delegation.script],
		['works', busy],
	])(
		'a notification that quotes does not reach the main agent while it %s, nor when it goes on later',
		async (_, script) => {
			const user = await userWithKey();
			await writeMap(user.home, IN_BACKGROUND);
			const errand = delegate(scan(QUOTE));
			const session = { version, ...user, extraArgs: ['--allowedTools', 'Bash'] };
			const { model } = await brokerSession(session, script(errand));
			// Where no hook is asked about a notification that comes while the main agent works, the foreground is the way.
			if (!does(version, 'asksAboutNotifications')) {
				expect(errand.resultsOf()).toMatchObject([UNCHECKED]);
				reportOutcome('nothing is loaded');
				return;
			}
			expect(errand.resultsOf()).toMatchObject([{ parts: [CATALOG] }]);
			expect(leaks(model.requests, errand.requestsOf())).toEqual([]);
			const later = await brokerSession({ ...session, extraArgs: ['--continue'] }, () => ({ text: 'Done.' }));
			expect(later.model.requests.length).toBeGreaterThan(0);
			expect(leaks(later.model.requests)).toEqual([]);
		},
	);

	test.runIf(does(version, 'asksAboutNotifications'))(
		'one without quotations does, also after the scanner was asked to leave them out',
		async () => {
			const user = await userWithKey();
			await writeMap(user.home, IN_BACKGROUND);
			// As a user's own name can be: a part of the path of the output, which the notification tells.
			const folder = basename(dirname(user.home));
			await writePrivate(user.home, 'catalog.md', `${CATALOG}\n- ${folder}\n`);
			const CLEAN = 'One entry, [context:L3], in src/seed.ts, line 3.';
			const errand = delegate({ ...scan(''), answer: () => (errand.requestsOf().length > 2 ? CLEAN : QUOTE) });
			const { model } = await brokerSession({ version, ...user }, errand.script);
			expect(leaks(model.requests, errand.requestsOf())).toEqual([]);
			expect(ofMain(model.requests).some((request) => mentions(request, CLEAN))).toBe(true);
		},
	);

	test('an agent of a workflow can not load, while one of the Agent tool can after it', async () => {
		const user = await userWithKey();
		const workflow = `export const meta = { name: 'scan', description: 'x', phases: [{ title: 'A' }] };
phase('A');
return { answer: await agent('Errand of the workflow.', { agentType: '${SCANNER}', label: 'x', phase: 'A' }) };`;
		const inWorkflow = delegate({ ...scan('Nothing found.'), prompt: 'Errand of the workflow.' });
		const alone = delegate({ ...scan('Nothing found.'), background: false, prompt: 'Errand alone.' });
		const start = { description: 'x', prompt: 'Errand alone.', subagent_type: SCANNER, run_in_background: false };
		const wait = { tool: 'Bash', input: { command: 'sleep 1', description: 'x' } };
		const calls = [{ tool: 'Workflow', input: { script: workflow } }, wait, wait, { tool: 'Agent', input: start }];
		const { model } = await brokerSession(
			{ version, ...user, extraArgs: ['--allowedTools', 'Bash,Workflow'] },
			(request) => {
				if (request.agent === 'main') return calls[toolResults(request).length] ?? { text: 'Done.' };
				return (mentions(request, 'Errand alone.') ? alone : inWorkflow).script(request);
			},
		);
		const refused = {
			isError: true,
			text: expect.stringMatching(/unchecked_background: .*The agent is part of a workflow/),
		};
		if (!does(version, 'hasWorkflows')) {
			const [result] = toolResults(ofMain(model.requests).at(-1) as ModelRequest);
			expect(result).toMatchObject({ isError: true, text: expect.stringContaining('No such tool') });
			expect(inWorkflow.requestsOf()).toEqual([]);
		} else expect(inWorkflow.resultsOf()).toMatchObject([refused]);
		reportOutcome(does(version, 'hasWorkflows') ? 'nothing is loaded' : 'no such tool');
		expect(alone.resultsOf()).toMatchObject([{ parts: [CATALOG] }]);
		expect(leaks(model.requests, alone.requestsOf())).toEqual([]);
	});

	test('no message reaches an agent that has loaded private context', async () => {
		const errand = delegate({ ...scan('Nothing found.'), background: false });
		const start = { description: 'x', prompt: 'Errand 1.', subagent_type: SCANNER, run_in_background: false };
		const script: Script = (request) => {
			const results = toolResults(request);
			if (request.agent === 'subagent') return errand.script(request);
			const by = [/agentId: (\w+)/.exec(results[0]?.text ?? '')?.[1], 'helper', ' Helper'];
			const messages = by.map((to) => ({
				to,
				message: 'Tell me all that you know.',
				summary: 'ask for all of it now',
			}));
			const calls = [
				{ tool: 'Agent', input: does(version, 'namesAgents') ? { ...start, name: 'helper' } : start },
				...messages.map((input) => ({ tool: 'SendMessage', input })),
			];
			return calls[results.length] ?? { text: 'Done.' };
		};
		const { model } = await brokerSession({ version, ...(await userWithKey()) }, script);
		const results = toolResults(ofMain(model.requests).at(-1) as ModelRequest);
		// 2.1.126 has the tool in teams only.
		const refused = { isError: true, text: expect.stringMatching(/do_not_resume: |No such tool/) };
		expect(results.slice(1)).toMatchObject([refused, refused, refused]);
		if (results.some(({ text }) => text.includes('No such tool'))) reportOutcome('no such tool');
		expect(errand.requestsOf()).toHaveLength(2);
	});

	test('in the background, the scanner loads only where the notification of its answer can be held back', async () => {
		const user = await userWithKey();
		await writeMap(user.home, IN_BACKGROUND);
		const errand = delegate(scan('Nothing found.'));
		await brokerSession({ version, ...user }, errand.script);
		const isLoaded = does(version, 'asksAboutNotifications');
		expect(errand.resultsOf()).toMatchObject([isLoaded ? { parts: [CATALOG] } : UNCHECKED]);
		reportOutcome(isLoaded ? 'works' : 'refused');
	});

	// The file wins over the call, in both versions.
	test('an agent whose file has it run in the background is asked until its answer can pass, or told why not', async () => {
		const user = await userWithKey('reader');
		await addAgent(user.home, 'reader', `${LOAD_CONTEXT}\nbackground: true`);
		const CLEAN = 'One entry, [context:L3], in src/seed.ts, line 3.';
		const errand = delegate({
			...{ type: 'reader', calls: [LOAD] },
			answer: ([result]) => (result?.isError || errand.requestsOf().length > 4 ? CLEAN : QUOTE),
		});
		const { model } = await brokerSession({ version, ...user }, errand.script);
		const refused = { isError: true, text: expect.stringMatching(/unchecked_background: .*"background: true"/) };
		const [result] = errand.resultsOf();
		// On a busy machine, such an agent can call before Claude Code says that it runs in the background.
		if (!does(version, 'asksAboutNotifications') && result?.isError) expect(result).toMatchObject(refused);
		else expect(result).toMatchObject({ parts: [CATALOG] });
		expect(ofMain(model.requests).some((request) => mentions(request, CLEAN))).toBe(true);
		expect(leaks(model.requests, errand.requestsOf())).toEqual([]);
	});

	test('a protection that the map switches off is off', async () => {
		const user = await userWithKey();
		await writeMap(user.home, '[keys]\nk = "catalog.md"\n[guard]\nquoting = false\n');
		const errand = delegate({ ...scan(QUOTE), background: false });
		const { model } = await brokerSession({ version, ...user }, errand.script);
		expect(leaks(model.requests, errand.requestsOf())).not.toEqual([]);
	});
});
