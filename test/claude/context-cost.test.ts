import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { createRecording, SERVER } from '../support/servers.ts';
import { brokerSession, homeForTest } from './broker-session.ts';
import { writeMap } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { toolNames, toolResults, userText } from './harness/request.ts';

const CALLS = 10;
const TOOL = 'mcp__s__big';
const INPUT = { size: 50_000 };

/** Of the main agent's requests: how many there were, how long the last one was, and all together. */
interface Cost {
	readonly requests: number;
	readonly last: number;
	readonly all: number;
}

/** A session in which the main agent calls a tool ten times, the way it is told to each time. */
async function cost(version: string, isolated: boolean): Promise<Cost> {
	const { home, project } = await homeForTest();
	await writeMap(home, `[keys]\n[mcp_servers.s]\nisolated = ${isolated}\n`);
	const config = join(home, 'servers.json');
	const server = { command: process.execPath, args: [SERVER, (await createRecording()).log] };
	await writeFile(config, JSON.stringify({ mcpServers: { s: server } }));
	const args = ['--plugin-dir', PLUGIN_ROOT, '--mcp-config', config, '--allowedTools', TOOL];
	const { model } = await brokerSession({ version, home, project, args }, (request) => {
		const results = toolResults(request);
		if (request.agent === 'subagent') {
			const errand = JSON.parse(userText(request).match(/\{.*\}/)?.[0] ?? '');
			return results.length === 0 ? { tool: errand.name, input: errand.arguments } : { text: '50,000 times x.' };
		}
		const handed = results.at(-1)?.text.match(/isolated_tool: .*?(\{.*\})/)?.[1];
		const agent = toolNames(request).includes('Agent') ? 'Agent' : 'Task';
		if (handed !== undefined) return { tool: agent, input: JSON.parse(handed) };
		const done = results.length / (isolated ? 2 : 1);
		return done < CALLS ? { tool: TOOL, input: INPUT } : { text: 'All done.' };
	});
	// Each executor calls, and answers.
	expect(model.requests.filter(({ agent }) => agent === 'subagent')).toHaveLength(isolated ? CALLS * 2 : 0);
	const lengths = model.requests.filter(({ agent }) => agent === 'main').map(({ raw }) => raw.length);
	return { requests: lengths.length, last: lengths.at(-1) ?? 0, all: lengths.reduce((sum, length) => sum + length, 0) };
}

/** What docs/servers.md says: a row for each version and way. */
async function documented(version: string, isolated: boolean): Promise<Cost> {
	const text = await readFile(join(PLUGIN_ROOT, 'docs', 'servers.md'), 'utf8');
	const row = text
		.split('\n')
		.find((line) => line.startsWith(`| ${version}, ${isolated ? 'isolated' : 'not isolated'} |`));
	const [requests = 0, last = 0, all = 0] = (row ?? '')
		.split('|')
		.slice(2, 5)
		.map((cell) => Number(cell.replaceAll(',', '')));
	return { requests, last, all };
}

describe.each(clientVersions())('Claude Code %s', (version) => {
	test.each([false, true])(
		'what ten results of 50 KB cost the main agent is as docs/servers.md says, isolated: %s',
		async (isolated) => {
			const [measured, said] = [await cost(version, isolated), await documented(version, isolated)];
			expect(measured.requests).toBe(said.requests);
			// Paths and names of the machine are in them.
			for (const what of ['last', 'all'] as const) {
				expect(Math.abs(measured[what] / said[what] - 1), `${what}: ${measured[what]}`).toBeLessThan(0.1);
			}
		},
	);
});
