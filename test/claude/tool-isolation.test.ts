import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { OWN_TOOLS } from '../../server/claude-code/tools.ts';
import { EXECUTOR } from '../../server/policy/tool-isolation/delegate.ts';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { type BrokerSession, brokerSession, homeForTest, mainSession } from './broker-session.ts';
import { does } from './client-differences.ts';
import type { SessionResult } from './harness/client.ts';
import type { ToolCall } from './harness/delegation.ts';
import { writeMap } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import type { Script } from './harness/model.ts';
import { type DeliveredResult, toolNames, toolResults, userText } from './harness/request.ts';

const TAPPED = fileURLToPath(new URL('../support/tapped-server.mjs', import.meta.url));
const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

/** What the server says when it is asked for its environment. */
const BIG = { ONE: 'marker-one '.repeat(9_500), TWO: 'marker-two '.repeat(9_500) };

/** A user with the server, which Claude Code or the broker runs, and whose map isolates tools of it. */
async function userWithServer(runBy: 'Claude Code' | 'the broker', isolation: string, more = '') {
	const { home, project } = await homeForTest();
	const log = join(home, 'said.log');
	const server = { command: process.execPath, args: [TAPPED, log, process.execPath, EVERYTHING, 'stdio'], env: BIG };
	const config = join(home, 'servers.json');
	const mcpServers = runBy === 'Claude Code' ? { every__thing: server } : {};
	await writeFile(config, JSON.stringify({ mcpServers }));
	const fields = Object.entries(server.env).map(([name, value]) => `env.${name} = ${JSON.stringify(value)}\n`);
	const command = `command = ${JSON.stringify(server.command)}\nargs = ${JSON.stringify(server.args)}\n${fields.join('')}`;
	const table = `[mcp_servers.every__thing]\n${isolation}\n${runBy === 'the broker' ? command : ''}`;
	await writeMap(home, `[keys]\n${table}${more}`);
	const prefix = runBy === 'Claude Code' ? 'mcp__every__thing__' : `${OWN_TOOLS}every__thing__`;
	return { home, project, log, config, prefix };
}

type User = Awaited<ReturnType<typeof userWithServer>>;

interface Isolated {
	readonly version: string;
	readonly user: User;
	/** What the main agent calls, by the server's own name. */
	readonly tool: string;
	readonly input: object;
	/** What the executor calls in the place of what it was told to. */
	readonly calls?: readonly ToolCall[];
	readonly answer?: (results: readonly DeliveredResult[]) => string;
	/** How the main agent changes what it was handed. */
	readonly change?: (input: Record<string, string>) => object;
}

/** A session of a user who has allowed the tools that are called here. */
function sessionOf(version: string, { home, project, config }: User): BrokerSession {
	const own = ['echo', 'get-sum', 'get-env'].map((tool) => `mcp__every__thing__${tool}`);
	const allowed = [...own, 'mcp__plugin_context-broker_broker'].join(',');
	const args = ['--plugin-dir', PLUGIN_ROOT, '--mcp-config', config, '--allowedTools', allowed];
	return { version, home, project, args };
}

/** On a busy machine a server can come later than the list of tools waits for it, and 2.1.126 reads that once. */
async function untilServed<T extends { readonly session: SessionResult }>(run: () => Promise<T>): Promise<T> {
	for (let attempt = 1; ; attempt++) {
		const session = await run();
		if (session.session.result !== GIVEN_UP || attempt === 5) return session;
	}
}

const isolatedSession = (isolated: Isolated) => untilServed(() => oneSession(isolated));

/** How often the main agent asks for a tool that is not there. */
const PATIENCE = 40;

const NOT_THERE = 'No such tool available';

const GIVEN_UP = 'It is not there.';

/** A session in which the main agent calls a tool, and then does what it is told. */
async function oneSession({ version, user, tool, input, change = (it) => it, ...executor }: Isolated) {
	let handed: Record<string, string> | undefined;
	const { model, session } = await brokerSession(sessionOf(version, user), (request) => {
		// Where hooks are off, nothing holds the first request until the broker is there: it is asked again.
		const all = toolResults(request);
		const results = all.filter(({ text }) => !text.includes(NOT_THERE));
		if (request.agent === 'subagent') {
			const errand = () => JSON.parse(userText(request).match(/\{.*\}/)?.[0] ?? '');
			const calls = executor.calls ?? [{ tool: errand().name, input: errand().arguments }];
			return calls[results.length] ?? { text: executor.answer?.(results) ?? 'Done, as asked.' };
		}
		if (all.length - results.length > PATIENCE) return { text: GIVEN_UP };
		if (results.length === 0) return { tool: `${user.prefix}${tool}`, input };
		if (results.length > 1) return { text: 'All done.' };
		handed = JSON.parse(results[0]?.text.match(/\{.*\}/s)?.[0] ?? 'null');
		const agent = toolNames(request).includes('Agent') ? 'Agent' : 'Task';
		return handed === null || handed === undefined ? { text: 'No way on.' } : { tool: agent, input: change(handed) };
	});
	const main = model.requests.filter(({ agent }) => agent === 'main');
	const executors = model.requests.filter(({ agent }) => agent === 'subagent');
	const told = main.at(-1)?.raw ?? '';
	const last = executors.at(-1);
	return { main, executors, told, handed, session, results: last === undefined ? [] : toolResults(last) };
}

/** The texts that the server has sent as results. */
async function sent({ log }: User): Promise<string[]> {
	const lines = (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '');
	return lines.flatMap((line) => {
		const { result } = JSON.parse(line) as { result?: { content?: { text: string }[] } };
		return result?.content?.[0]?.text ?? [];
	});
}

const sha256 = (text: string | undefined) =>
	createHash('sha256')
		.update(text ?? '')
		.digest('hex');

describe.each(clientVersions())('Claude Code %s', (version) => {
	describe.each(['Claude Code', 'the broker'] as const)('a server that %s runs', (runBy) => {
		test('the main agent is told the way on, and gets the answer and receipts, not the result', async () => {
			const user = await userWithServer(runBy, 'isolated_tools = ["get-*"]');
			const answer = () => 'It has two markers.';
			const session = await isolatedSession({ version, user, tool: 'get-env', input: {}, answer });
			expect(session.handed).toMatchObject({ subagent_type: EXECUTOR });
			expect(session.main.filter(({ raw }) => raw.includes('marker-one'))).toEqual([]);
			const [text = ''] = await sent(user);
			expect(text.length).toBeGreaterThan(200_000);
			const [result] = session.results;
			if (runBy === 'the broker') expect(result).toMatchObject({ isError: false, parts: [text] });
			else
				expect(result?.text).toContain(
					`first 48,000; you cannot get the rest. Say so in your answer.]\n${text.slice(0, 48_000)}`,
				);
			const receipt = { bytes: Buffer.byteLength(text), sha256: sha256(text) };
			expect(session.told).toContain('It has two markers.');
			expect(session.told).toContain(`ok, result ${receipt.bytes} bytes, SHA-256 ${receipt.sha256}`);
			expect(session.told).toContain(
				`${user.prefix}get-env with the arguments that you gave (SHA-256 ${sha256('{}')})`,
			);
		});

		test('arguments that are hard to write down arrive as they were', async () => {
			const user = await userWithServer(runBy, 'isolated = true');
			const input = { message: 'a\n"b"\\\'`\0\u001b[31m\u2028 <x>{"}{"} $& 🎉 $HOME' };
			const calls = [{ tool: `${user.prefix}echo`, input }];
			const session = await isolatedSession({ version, user, tool: 'echo', input, calls });
			expect(session.told).toContain('echo with the arguments that you gave');
			expect(await sent(user)).toEqual([`Echo: ${input.message}`]);
		});

		test('what the executor says counts for nothing', async () => {
			const user = await userWithServer(runBy, 'isolated = true');
			const lie = { calls: [], answer: () => 'It says: "Echo: hi".' };
			const session = await isolatedSession({ version, user, tool: 'echo', input: { message: 'hi' }, ...lie });
			expect(session.told).toContain('It says: ');
			expect(session.told).toMatch(
				/Context Broker, about agent \w+ \(echo of every__thing \(\w+\)\): it ran no tool\./,
			);
			expect(await sent(user)).toEqual([]);
		});

		test('the executor runs no other tool, and where it takes other arguments that is told', async () => {
			const user = await userWithServer(runBy, 'isolated_tools = ["echo"]');
			const calls = [
				{ tool: `${user.prefix}get-sum`, input: { a: 1, b: 2 } },
				{ tool: `${user.prefix}echo`, input: { message: 'other' } },
			];
			const session = await isolatedSession({ version, user, tool: 'echo', input: { message: 'hi' }, calls });
			expect(session.results).toMatchObject([
				{ isError: true, text: expect.stringMatching(/not_delegated/) },
				{ isError: false, text: expect.stringMatching(/Echo: other/) },
			]);
			expect(session.told).toContain('echo with OTHER arguments than you gave');
			expect(await sent(user)).toEqual(['Echo: other']);
		});
	});

	test('an executor has MCP tools alone, or the tool that finds them', async () => {
		const user = await userWithServer('Claude Code', 'isolated = true');
		const session = await isolatedSession({ version, user, tool: 'echo', input: { message: 'hi' } });
		const [request] = session.executors;
		const tools = request === undefined ? [] : toolNames(request);
		const isFinder = (name: string) => ['ToolSearch', 'DeferredToolPlaceholder'].includes(name);
		expect(tools.filter((name) => !name.startsWith('mcp__') && !isFinder(name))).toEqual([]);
		expect(tools.filter((name) => /load_context|run_shell_command/.test(name))).toEqual([]);
		expect(request?.body.model).toMatch(/haiku/);
	});

	test('of two executors at once each runs its own tool, whatever it tries', async () => {
		const user = await userWithServer('Claude Code', 'isolated = true');
		const tools = { echo: { message: 'hi' }, 'get-sum': { a: 1, b: 2 } };
		const calls = Object.entries(tools).map(([tool, input]) => ({ tool: `${user.prefix}${tool}`, input }));
		const results: Record<string, readonly DeliveredResult[]> = {};
		const script: Script = (request) => {
			const got = toolResults(request);
			if (request.agent === 'main') {
				if (got.length === 0) return calls;
				if (got.some(({ text }) => text.includes(NOT_THERE))) return { text: GIVEN_UP };
				if (got.length > 2) return { text: 'All done.' };
				const agent = toolNames(request).includes('Agent') ? 'Agent' : 'Task';
				return got.map(({ text }) => ({ tool: agent, input: JSON.parse(text.match(/\{.*\}/)?.[0] ?? '') }));
			}
			const { tool } = JSON.parse(userText(request).match(/\{.*\}/)?.[0] ?? '');
			results[tool] = got;
			const own = calls.find(({ tool: name }) => name.endsWith(`__${tool}`));
			const other = calls.find((call) => call !== own);
			return [other, own][got.length] ?? { text: 'Done.' };
		};
		await untilServed(() => brokerSession(sessionOf(version, user), script));
		const refused = { isError: true, text: expect.stringMatching(/not_delegated/) };
		expect(results).toMatchObject({
			echo: [refused, { isError: false, text: 'Echo: hi' }],
			'get-sum': [refused, { isError: false, text: 'The sum of 1 and 2 is 3.' }],
		});
	});

	test('where a name can be of two servers, it is what Claude Code says, or refused with both named', async () => {
		const user = await userWithServer('Claude Code', 'isolated_tools = []', '[mcp_servers.every]\nisolated = true\n');
		const session = await isolatedSession({ version, user, tool: 'echo', input: { message: 'hi' } });
		const refusal =
			/ambiguous_tool: .*It can be .*echo.* of the server .*every__thing.* or .*thing__echo.* of the server/;
		expect(session.told).toMatch(does(version, 'namesServers') ? /Echo: hi/ : refusal);
		expect(await sent(user)).toEqual(does(version, 'namesServers') ? ['Echo: hi'] : []);
	});

	test('an executor takes no further message, also in a later session', async () => {
		const user = await userWithServer('Claude Code', 'isolated = true');
		const session = await isolatedSession({ version, user, tool: 'echo', input: { message: 'hi' } });
		const [, to = ''] = /Context Broker, about agent (\w+)/.exec(session.told) ?? [];
		const message = { tool: 'SendMessage', input: { to, summary: 'again', message: 'Tell me all of it.' } };
		const later = await mainSession({ ...sessionOf(version, user), extraArgs: ['--continue'] }, [message]);
		// 2.1.126 does not have the tool here.
		expect(later.results.at(-1)?.text).toMatch(/executor_done: |SendMessage exists but is not enabled/);
	});

	test('one that is started without a tool is not started, and the main agent is told how', async () => {
		const user = await userWithServer('Claude Code', 'isolated = true');
		const change = (input: Record<string, string>) => ({ ...input, prompt: 'Run the tool echo.' });
		const session = await isolatedSession({ version, user, tool: 'echo', input: { message: 'hi' }, change });
		expect(session.executors).toEqual([]);
		expect(session.told).toContain('executor_prompt');
	});

	test('of a tool that reports an error, the main agent is told so', async () => {
		const user = await userWithServer('Claude Code', 'isolated = true');
		const calls = [{ tool: 'mcp__every__thing__echo', input: {} }];
		const session = await isolatedSession({ version, user, tool: 'echo', input: {}, calls });
		expect(session.results).toMatchObject([{ isError: true }]);
		expect(session.told).toContain('the tool reported an error');
	});

	test('where hooks are off, a server behind the broker runs no isolated tool; one of Claude Code does', async () => {
		const outcomes = await Promise.all(
			(['the broker', 'Claude Code'] as const).map(async (runBy) => {
				const user = await userWithServer(runBy, 'isolated = true');
				await mkdir(join(user.home, '.claude'), { recursive: true });
				await writeFile(join(user.home, '.claude', 'settings.json'), '{"disableAllHooks":true}');
				const session = await isolatedSession({ version, user, tool: 'echo', input: { message: 'hi' } });
				expect(session.told).toMatch(runBy === 'the broker' ? /isolated_tool: / : /Echo: hi/);
				return await sent(user);
			}),
		);
		expect(outcomes).toEqual([[], ['Echo: hi']]);
	});
});
