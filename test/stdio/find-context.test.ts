import { execFileSync, spawnSync } from 'node:child_process';
import { link, mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { FIND_CONTEXT, LOAD_CONTEXT } from '../../server/claude-code/tools.ts';
import {
	callRequest,
	connectBroker,
	errorCodeOf,
	guardRequest,
	INITIALIZE,
	initializeAs,
	type RawBroker,
	startBroker,
} from '../support/broker.ts';
import { createUser } from '../support/user.ts';

const CATALOG = '# Names\n\n- Zebulon Quux-Marker\n- QX-7781-MARK\n- any address at mail.example\n';

async function userWithProject() {
	const user = await createUser();
	await user.write('catalog.md', CATALOG);
	await user.writeMap('[keys]\nk = "catalog.md"\n');
	const project = join(user.home, 'project');
	await mkdir(join(project, 'src'), { recursive: true });
	await writeFile(join(project, 'src', 'a.ts'), 'const name = "Zebulon Quux-Marker";\nqx7781mark\n');
	return { user, project, environment: { CLAUDE_PROJECT_DIR: project } };
}

const REPORT = `2 places in 1 file or folder; 1 file searched.

src/a.ts
  1:15 [context:L3] as written
  2:1 [context:L4] in another spelling

Places for each line of the private file: [context:L3] 1, [context:L4] 1.
Not searched: nothing.
Rules, prose or ordinary words, for which a search is not enough: [context:L5].`;

test('the listing tells a model what it gets, and that it is no text', async () => {
	const { client } = await connectBroker((await createUser()).home);
	const { tools } = await client.listTools();
	const tool = tools.find(({ name }) => name === 'find_context');
	expect(tool).toMatchObject({
		title: 'Find private context',
		annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
		inputSchema: { required: ['key'], additionalProperties: false },
	});
	expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual(['key', 'path', 'history', 'ignored']);
	expect(tool?.description?.length).toBeLessThan(2_000);
});

test('a search of the project gives places, and nothing of the private file', async () => {
	const { user, environment } = await userWithProject();
	const { client } = await connectBroker(user.home, environment);
	for (const more of [{}, { path: 'src' }, { path: 'src/a.ts' }]) {
		const found = await client.callTool({ name: 'find_context', arguments: { key: 'k', ...more } });
		expect(found).toEqual({ content: [{ type: 'text', text: REPORT }] });
	}
});

test('the private file itself is passed over where it lies in the project', async () => {
	const { user, project, environment } = await userWithProject();
	await writeFile(join(project, 'own.md'), CATALOG);
	await user.writeMap(`[keys]\nk = '${join(project, 'own.md')}'\n`);
	const { client } = await connectBroker(user.home, environment);
	const found = (await client.callTool({ name: 'find_context', arguments: { key: 'k' } })) as CallToolResult;
	expect(found.content).toEqual([{ type: 'text', text: REPORT }]);
});

test('what cannot be searched is told by a code, without a path or a key', async () => {
	const { user, project, environment } = await userWithProject();
	await symlink(user.configFolder, join(project, 'secret-link'));
	const { client, errors } = await connectBroker(user.home, environment);
	for (const [input, code] of [
		[{ key: 'none' }, 'unknown_key'],
		[{ key: 'k', path: '../secret-folder' }, 'path_outside'],
		[{ key: 'k', path: 'secret-link' }, 'path_outside'],
		[{ key: 'k', path: '/etc/secret' }, 'path_outside'],
		[{ key: 'k', path: 'secret-none' }, 'path_missing'],
		[{ key: 'k', history: true }, 'no_history'],
		[{ key: 'k', secret: 1 }, 'invalid_arguments'],
	] as const) {
		const result = await client.callTool({ name: 'find_context', arguments: input });
		expect(errorCodeOf(result), JSON.stringify(input)).toBe(code);
		expect(JSON.stringify(result)).not.toMatch(/secret|project\/|catalog\.md/);
	}
	expect(errors()).not.toMatch(/secret/);
});

test('what is asked for by its path, and is no text, is told as not searched, with the reason', async () => {
	const { user, project, environment } = await userWithProject();
	await writeFile(join(project, 'secret.bin'), '\0');
	await writeFile(join(project, 'secret.zip'), 'PK\x03\x04');
	await writeFile(join(project, 'secret.txt'), '');
	await truncate(join(project, 'secret.txt'), 50 * 1024 * 1024 + 1);
	await writeFile(join(project, 'secret.md'), CATALOG);
	await writeFile(join(project, 'Zebulon Quux-Marker.bin'), '\0');
	execFileSync('mkfifo', [join(project, 'secret')]);
	await user.writeMap(`[keys]\nk = "${join(project, 'secret.md')}"\n`);
	const { client } = await connectBroker(user.home, environment);
	const find = async (path: string) => await client.callTool({ name: 'find_context', arguments: { key: 'k', path } });
	for (const [path, reason] of [
		['secret.bin', 'binary, no text'],
		['secret.zip', 'archive'],
		['secret.txt', 'larger than 50 MB'],
		['secret', 'not a regular file'],
		['secret.md', 'the private file itself'],
	] as const) {
		const result = await find(path);
		expect(errorCodeOf(result), path).toBe('not_searched');
		expect(JSON.stringify(result)).toContain(`Reason: ${reason}.`);
		expect(JSON.stringify(result)).not.toContain('secret');
	}
	const text = expect.stringMatching(/^1 place in .* \[context:L3\] as written\n.*Not searched: binary, no text: 1/s);
	expect(await find('Zebulon Quux-Marker.bin')).toEqual({ content: [{ type: 'text', text }] });
});

/** The same with a project that is a repository of one commit. */
async function userWithRepository() {
	const { user, project, environment } = await userWithProject();
	const git = (...args: readonly string[]) =>
		execFileSync('git', ['-C', project, '-c', 'user.name=Jo', '-c', 'user.email=jo@localhost', ...args]);
	git('init', '-q');
	git('add', '.');
	git('commit', '-qm', 'One');
	return { user, project, environment, git };
}

test('the history is searched on request', async () => {
	const { user, project, environment } = await userWithRepository();
	await writeFile(join(project, 'src', 'a.ts'), '');
	const { client } = await connectBroker(user.home, environment);
	const find = async (input: object) => {
		const { content } = (await client.callTool({
			name: 'find_context',
			arguments: { key: 'k', ...input },
		})) as CallToolResult;
		return content[0]?.type === 'text' ? content[0].text : '';
	};
	expect(await find({})).toMatch(/^No places; 1 file searched\./);
	expect(await find({ history: true })).toMatch(
		/^2 places in 1 file or folder; 1 file and 1 version in the history searched\.\n\ncommit [0-9a-f]{12} src\/a\.ts\n {2}1:15 /,
	);
});

test('a repository that git cannot read is told by a code, in the files as in the history', async () => {
	const { user, project, environment, git } = await userWithRepository();
	const tree = git('rev-parse', 'HEAD^{tree}').toString().trim();
	await rm(join(project, '.git', 'objects', tree.slice(0, 2)), { recursive: true });
	const { client, errors } = await connectBroker(user.home, environment);
	const find = async (input: object) =>
		await client.callTool({ name: 'find_context', arguments: { key: 'k', ...input } });
	expect(errorCodeOf(await find({ history: true }))).toBe('git_failed');
	expect(await find({})).toEqual({ content: [{ type: 'text', text: REPORT }] });
	await writeFile(join(project, '.git', 'index'), 'x');
	expect(errorCodeOf(await find({}))).toBe('git_failed');
	expect(await find({ ignored: true })).toEqual({ content: [{ type: 'text', text: REPORT }] });
	expect(errors()).not.toContain(project);
});

/** A broker that Claude Code has started. */
function startForClaudeCode(home: string, environment: Record<string, string>): RawBroker {
	const broker = startBroker(home, environment);
	broker.send(initializeAs('claude-code', '2.1.332'));
	return broker;
}

test('in Claude Code the approval of a hook is for one tool', async () => {
	const { user, environment } = await userWithProject();
	const broker = startForClaudeCode(user.home, environment);
	await broker.answer();
	const ask = async (...messages: readonly object[]) => {
		broker.send(...messages);
		return (await broker.answer()).result;
	};
	const find = (id: string) => callRequest(id, 'find_context', { key: 'k' }, id);
	const load = (id: string) => callRequest(id, 'load_context', { key: 'k' }, id);
	expect(errorCodeOf(await ask(find('t1')))).toBe('caller_unverified');
	await ask(guardRequest(1, 't2', 'k', { tool_name: FIND_CONTEXT }));
	expect(errorCodeOf(await ask(load('t2')))).toBe('caller_unverified');
	await ask(guardRequest(2, 't3', 'k', { tool_name: LOAD_CONTEXT }));
	expect(errorCodeOf(await ask(find('t3')))).toBe('caller_unverified');
	await ask(guardRequest(3, 't4', 'k', { tool_name: FIND_CONTEXT }));
	expect(await ask(find('t4'))).toEqual({ content: [{ type: 'text', text: REPORT }] });
	expect(errorCodeOf(await ask(find('t4')))).toBe('caller_unverified');
	// A search counts as a load.
	const stop = { hook_event_name: 'SubagentStop', last_assistant_message: 'It is Zebulon Quux-Marker.' };
	expect(JSON.stringify(await ask(guardRequest(5, '', '', stop)))).toMatch(/decision.*block/);
	await ask(guardRequest(6, 't6', 'k', { tool_name: FIND_CONTEXT }));
	await user.writeMap('[keys.k]\npath = "catalog.md"\nagents = ["reader"]\n');
	expect(errorCodeOf(await ask(find('t6')))).toBe('agent_not_listed');
	await user.writeMap('[keys]\nk = "catalog.md"\n');
	const main = await ask(guardRequest(4, 't5', 'k', { tool_name: FIND_CONTEXT, agent_id: '', agent_type: '' }));
	expect(JSON.stringify(main)).toMatch(/deny.*agents_only/);
});

test('a long search tells how far it is, and ends at once when it is cancelled', async () => {
	const { user, project, environment } = await userWithProject();
	const filler = 'const filler = "of a line that is in no catalog at all";\n'.repeat(700_000);
	const big = join(project, 'big.ts');
	await writeFile(big, filler);
	for (let n = 0; n < 200; n++) await link(big, join(project, `big-${n}.ts`));
	const broker = startBroker(user.home, environment);
	broker.send(INITIALIZE);
	await broker.answer();
	const request = callRequest('long', 'find_context', { key: 'k' });
	broker.send({ ...request, params: { ...request.params, _meta: { progressToken: 'p' } } });
	const progress = await broker.receive();
	expect(progress).toMatchObject({
		method: 'notifications/progress',
		params: {
			progressToken: 'p',
			progress: 1,
			message: expect.stringMatching(/^\d+ files searched, \d+ places found$/),
		},
	});
	broker.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'long' } });
	broker.send(callRequest('short', 'find_context', { key: 'k', path: 'src/a.ts' }));
	expect(await broker.answer()).toMatchObject({ id: 'short', result: { content: [{ text: REPORT }] } });
	const { code, rest } = await broker.finish();
	expect({ code, rest }).toEqual({ code: 0, rest: [] });
});

test('a search of the history that is cancelled leaves no git behind', async () => {
	const { user, project, environment } = await userWithProject();
	execFileSync('git', ['-C', project, 'init', '-q']);
	const commits = Array.from({ length: 20_000 }, (_, n) => {
		const text = `file ${n}`;
		return `commit refs/heads/main\ncommitter Jo <jo@localhost> ${n} +0000\ndata 1\nx\nM 644 inline f${n % 10}\ndata ${text.length}\n${text}\n`;
	});
	execFileSync('git', ['-C', project, 'fast-import', '--quiet'], { input: commits.join('') });
	const broker = startBroker(user.home, environment);
	broker.send(INITIALIZE);
	await broker.answer();
	const children = () =>
		spawnSync('ps', ['-o', 'comm=', '--ppid', String(broker.process.pid)], { encoding: 'utf8' }).stdout;
	broker.send(callRequest('long', 'find_context', { key: 'k', history: true }));
	await expect.poll(children, { interval: 10 }).toContain('git');
	broker.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'long' } });
	await expect.poll(children, { interval: 10 }).not.toContain('git');
	expect((await broker.finish()).rest).toEqual([]);
});
