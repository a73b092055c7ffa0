import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LOAD_CONTEXT } from '../../server/claude-code/tools.ts';
import { PLUGIN_ROOT } from '../support/paths.ts';
import {
	addAgent,
	brokerSession,
	LOAD,
	listAgents,
	mainSession,
	SCANNER,
	scanSession,
	userWithKey,
} from './broker-session.ts';
import { delegate } from './harness/delegation.ts';
import { writeMap, writePrivate } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { type DeliveredResult, toolNames, userText } from './harness/request.ts';
import { CATALOG, leaks } from './markers.ts';

const PLUGIN = ['--plugin-dir', PLUGIN_ROOT];

/** Nothing is asked; what runs is what no hook refuses. Root needs the variable for it. */
const BYPASS = { args: [...PLUGIN, '--dangerously-skip-permissions'], env: { IS_SANDBOX: '1' } };

const DELIVERED = [{ isError: false, parts: [CATALOG] }];

function refusal(reason: RegExp): object {
	return { isError: true, text: expect.stringMatching(reason) };
}

const DELEGATE = refusal(/agents_only: .* Delegate: start the agent that needs it with the Agent tool/);

function notListed(agent: string): object {
	return refusal(new RegExp(`agent_not_listed: .* The name of this agent is "${agent}"\\.`));
}

/** In the order in which they were called: the client gives them in the order in which they came. */
function inOrder(results: readonly DeliveredResult[]): DeliveredResult[] {
	return [...results].sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
}

describe.each(clientVersions())('Claude Code %s', (version) => {
	test('the scanner can load, without any settings and without a question', async () => {
		const { scan, model, session } = await scanSession({ version, ...(await userWithKey()), keys: ['k'] });
		expect(scan.resultsOf()).toMatchObject(DELIVERED);
		expect(leaks(model.requests, scan.requestsOf())).toEqual([]);
		expect(session.events.find(({ type }) => type === 'result')?.permission_denials).toEqual([]);
	});

	test.each(['deny', 'ask'])('a rule of the user to %s wins over the approval', async (rule) => {
		const user = await userWithKey();
		await mkdir(join(user.home, '.claude'), { recursive: true });
		const settings = { permissions: { [rule]: [LOAD_CONTEXT] } };
		await writeFile(join(user.home, '.claude', 'settings.json'), JSON.stringify(settings));
		const { scan, model } = await scanSession({ version, ...user, keys: ['k'] });
		expect(scan.resultsOf()).toMatchObject([{ isError: true }]);
		expect(leaks(model.requests)).toEqual([]);
	});

	test.each([
		['when it has to ask', { args: PLUGIN }],
		['when the tool is allowed', { args: [...PLUGIN, '--allowedTools', LOAD_CONTEXT] }],
		['when everything is allowed', BYPASS],
	])('the main agent is told to delegate, whether or not the key exists: %s', async (_, mode) => {
		const none = { tool: LOAD_CONTEXT, input: { key: 'none' } };
		const { results, model } = await mainSession({ version, ...(await userWithKey()), ...mode }, [LOAD, none]);
		const [known, unknown] = results;
		expect(known).toMatchObject(DELEGATE);
		expect(unknown).toEqual({ ...known, id: unknown?.id });
		expect(leaks(model.requests)).toEqual([]);
	});

	test('the main agent can not ask the guard to approve its call', async () => {
		const guard = LOAD_CONTEXT.replace('load_context', 'guard');
		const input = {
			hook_event_name: 'PreToolUse',
			tool_name: LOAD_CONTEXT,
			tool_use_id: 'toolu_2_0',
			tool_input: '{"key":"k"}',
			agent_id: 'a1',
			agent_type: SCANNER,
		};
		const session = { version, ...(await userWithKey()), ...BYPASS };
		const { results, model } = await mainSession(session, [{ tool: guard, input }, LOAD]);
		expect(results).toMatchObject([refusal(/No such tool available/), DELEGATE]);
		expect(leaks(model.requests)).toEqual([]);
	});

	test('another subagent is refused, whether or not the key exists, when everything is allowed', async () => {
		const type = 'general-purpose';
		const session = { version, ...(await userWithKey()), ...BYPASS };
		const { scan, model } = await scanSession({ ...session, keys: ['k', 'none'], type });
		expect(scan.resultsOf()).toMatchObject([notListed(type), notListed(type)]);
		expect(leaks(model.requests)).toEqual([]);
	});

	test.each(['home', 'project'] as const)(
		'an agent in the %s of the user can load once it is listed',
		async (place) => {
			const user = await userWithKey();
			await addAgent(user[place], 'reader');
			const session = { version, ...user, keys: ['k'], type: 'reader' };
			const before = await scanSession(session);
			expect(before.scan.resultsOf()).toMatchObject([notListed('reader')]);
			expect(leaks(before.model.requests)).toEqual([]);

			await listAgents(user.home, 'reader');
			const after = await scanSession(session);
			expect(after.scan.resultsOf()).toMatchObject(DELIVERED);
			expect(leaks(after.model.requests, after.scan.requestsOf())).toEqual([]);

			const scanner = await scanSession({ ...session, type: SCANNER });
			expect(scanner.scan.resultsOf()).toMatchObject([notListed(SCANNER)]);
			expect(leaks(scanner.model.requests)).toEqual([]);
		},
	);

	test('a main thread that was started as the scanner can load', async () => {
		const args = [...PLUGIN, '--agent', SCANNER];
		const { results } = await mainSession({ version, ...(await userWithKey()), args }, [LOAD]);
		expect(results).toMatchObject(DELIVERED);
	});

	test('a main thread that was started as another agent can not', async () => {
		const user = await userWithKey();
		await addAgent(user.project, 'reader');
		const args = [...PLUGIN, '--agent', 'reader'];
		const { results, model } = await mainSession({ version, ...user, args }, [LOAD]);
		expect(results).toMatchObject([notListed('reader')]);
		expect(leaks(model.requests)).toEqual([]);
	});

	test('what a main thread was started as does not count for its subagents', async () => {
		const user = await userWithKey('boss');
		await addAgent(user.project, 'boss', 'Agent, Task');
		const type = 'general-purpose';
		const args = [...PLUGIN, '--agent', 'boss'];
		const { scan, model } = await scanSession({ version, ...user, keys: ['k'], type, args });
		expect(scan.resultsOf()).toMatchObject([notListed(type)]);
		expect(leaks(model.requests)).toEqual([]);
	});

	test('of three subagents at once, each gets what is its own', async () => {
		const user = await userWithKey();
		await addAgent(user.home, 'reader');
		await writeMap(user.home, '[keys]\nk = "catalog.md"\nr.path = "notes.md"\nr.agents = ["reader"]\n');
		await writePrivate(user.home, 'notes.md', 'notes of the reader');
		const both = [LOAD, { tool: LOAD_CONTEXT, input: { key: 'r' } }];
		const errands = delegate(
			[SCANNER, 'reader', 'general-purpose'].map((type) => ({ type, background: false, calls: [both, ...both] })),
		);
		const { model } = await brokerSession({ version, ...user }, errands.script);
		const [catalog, notes] = [{ parts: [CATALOG] }, { parts: ['notes of the reader'] }];
		const [scanner, reader, other] = [notListed(SCANNER), notListed('reader'), notListed('general-purpose')];
		expect(inOrder(errands.resultsOf(0))).toMatchObject([catalog, scanner, catalog, scanner]);
		expect(inOrder(errands.resultsOf(1))).toMatchObject([reader, notes, reader, notes]);
		expect(inOrder(errands.resultsOf(2))).toMatchObject([other, other, other, other]);
		expect(leaks(model.requests, errands.requestsOf(0))).toEqual([]);
	});

	test('a subagent of a subagent is known by its own name', async () => {
		const inner = delegate({ type: SCANNER, prompt: 'Inner errand.', calls: [LOAD] });
		const start = { description: 'x', prompt: 'Inner errand.', subagent_type: SCANNER, run_in_background: false };
		const calls = [LOAD, { tool: 'Agent', input: start }, LOAD];
		const outer = delegate({ type: 'general-purpose', prompt: 'Outer errand.', background: false, calls });
		const { model } = await brokerSession({ version, ...(await userWithKey()) }, (request) =>
			(userText(request).includes('Inner errand.') ? inner : outer).script(request),
		);
		// 2.1.126 lets no subagent start another.
		const started = outer.requestsOf().some((request) => toolNames(request).includes('Agent'));
		const no = notListed('general-purpose');
		expect(outer.resultsOf()).toMatchObject([no, { isError: !started }, no]);
		expect(inner.resultsOf()).toMatchObject(started ? DELIVERED : []);
		expect(leaks(model.requests, inner.requestsOf())).toEqual([]);
	});
});
