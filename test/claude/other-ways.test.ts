import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { addAgent, brokerSession, LOAD, listAgents, mainSession, SCANNER, userWithKey } from './broker-session.ts';
import { does } from './client-differences.ts';
import { runClient } from './harness/client.ts';
import { delegate, type ToolCall } from './harness/delegation.ts';
import { writeMap } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { startModel } from './harness/model.ts';
import { type ModelRequest, toolResults } from './harness/request.ts';
import { CATALOG, leaks, MARKERS } from './markers.ts';
import { reportOutcome } from './ways/outcome.ts';

const BYPASS = { extraArgs: ['--dangerously-skip-permissions'], env: { IS_SANDBOX: '1' } };

const QUOTE = `I found ${MARKERS[0]} in src/seed.ts, line 3.`;

function bash(command: string): ToolCall {
	return { tool: 'Bash', input: { command, description: 'x' } };
}

const read = (file_path: string): ToolCall => ({ tool: 'Read', input: { file_path } });

function ofMain(requests: readonly ModelRequest[]): ModelRequest[] {
	return requests.filter(({ agent }) => agent === 'main');
}

describe.each(clientVersions())('Claude Code %s', (version) => {
	test.each(['a subagent', 'the main thread'])(
		'a listed agent gets its file by load_context only: %s',
		async (which) => {
			const user = await userWithKey('reader');
			await addAgent(user.home, 'reader', `Bash, Read, Grep, ${LOAD.tool}`);
			const catalog = join(user.home, '.config', 'context-broker', 'catalog.md');
			const others = [read(catalog), bash(`cat ${catalog}`), bash('cat ~/.config/context-broker/*.md')];
			const calls = [...others, LOAD];
			const refused = { isError: true, text: expect.stringMatching(/protected_file: .*load_context/s) };
			const expected = [...others.map(() => refused), { isError: false, parts: [CATALOG] }];
			if (which === 'a subagent') {
				const errand = delegate({ type: 'reader', background: false, calls });
				const { model } = await brokerSession({ version, ...user, ...BYPASS }, errand.script);
				expect(errand.resultsOf()).toMatchObject(expected);
				expect(leaks(model.requests, errand.requestsOf())).toEqual([]);
			} else {
				const extraArgs = [...BYPASS.extraArgs, '--agent', 'reader'];
				const { results } = await mainSession({ version, ...user, ...BYPASS, extraArgs }, calls);
				expect(results).toMatchObject(expected);
			}
		},
	);

	test('an agent that a command of the person has started loads nothing; the main agent can start it', async () => {
		const user = await userWithKey();
		const folder = join(user.project, '.claude', 'skills', 'check');
		await mkdir(folder, { recursive: true });
		const skill = `---\nname: check\ndescription: x\ncontext: fork\nagent: ${SCANNER}\n---\nErrand of the skill.\n`;
		await writeFile(join(folder, 'SKILL.md'), skill);
		const errand = delegate({ type: SCANNER, prompt: 'Errand of the skill.', calls: [LOAD], answer: () => QUOTE });
		const model = await startModel(errand.script);
		onTestFinished(() => model.close());
		const session = { version, home: user.home, cwd: user.project, model };
		await runClient({ ...session, prompt: '/check now', args: ['--plugin-dir', PLUGIN_ROOT] });
		expect(errand.resultsOf()).toMatchObject([
			{ isError: true, text: expect.stringMatching(/unchecked_background: .*command that the user typed/) },
		]);
		const scan = delegate({ type: SCANNER, background: false, calls: [LOAD] });
		const later = await brokerSession({ version, ...user, extraArgs: ['--continue'] }, scan.script);
		expect(scan.resultsOf()).toMatchObject([{ parts: [CATALOG] }]);
		// What the agent of the command says it can't have from the file.
		expect(later.model.requests.length).toBeGreaterThan(0);
		reportOutcome('nothing is loaded');
	});

	test.each([SCANNER, ...(does(version, 'takesOtherSpellings') ? ['Context-Broker:Privacy-Scanner'] : [])])(
		'a command that waits for what a scanner will have written is refused from its launch on, as %s',
		async (type) => {
			const user = await userWithKey();
			await writeMap(user.home, '[keys]\nk = "catalog.md"\n[guard]\nbackground = false\n');
			const slow = { tool: 'Read', input: { file_path: `${user.project}/none` } };
			const scanner = delegate({ type, background: true, calls: [slow, LOAD, slow], answer: () => 'Nothing.' });
			const { model } = await brokerSession({ version, ...user, ...BYPASS }, (request) => {
				const results = toolResults(request);
				if (request.agent === 'subagent' || results.length === 0) return scanner.script(request);
				const output = /output_file: (\S+)/.exec(results[0]?.text ?? '')?.[1] ?? '';
				return results.length === 1 ? bash(`sleep 1; tail -n 30 ${output}`) : { text: 'Done.' };
			});
			const results = toolResults(ofMain(model.requests).at(-1) as ModelRequest);
			expect(results[1]).toMatchObject({ isError: true, text: expect.stringContaining('protected_file: ') });
			expect(leaks(model.requests, scanner.requestsOf())).toEqual([]);
		},
	);

	test('what one main agent has loaded no other one goes on with', async () => {
		const user = await userWithKey('reader');
		// Else nothing is left of it a moment later.
		await appendFile(join(user.home, '.config/context-broker/context-map.toml'), '[guard]\ntraces = false\n');
		await addAgent(user.home, 'reader', LOAD.tool);
		await writeFile(
			join(user.home, '.claude', 'agents', 'other.md'),
			'---\nname: other\ndescription: x\ntools: Read\n---\nYou read.\n',
		);
		const as = (...extraArgs: string[]) => mainSession({ version, ...user, extraArgs }, []);
		const first = await mainSession({ version, ...user, extraArgs: ['--agent', 'reader'] }, [LOAD]);
		expect(first.results).toMatchObject([{ parts: [CATALOG] }]);
		expect((await as('--continue', '--agent', 'other')).model.requests).toEqual([]);
		expect((await as('--continue', '--agent', 'reader')).model.requests.length).toBeGreaterThan(0);
		expect((await as('--continue', '--fork-session', '--agent', 'reader')).model.requests.length).toBeGreaterThan(0);
		// That of the copy, and another copy.
		expect((await as('--continue', '--agent', 'other')).model.requests).toEqual([]);
		expect((await as('--continue', '--fork-session', '--agent', 'other')).model.requests).toEqual([]);
		expect((await as('--agent', 'other')).model.requests.length).toBeGreaterThan(0);
	});

	test('an error of the service that repeats private content goes into no request of the main agent', async () => {
		const user = await userWithKey();
		const scanner = delegate({ type: SCANNER, background: false, calls: [LOAD] });
		const { model } = await brokerSession({ version, ...user }, (request) => {
			if (request.agent === 'main') return scanner.script(request);
			const reply = scanner.script(request);
			return toolResults(request).length === 0 ? reply : { error: `invalid text near "${MARKERS[0]}"` };
		});
		expect(scanner.resultsOf()).toMatchObject([{ parts: [CATALOG] }]);
		expect(leaks(model.requests, scanner.requestsOf())).toEqual([]);
		const later = await brokerSession({ version, ...user, extraArgs: ['--continue'] }, () => ({ text: 'Done.' }));
		expect(leaks(later.model.requests)).toEqual([]);
		const anew = await brokerSession({ version, ...user }, () => ({ text: 'Done.' }));
		expect(anew.model.requests.length).toBeGreaterThan(0);
	});

	test.each([0, 1])(
		'a hook of the user that has the last word after %s s brings no quotation back',
		async (seconds) => {
			const user = await userWithKey();
			const program = `let e='';process.stdin.on('data',d=>e+=d).on('end',()=>setTimeout(()=>console.log(JSON.stringify({hookSpecificOutput:{hookEventName:'PostToolUse',updatedToolOutput:JSON.parse(e).tool_response}})),${seconds * 1_000}))`;
			await writeFile(join(user.project, 'rewrite.cjs'), program);
			const command = `node "${join(user.project, 'rewrite.cjs')}"`;
			const hooks = { PostToolUse: [{ matcher: 'Agent|Task', hooks: [{ type: 'command', command }] }] };
			await mkdir(join(user.home, '.claude'), { recursive: true });
			await writeFile(join(user.home, '.claude', 'settings.json'), JSON.stringify({ hooks }));
			const scanner = delegate({ type: SCANNER, background: false, calls: [LOAD], answer: () => QUOTE });
			const { model } = await brokerSession({ version, ...user }, scanner.script);
			expect(scanner.resultsOf()).toMatchObject([{ parts: [CATALOG] }]);
			expect(leaks(model.requests, scanner.requestsOf())).toEqual([]);
			const later = await brokerSession({ version, ...user, extraArgs: ['--continue'] }, () => ({ text: 'Done.' }));
			expect(leaks(later.model.requests)).toEqual([]);
		},
	);

	test('an agent with a memory puts no quotation into it, and references it can keep', async () => {
		const user = await userWithKey('reader');
		await mkdir(join(user.home, '.claude', 'agents'), { recursive: true });
		const text = `---\nname: reader\ndescription: x\nmemory: user\ntools: ${LOAD.tool}\n---\nYou read.\n`;
		await writeFile(join(user.home, '.claude', 'agents', 'reader.md'), text);
		await listAgents(user.home, 'reader');
		const file_path = join(user.home, '.claude', 'agent-memory', 'reader', 'MEMORY.md');
		const write = (content: string): ToolCall => ({ tool: 'Write', input: { file_path, content } });
		const errand = delegate({
			...{ type: 'reader', background: false },
			calls: [LOAD, write(`# Notes\n${QUOTE}\n`), write('# Notes\nLine 3 stands in src/seed.ts: [context:L3].\n')],
		});
		await brokerSession({ version, ...user }, errand.script);
		expect(errand.resultsOf()).toMatchObject([
			{ parts: [CATALOG] },
			{ isError: true, text: expect.stringContaining('do_not_quote: ') },
			{ isError: false },
		]);
		expect(await readFile(file_path, 'utf8')).toContain('[context:L3]');
	});
});
