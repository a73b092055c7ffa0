import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createContext, INSTALLED } from './context.ts';

/** A user whose servers of Claude Code are in each place that it has for them. */
async function userWithServers(map: string) {
	const plugin = { id: 'tracker@market', enabled: true, installPath: '' };
	const programs = { ...INSTALLED };
	const { user, context, findings } = await createContext(programs);
	const write = async (path: string, content: string) => {
		const file = join(user.home, path);
		await mkdir(dirname(file), { recursive: true });
		await writeFile(file, content);
	};
	const named = (name: string) => JSON.stringify({ mcpServers: { [name]: { command: 'x' } } });
	const projects = { [context.project]: { mcpServers: { local: { command: 'x' } } } };
	await write('.claude.json', JSON.stringify({ mcpServers: { db: { command: 'x' } }, projects }));
	await write('project/.mcp.json', named('shared'));
	await write('plugins/tracker/.mcp.json', '{"issues":{"command":"x"}}');
	const installPath = join(user.home, 'plugins', 'tracker');
	const list = [
		{ id: 'context-broker@context-broker', version: '1.2.3', enabled: true },
		{ ...plugin, installPath },
	];
	programs['claude plugin list --json'] = { status: 0, text: JSON.stringify(list) };
	const folder = context.project.replace(/[^A-Za-z0-9]/g, '-');
	const attachment = { type: 'deferred_tools_delta', addedNames: ['mcp__db__query', 'mcp__db__export_all', 'Bash'] };
	await write(`.claude/projects/${folder}/s1.jsonl`, `${JSON.stringify({ attachment })}\n`);
	await user.writeMap(`[keys]\n${map}`);
	return findings;
}

test.each([
	['db', 'isolated = true', 'all its tools run'],
	['db', 'isolated_tools = ["query", "export_*"]', 'query, export_* run'],
	['local', 'isolated_tools = ["of which nobody knows"]', 'of which nobody knows run'],
	['shared', 'isolated = true', 'all its tools run'],
	['plugin:tracker:issues', 'isolated = true', 'all its tools run'],
])('a table about the server %s with %s is as it should be', async (server, fields, which) => {
	const findings = await userWithServers(`[mcp_servers."${server}"]\n${fields}\n`);
	expect(await findings(`server ${server}`)).toEqual([
		{
			check: `server ${server}`,
			status: 'ok',
			message: `of Claude Code; ${which} only in a subagent, while the broker runs`,
		},
	]);
});

test.each([
	['dbb', 'isolated = true', 'The files of Claude Code name no server with this name; the nearest is "db".'],
	['plugin:tracker:isues', 'isolated = true', /; the nearest is "plugin:tracker:issues"\.$/],
	[
		'db',
		'isolated_tools = ["querry"]',
		/isolated_tools names "querry", which is not one of its tools; the nearest is "query"\.$/,
	],
])('a misspelt name in a table about %s with %s is told with the nearest', async (server, fields, message) => {
	const findings = await userWithServers(`[mcp_servers."${server}"]\n${fields}\n`);
	expect(await findings(`server ${server}`)).toMatchObject([
		{ status: 'warning', message: typeof message === 'string' ? message : expect.stringMatching(message) },
	]);
});
