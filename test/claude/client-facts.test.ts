import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { does } from './client-differences.ts';
import { runClient } from './harness/client.ts';
import { delegate } from './harness/delegation.ts';
import { createHome } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { type Script, startModel } from './harness/model.ts';
import { type DeliveredResult, type ModelRequest, mentions, toolResults } from './harness/request.ts';

const SERVER = 'mcp__plugin_recorder_server__';
const bash = (command: string) => ({ tool: 'Bash', input: { command, description: 'x' } });
const tool = (name: string) => ({ tool: `${SERVER}${name}`, input: {} });
const decide = (permissionDecision: string, more: object = {}) => ({
	hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, ...more },
});

interface Noted {
	readonly kind: 'start' | 'hook' | 'call';
	readonly env?: Readonly<Record<string, string>>;
	readonly input?: Readonly<Record<string, string>>;
	readonly name?: string;
	readonly _meta?: Readonly<Record<string, unknown>>;
}

interface Recorded {
	readonly noted: readonly Noted[];
	readonly requests: readonly ModelRequest[];
	/** What the tools gave the main agent. */
	readonly results: readonly DeliveredResult[];
	/** The paths below the home folder. */
	readonly files: readonly string[];
	hooks(event: string, toolName?: string): Readonly<Record<string, string>>[];
}

/** A session with another plugin, which has the broker's own hooks: its server notes down all that they ask, and answers as it is told. */
async function record(version: string, script: Script, answers: object): Promise<Recorded> {
	const { home, project, remove } = await createHome();
	const model = await startModel(script);
	try {
		const [plugin, log, told] = ['recorder', 'log', 'answers.json'].map((name) => join(home, name)) as [
			string,
			string,
			string,
		];
		const ours = await readFile(join(PLUGIN_ROOT, 'hooks', 'hooks.json'), 'utf8');
		const { SessionStart, ...hooks } = JSON.parse(
			ours.replaceAll('plugin:context-broker:broker', 'plugin:recorder:server'),
		).hooks;
		const args = [fileURLToPath(new URL('recorder.mjs', import.meta.url)), log, told];
		const files = {
			'.claude-plugin/plugin.json': JSON.stringify({ name: 'recorder', version: '1.0.0' }),
			'.mcp.json': JSON.stringify({ mcpServers: { server: { command: process.execPath, args } } }),
			'hooks/hooks.json': JSON.stringify({ hooks }),
			'agents/reader.md': `---\nname: reader\ndescription: x\ntools: Bash, ${SERVER}echo, ${SERVER}fail\n---\nYou read.\n`,
		};
		for (const [name, text] of Object.entries(files)) {
			await mkdir(dirname(join(plugin, name)), { recursive: true });
			await writeFile(join(plugin, name), text);
		}
		await writeFile(told, JSON.stringify(answers));
		await runClient({
			version,
			home,
			cwd: project,
			model,
			prompt: 'Begin.',
			args: ['--plugin-dir', plugin, '--allowedTools', 'Bash'],
		});
		const lines = (await readFile(log, 'utf8')).trim().split('\n');
		const noted = lines.map((line) => JSON.parse(line) as Noted);
		const newest = model.requests.findLast(({ agent }) => agent === 'main');
		return {
			noted,
			requests: model.requests,
			results: newest === undefined ? [] : toolResults(newest),
			files: await readdir(home, { recursive: true }),
			hooks: (event, toolName) =>
				noted.flatMap(({ input }) =>
					input?.hook_event_name === event && (toolName === undefined || input.tool_name === toolName) ? [input] : [],
				),
		};
	} finally {
		await model.close();
		await remove();
	}
}

describe.each(clientVersions())('Claude Code %s', (version) => {
	describe('a subagent that was to run in the background', () => {
		let session: Recorded;
		let answers = 0;
		const errand = delegate({
			...{ type: 'recorder:reader', background: true, calls: [tool('echo'), tool('fail')] },
			answer: () => `Answer ${++answers} of it.`,
		});

		beforeAll(async () => {
			const steps = [bash('echo hi'), tool('guard')];
			const script: Script = (request) => {
				const done = toolResults(request).length;
				if (request.agent === 'subagent' || done === 0) return errand.script(request);
				return steps[done - 1] ?? { text: 'Done.' };
			};
			const toForeground = {
				description: 'x',
				prompt: 'Errand 1.',
				subagent_type: 'recorder:reader',
				run_in_background: false,
			};
			session = await record(version, script, {
				'PreToolUse Agent': decide('allow', { updatedInput: toForeground }),
				'PreToolUse Task': decide('allow', { updatedInput: toForeground }),
				[`PreToolUse ${SERVER}echo`]: decide('allow'),
				[`PreToolUse ${SERVER}fail`]: decide('allow'),
				SubagentStop: [{ decision: 'block', reason: 'Say it in other words.' }],
				'PostToolUse Agent': { replace: ['Answer 2', 'Another answer'] },
				'PostToolUse Task': { replace: ['Answer 2', 'Another answer'] },
			});
		});

		test('the hook before a call is told the id and the type of a subagent, and neither of the main agent', () => {
			const [ofAgent] = session.hooks('PreToolUse', `${SERVER}echo`);
			expect(ofAgent).toMatchObject({ agent_id: expect.stringMatching(/./), agent_type: 'recorder:reader' });
			expect(session.hooks('PreToolUse', 'Bash')).toMatchObject([{ agent_id: '', agent_type: '' }]);
		});

		test('a hook gets objects as JSON', () => {
			const [call] = session.hooks('PostToolUse', 'Bash');
			expect(JSON.parse(call?.tool_input ?? '')).toMatchObject({ command: 'echo hi' });
			expect(JSON.parse(call?.tool_response ?? '')).toMatchObject({ stdout: 'hi' });
		});

		test('a hook is told the server of a tool', () => {
			const [call] = session.hooks('PreToolUse', `${SERVER}echo`);
			const told = JSON.stringify({ name: 'plugin:recorder:server', source: 'plugin' });
			expect(call?.mcp_server).toBe(does(version, 'namesServers') ? told : '');
		});

		test('a call reaches the server with the id that the hook before it was told', () => {
			const [asked] = session.hooks('PreToolUse', `${SERVER}echo`);
			const call = session.noted.find(({ kind, name }) => kind === 'call' && name === 'echo');
			expect(call?._meta?.['claudecode/toolUseId']).toBe(asked?.tool_use_id);
		});

		test('a hook that allows a call lets it through, without any settings', () => {
			expect(errand.resultsOf()[0]).toMatchObject({ isError: false });
		});

		test('the model gets the structured part of a result in the place of its text', () => {
			expect(errand.resultsOf()[0]?.text).toContain('echo as structure');
			expect(errand.resultsOf()[0]?.text).not.toContain('echo as text');
		});

		test('a result that is an error goes to PostToolUseFailure', () => {
			expect(session.hooks('PostToolUseFailure', `${SERVER}fail`)).toMatchObject([
				{ error: expect.stringContaining('fail as text') },
			]);
			expect(session.hooks('PostToolUse', `${SERVER}fail`)).toEqual([]);
		});

		test('a hook before the call that starts an agent can have it run in the foreground', () => {
			expect(session.results[0]?.text).toContain('of it.');
		});

		test('a hook at the end of an agent can have it answer again, and is told what it said', () => {
			expect(answers).toBe(2);
			expect(errand.requestsOf().some((request) => mentions(request, 'Say it in other words.'))).toBe(true);
			const said = session.hooks('SubagentStop').map(({ last_assistant_message: text }) => text);
			expect(said).toEqual(['Answer 1 of it.', 'Answer 2 of it.']);
		});

		test('a hook after the call that started an agent can change what the main agent gets', () => {
			expect(session.results[0]?.text).toContain('Another answer of it.');
			const ofMain = session.requests.filter(({ agent }) => agent === 'main');
			expect(ofMain.filter((request) => mentions(request, 'Answer 2'))).toEqual([]);
		});

		test('the hook after a batch of calls gets what the model gets', () => {
			const batches = session.hooks('PostToolBatch').filter(({ agent_id }) => agent_id === '');
			expect(batches[0]?.tool_calls).toContain('Another answer of it.');
			expect(batches[0]?.tool_calls).not.toContain('Answer 2');
		});

		test('the model can not call a tool that is not listed', () => {
			expect(session.results[2]).toMatchObject({ isError: true, text: expect.stringContaining('No such tool') });
		});

		test("the transcript of an agent bears its id, below the session's folder, and its description lies beside it", () => {
			const [{ agent_id: id = '', session_id: of = '' } = {}] = session.hooks('SubagentStop');
			for (const ending of ['jsonl', 'meta.json'])
				expect(session.files.filter((file) => file.endsWith(`/${of}/subagents/agent-${id}.${ending}`))).toHaveLength(1);
		});

		test('the server is told the session by its environment', () => {
			const [{ session_id: of } = {}] = session.hooks('PreToolUse');
			const [start] = session.noted.filter(({ kind }) => kind === 'start');
			expect(start?.env?.CLAUDE_CODE_SESSION_ID).toBe(does(version, 'tellsSession') ? of : undefined);
		});
	});

	test('a notification is a prompt to hooks, and one that is withheld reaches no model', async () => {
		const errand = delegate({ type: 'recorder:reader', background: true, calls: [], answer: () => 'An answer of it.' });
		let turns = 0;
		const { hooks, requests } = await record(
			version,
			(request) => {
				if (request.agent === 'main') turns += 1;
				// It answers when the main agent waits: older versions do not ask while it works.
				else if (turns < 2 || toolResults(request).at(-1)?.text !== 'later')
					return bash(turns < 2 ? 'sleep 0.2' : 'sleep 1; echo later');
				return errand.script(request);
			},
			{ UserPromptSubmit: [{}, { decision: 'block', reason: 'Withheld.' }] },
		);
		const prompts = hooks('UserPromptSubmit').map(({ prompt }) => prompt);
		expect(prompts).toEqual(['Begin.', expect.stringContaining('An answer of it.')]);
		expect(requests.filter((one) => one.agent === 'main' && mentions(one, 'An answer of it.'))).toEqual([]);
	});

	test('a call passes if the server of a hook has ended; whether it is started again', async () => {
		const steps = [tool('die'), bash('echo on'), tool('echo')];
		const { results, noted } = await record(
			version,
			(request) => steps[toolResults(request).length] ?? { text: 'Done.' },
			{
				[`PreToolUse ${SERVER}die`]: decide('allow'),
				[`PreToolUse ${SERVER}echo`]: decide('allow'),
			},
		);
		expect(results[1]?.text).toContain('on');
		const starts = noted.filter(({ kind }) => kind === 'start').length;
		expect(starts > 1).toBe(does(version, 'startsAgain'));
	});
});
