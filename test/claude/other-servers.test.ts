import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configuredServers } from '../../server/claude-code/mcp-servers.ts';
import { OWN_TOOLS } from '../../server/claude-code/tools.ts';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { createRecording, stdio } from '../support/servers.ts';
import { brokerSession, homeForTest } from './broker-session.ts';
import { runClientCommand } from './harness/client.ts';
import { writeMap } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { mentions, systemText, toolNames, toolResults, userText } from './harness/request.ts';

const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

/** How often the main agent asks for a tool that is not there yet. */
const MOST_TURNS = 40;

describe.each(clientVersions())('Claude Code %s', (version) => {
	test('of a server with isolated = true the main agent reads no resource, and a subagent does', async () => {
		const { home, project } = await homeForTest();
		await writeMap(home, '[keys]\n[mcp_servers.docs]\nisolated = true\n');
		const config = join(home, 'servers.json');
		const docs = { command: process.execPath, args: [EVERYTHING, 'stdio'] };
		await writeFile(config, JSON.stringify({ mcpServers: { docs } }));
		const read = { tool: 'ReadMcpResourceTool', input: { server: 'docs', uri: 'demo://resource/dynamic/text/1' } };
		const args = ['--plugin-dir', PLUGIN_ROOT, '--mcp-config', config];
		const { model } = await brokerSession({ version, home, project, args }, (request) => {
			const results = toolResults(request);
			if (request.agent === 'subagent') return results.length === 0 ? read : { text: 'It is about one thing.' };
			if (results.length === 0) return read;
			if (results.length > 1) return { text: 'All done.' };
			const tool = toolNames(request).includes('Agent') ? 'Agent' : 'Task';
			const start = { description: 'Read it', prompt: 'Read it.', subagent_type: 'general-purpose' };
			return { tool, input: { ...start, run_in_background: false } };
		});
		const [main = [], subagent = []] = (['main', 'subagent'] as const).map((agent) =>
			toolResults(model.requests.filter((request) => request.agent === agent).at(-1) as (typeof model.requests)[0]),
		);
		expect(main[0]).toMatchObject({ isError: true, text: expect.stringMatching(/isolated_tool: .*Let a subagent/) });
		expect(subagent).toMatchObject([{ isError: false, text: expect.stringContaining('This is a plaintext resource') }]);
		const told = model.requests.filter(({ agent }) => agent !== 'subagent');
		expect(told.filter((request) => mentions(request, 'This is a plaintext resource'))).toEqual([]);
	});

	test('a server that takes some seconds to start has its tools in a headless run', async () => {
		const user = await homeForTest();
		const server = `${stdio(await createRecording())}env.LATE = "2500"\n`;
		await writeMap(user.home, `[keys]\n[mcp_servers.s]\n${server}`);
		const echo = { tool: `${OWN_TOOLS}s__echo`, input: { it: 'came' } };
		const extraArgs = ['--allowedTools', echo.tool];
		const { model } = await brokerSession({ version, ...user, extraArgs }, (request) => {
			const results = toolResults(request);
			const isThere = results.some(({ text }) => text.includes('came'));
			return isThere || results.length === MOST_TURNS ? { text: 'Done.' } : echo;
		});
		const last = model.requests.findLast(({ agent }) => agent === 'main');
		expect(last && toolResults(last).at(-1)).toMatchObject({ isError: false, text: expect.stringContaining('came') });
	});

	// Claude Code waits two seconds for it, which can be too short on a busy machine.
	test('what a server behind the broker says of how to use it reaches the main agent', { retry: 4 }, async () => {
		const user = await homeForTest();
		const server = `${stdio(await createRecording())}env.INSTRUCTIONS = "Always be very brief with it."\n`;
		await writeMap(user.home, `[keys]\n[mcp_servers.s]\n${server}`);
		const { model } = await brokerSession({ version, ...user }, () => ({ text: 'Done.' }));
		const [request] = model.requests.filter(({ agent }) => agent === 'main');
		expect(request && `${systemText(request)}\n${userText(request)}`).toContain(
			'The server s (its tools here: s__*) says:\nAlways be very brief with it.',
		);
	});

	test('the names of servers are where Claude Code writes them', async () => {
		const { home, project } = await homeForTest();
		for (const scope of ['user', 'local', 'project']) {
			const args = ['mcp', 'add', '--scope', scope, `of-${scope}`, '--', 'true'];
			expect(await runClientCommand({ version, home, cwd: project, args })).toMatchObject({ exitCode: 0 });
		}
		const owner = { home, project, environment: {}, managed: join(home, 'none') };
		expect((await configuredServers(owner, [])).sort()).toEqual(['of-local', 'of-project', 'of-user']);
	});
});
