import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clientName, clientPrefix } from '../../server/claude-code/tool-names.ts';
import { brokerSession, homeForTest } from './broker-session.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { mentions } from './harness/request.ts';

const SERVERS = ['a.b', 'my server', 'Ünï', '🎉', '_x_', 'claude.ai My  Drive', 'a__b'];
const TOOLS = ['plain', 'x.y', 'a/b', 'two words', 'a__b', '_c_'];

/** An MCP server with these tools; Claude Code starts no second one with the same arguments. */
const SERVER = `
const tools = ${JSON.stringify(TOOLS.map((name) => ({ name, inputSchema: { type: 'object' } })))};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
	const { id, method } = JSON.parse(line);
	const serverInfo = { name: 's', version: '1' };
	const results = { initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo }, 'tools/list': { tools } };
	if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
});
`;

describe.each(clientVersions())('Claude Code %s', (version) => {
	test('writes the names of servers and tools as is thought', async () => {
		const { home, project } = await homeForTest();
		const file = join(home, 'server.cjs');
		await writeFile(file, SERVER);
		const command = process.execPath;
		const mcpServers = Object.fromEntries(SERVERS.map((name) => [name, { command, args: [file, name] }]));
		const config = join(home, 'servers.json');
		await writeFile(config, JSON.stringify({ mcpServers }));
		const args = ['--mcp-config', config];
		const { model } = await brokerSession({ version, home, project, args }, () => ({ text: 'Done.' }));
		const names = SERVERS.flatMap((server) => TOOLS.map((tool) => `${clientPrefix(server)}${clientName(tool)}`));
		expect(names.filter((name) => !model.requests.some((request) => mentions(request, name)))).toEqual([]);
	});
});
