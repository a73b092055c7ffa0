import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BOOTSTRAP } from '../support/paths.ts';
import {
	addAgent,
	brokerSession,
	DATA_FOLDER,
	LOAD,
	listAgents,
	mainSession,
	SCANNER,
	userWithKey,
} from './broker-session.ts';
import { does } from './client-differences.ts';
import { delegate, type Errand, type ToolCall } from './harness/delegation.ts';
import { GIT_ENVIRONMENT } from './harness/git.ts';
import { type Home, writeMap, writePrivate } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import type { Script } from './harness/model.ts';
import { type ModelRequest, toolResults } from './harness/request.ts';
import { CATALOG, filesThatLeak, leaks, MARKERS, textOf } from './markers.ts';

const BYPASS = { extraArgs: ['--dangerously-skip-permissions'], env: { IS_SANDBOX: '1' } };

/** The cleaning is over a moment after the client has ended; then no process is left. */
async function expectNothingLeft(user: Home): Promise<void> {
	await expect.poll(() => filesThatLeak(user), { interval: 200 }).toEqual([]);
	await expect.poll(() => processes(user), { interval: 200 }).toEqual([]);
	expect(filesThatLeak(user)).toEqual([]);
	expect(recordedLoads(user)).toEqual([]);
}

/** The lines of the record of agents that have loaded and are not cleaned. */
function recordedLoads({ home }: Home): string[] {
	const file = join(home, DATA_FOLDER, 'record', 'record.ndjson');
	const lines = textOf(file)
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => JSON.parse(line));
	const left = new Map<string, boolean>();
	for (const { session, agent, loaded, cleaned } of lines) {
		if (loaded || cleaned) left.set(`${session} ${agent}`, loaded === true);
	}
	return [...left].filter(([, isLeft]) => isLeft).map(([name]) => name);
}

/** The processes of a user by their command lines. @param which the words that it holds */
function processes({ home }: Home, ...which: string[]): number[] {
	const read = (path: string) => textOf(path).split('\0');
	return readdirSync('/proc')
		.filter((pid) => /^\d+$/.test(pid) && read(`/proc/${pid}/environ`).includes(`HOME=${home}`))
		.filter((pid) => which.every((word) => read(`/proc/${pid}/cmdline`).includes(word)))
		.map(Number);
}

function killAll(pids: readonly number[]): void {
	expect(pids).not.toEqual([]);
	for (const pid of pids) {
		try {
			process.kill(pid, 'SIGKILL');
		} catch {
			// It has ended.
		}
	}
}

/** Stops what cleans as soon as it starts: on a busy machine it could be ready before it is killed. @returns what ends that */
function holdCleaning(user: Home): () => void {
	const signal = (name: NodeJS.Signals) => {
		for (const pid of processes(user, 'clean-traces')) {
			try {
				process.kill(pid, name);
			} catch {
				// It has ended.
			}
		}
	};
	const stopping = setInterval(() => signal('SIGSTOP'), 20);
	const letGo = () => {
		clearInterval(stopping);
		signal('SIGKILL');
	};
	onTestFinished(letGo);
	return letGo;
}

const QUOTE = `I found ${MARKERS[0]} in src/seed.ts, line 3.`;

function scan(extra: Partial<Errand> = {}): Errand {
	return { type: SCANNER, background: false, calls: [LOAD], answer: () => QUOTE, ...extra };
}

function bash(command: string, extra: object = {}): ToolCall {
	return { tool: 'Bash', input: { command, description: 'x', ...extra } };
}

/** The main agent goes on for some turns when its scanner has answered. */
function goesOn(errand: ReturnType<typeof delegate>, ...calls: ToolCall[]): Script {
	return (request) => {
		const done = toolResults(request).length;
		if (request.agent === 'subagent' || done === 0) return errand.script(request);
		return calls[done - 1] ?? { text: 'All done.' };
	};
}

describe.each(clientVersions())('Claude Code %s: nothing stays behind', (version) => {
	test('of a scan; and the session can be continued, and scan again', async () => {
		const user = await userWithKey();
		const errand = delegate(scan());
		await brokerSession({ version, ...user }, errand.script);
		expect(errand.resultsOf()).toMatchObject([{ parts: [CATALOG] }]);
		await expectNothingLeft(user);
		const again = delegate(scan({ prompt: 'Errand again.' }));
		const { model, session } = await brokerSession({ version, ...user, extraArgs: ['--continue'] }, (request) => {
			if (request.agent === 'subagent') return again.script(request);
			const start = { description: 'x', prompt: 'Errand again.', subagent_type: SCANNER, run_in_background: false };
			return toolResults(request).length === 1 ? { tool: 'Agent', input: start } : { text: 'Done.' };
		});
		expect(session.result).toBe('Done.');
		expect(again.resultsOf()).toMatchObject([{ parts: [CATALOG] }]);
		expect(leaks(model.requests, again.requestsOf())).toEqual([]);
		await expectNothingLeft(user);
	});

	test('while the session goes on, which can then be resumed, forked and go on with the agent', async () => {
		const user = await userWithKey();
		const errand = delegate(scan({ calls: [LOAD, { tool: 'Read', input: { file_path: '/Zebulon Quux-Marker' } }] }));
		let isLeft = true;
		const { model } = await brokerSession({ version, ...user, ...BYPASS }, (request) => {
			const done = toolResults(request).length;
			if (request.agent === 'subagent' || done === 0) return errand.script(request);
			isLeft = filesThatLeak(user).length > 0 || recordedLoads(user).length > 0;
			return done < 20 && isLeft ? bash('sleep 1') : { text: 'All done.' };
		});
		expect(isLeft).toBe(false);
		expect(leaks(model.requests, errand.requestsOf())).toEqual([]);
		await expectNothingLeft(user);
		const file = readdirSync(join(user.home, '.claude', 'projects'), { recursive: true, encoding: 'utf8' });
		const agent = /agent-(\w+)\.jsonl/.exec(file.join('\n'))?.[1];
		const session = /([\w-]{36})\.jsonl/.exec(file.join('\n'))?.[1] ?? '';
		for (const more of [
			['--resume', session],
			['--resume', session, '--fork-session'],
		]) {
			let before: number | undefined;
			const later = await brokerSession(
				{ version, ...user, extraArgs: [...BYPASS.extraArgs, ...more], env: BYPASS.env },
				(request) => {
					const count = toolResults(request).length;
					if (request.agent === 'subagent') return { text: 'I go on.' };
					before ??= count;
					const send = { tool: 'SendMessage', input: { to: agent, message: 'Go on, please.', summary: 'x' } };
					return count === before ? send : { text: 'Done.' };
				},
			);
			expect(later.session.result).toBe('Done.');
			expect(before).toBeGreaterThan(1);
			expect(leaks(later.model.requests)).toEqual([]);
			await expectNothingLeft(user);
		}
	});

	test('of results in files, of commands in the background, and of its tools after a worktree is entered', async () => {
		const user = await userWithKey();
		const author = ['-c', 'user.name=x', '-c', 'user.email=x@example.org'];
		for (const args of [
			['init', '--quiet'],
			[...author, 'commit', '--quiet', '--allow-empty', '--message', 'x'],
		]) {
			execFileSync('git', args, { cwd: user.project, env: { ...process.env, ...GIT_ENVIRONMENT } });
		}
		await addAgent(user.home, 'reader', `Bash, ${LOAD.tool}`);
		await listAgents(user.home, 'reader');
		const catalog = join(user.home, '.config/context-broker/catalog.md');
		const calls = [
			LOAD,
			bash(`cat ${catalog}; seq 1 20000`),
			bash(`cat ${catalog}`, { run_in_background: true }),
			bash('sleep 1'),
		];
		const reader = delegate(scan({ type: 'reader', calls }));
		const enter = [
			{ tool: 'ToolSearch', input: { query: 'select:EnterWorktree' } },
			{ tool: 'EnterWorktree', input: { name: 'x' } },
		];
		await brokerSession({ version, ...user, ...BYPASS }, goesOn(reader, ...enter, bash('seq 1 20000')));
		expect(reader.resultsOf()).toMatchObject([
			{ parts: [CATALOG] },
			{ text: expect.stringContaining('persisted-output') },
			{ text: expect.stringContaining('.output') },
			{},
		]);
		await expectNothingLeft(user);
	});

	test.each(['subagent', 'main'])(
		'of a client that was killed while the model of its %s agent was asked',
		async (agent) => {
			const user = await userWithKey();
			await addAgent(user.home, 'reader', `Bash, ${LOAD.tool}`);
			await listAgents(user.home, 'reader');
			const errand = delegate(scan({ type: 'reader', calls: [LOAD, bash('sleep 2')] }));
			const script = goesOn(errand, bash('sleep 2'));
			const kill = () => killAll(processes(user, '--print'));
			await brokerSession({ version, ...user, ...BYPASS }, (request) => {
				// 2.1.126 writes a transcript a moment later.
				if (request.agent === agent && toolResults(request).length === 1) setTimeout(kill, 1_500);
				return script(request);
			});
			expect(errand.resultsOf()).toMatchObject([{ parts: [CATALOG] }, {}].slice(0, errand.resultsOf().length));
			await expectNothingLeft(user);
		},
	);

	test('of a broker that was killed', async () => {
		const user = await userWithKey();
		const errand = delegate(scan());
		const script = goesOn(errand, bash('sleep 3'));
		await brokerSession({ version, ...user, ...BYPASS }, (request) => {
			if (request.agent === 'main' && toolResults(request).length === 1) {
				killAll(processes(user, BOOTSTRAP).filter((pid) => !processes(user, 'clean-traces').includes(pid)));
			}
			return script(request);
		});
		await expectNothingLeft(user);
	});

	test('when all was killed, as soon as another session starts; also of a file that is another one by then', async () => {
		const user = await userWithKey();
		const errand = delegate(scan());
		const letGo = holdCleaning(user);
		await brokerSession({ version, ...user }, (request) => {
			if (request.agent === 'main' && toolResults(request).length === 1) killAll(processes(user, BOOTSTRAP));
			return errand.script(request);
		});
		letGo();
		// Claude Code may have started another broker.
		await expect
			.poll(() => {
				const left = processes(user);
				if (left.length > 0) killAll(left);
				return left;
			})
			.toEqual([]);
		expect(filesThatLeak(user)).not.toEqual([]);
		expect(recordedLoads(user)).toHaveLength(1);
		await writePrivate(user.home, 'catalog.md', '# Names\n\n- somebody else\n');
		await brokerSession({ version, ...user }, () => ({ text: 'Done.' }));
		await expectNothingLeft(user);
	});

	test('of a main thread that has loaded, and its copies', async () => {
		const user = await userWithKey('reader');
		await addAgent(user.home, 'reader', LOAD.tool);
		const extraArgs = ['--agent', 'reader'];
		const first = await mainSession({ version, ...user, extraArgs }, [LOAD]);
		expect(first.results).toMatchObject([{ parts: [CATALOG] }]);
		await mainSession({ version, ...user, extraArgs: [...extraArgs, '--continue', '--fork-session'] }, []);
		await expectNothingLeft(user);
	});

	test('unless the user has it stay: then it is protected as long as the broker remembers', async () => {
		const user = await userWithKey();
		await writeMap(user.home, '[keys]\nk = "catalog.md"\n[guard]\ntraces = false\n');
		const errand = delegate(scan());
		await brokerSession({ version, ...user }, errand.script);
		expect(processes(user, 'clean-traces')).toEqual([]);
		const [transcript = ''] = filesThatLeak(user);
		expect(transcript).toMatch(/agent-\w+\.jsonl$/);
		const read = { tool: 'Read', input: { file_path: transcript } };
		const { results } = await mainSession({ version, ...user, ...BYPASS }, [read]);
		expect(results).toMatchObject([{ isError: true, text: expect.stringContaining('protected_file: ') }]);
	});

	test("but the main agent's own work stays as it is", async () => {
		const user = await userWithKey();
		const errand = delegate(scan({ answer: () => 'Nothing found.' }));
		const file = join(user.project, 'zz.ts');
		await writeFile(file, `const owner = '${MARKERS[0]}'`);
		const own = [
			{ tool: 'Read', input: { file_path: file } },
			{ tool: 'Edit', input: { file_path: file, old_string: 'owner', new_string: 'owners' } },
			bash('for i in 1 2 3 4 5; do cat zz.ts; sleep 1; done'),
		];
		const keepsCopies = { ...BYPASS.env, CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: '1' };
		const { model } = await brokerSession({ version, ...user, ...BYPASS, env: keepsCopies }, goesOn(errand, ...own));
		await expect.poll(() => processes(user), { interval: 200 }).toEqual([]);
		const results = toolResults(model.requests.findLast(({ agent }) => agent === 'main') as ModelRequest);
		expect(results[3]?.text).toBe(`const owners = '${MARKERS[0]}'`.repeat(5));
		const left = filesThatLeak(user).map((file) => basename(file).replace(/^[\da-f-]+/, ''));
		expect(left.sort()).toEqual(['.jsonl', '@v1', 'zz.ts']);
	});
});

// Else nothing is loaded in the background.
describe.each(clientVersions().filter((version) => does(version, 'asksAboutNotifications')))(
	'Claude Code %s: nothing stays behind',
	(version) => {
		test('when the broker and what cleans was killed, and another broker has come, as soon as the session ends', async () => {
			const user = await userWithKey();
			const errand = delegate(scan());
			const script = goesOn(errand, bash('sleep 2'), bash('sleep 2'));
			const letGo = holdCleaning(user);
			await brokerSession({ version, ...user, ...BYPASS }, (request) => {
				if (request.agent === 'main' && toolResults(request).length === 1) {
					killAll(processes(user, BOOTSTRAP));
					letGo();
				}
				if (toolResults(request).length === 2) expect(filesThatLeak(user)).not.toEqual([]);
				return script(request);
			});
			await expectNothingLeft(user);
		});

		test('of a scan in the background, and its notification that was withheld', async () => {
			const user = await userWithKey();
			await writeMap(user.home, '[keys]\nk = "catalog.md"\n[guard]\nbackground = false\n');
			const errand = delegate(scan({ background: true }));
			const { model } = await brokerSession(
				{ version, ...user, ...BYPASS },
				goesOn(errand, bash('sleep 1'), bash('sleep 1')),
			);
			expect(errand.resultsOf()).toMatchObject([{ parts: [CATALOG] }]);
			expect(leaks(model.requests, errand.requestsOf())).toEqual([]);
			await expectNothingLeft(user);
		});

		test('of a notification that comes when the scan was cleaned long ago', async () => {
			const user = await userWithKey();
			await writeMap(user.home, '[keys]\nk = "catalog.md"\n[guard]\nbackground = false\n');
			const errand = delegate(scan({ background: true }));
			const script = goesOn(errand, bash('sleep 8'), bash('sleep 1'), bash('sleep 4'));
			const { model } = await brokerSession({ version, ...user, ...BYPASS }, script);
			expect(leaks(model.requests, errand.requestsOf())).toEqual([]);
			await expectNothingLeft(user);
		});

		test('of agents of a workflow', async () => {
			const user = await userWithKey();
			await writeMap(user.home, '[keys]\nk = "catalog.md"\n[guard]\nquoting = false\nfiles = false\n');
			const workflow = `export const meta = { name: 'scan', description: 'x', phases: [{ title: 'A' }] };
phase('A');
return { answer: await agent('Errand of the workflow.', { agentType: '${SCANNER}', label: 'x', phase: 'A' }) };`;
			const errand = delegate(scan({ prompt: 'Errand of the workflow.', answer: () => 'Nothing found.' }));
			const calls = [{ tool: 'Workflow', input: { script: workflow } }, bash('sleep 1'), bash('sleep 1')];
			await brokerSession({ version, ...user, ...BYPASS }, (request) => {
				if (request.agent === 'main') return calls[toolResults(request).length] ?? { text: 'Done.' };
				return errand.script(request);
			});
			expect(errand.resultsOf()).toMatchObject([{ parts: [CATALOG] }]);
			await expectNothingLeft(user);
		});
	},
);
