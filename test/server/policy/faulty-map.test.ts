import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { HookEvent } from '../../../server/claude-code/hooks.ts';
import { ContextMap } from '../../../server/context-map/context-map.ts';
import { createGuard, type GuardInTest, hookEvent, loadEvent } from '../../support/guard.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const CALL = { client: { name: 'claude-code', version: '2.1.332' }, toolUseId: undefined };

let folder: string;
let guard: GuardInTest['guard'];

async function writeMap(text: string): Promise<void> {
	await writeFile(join(folder, 'context-map.toml'), text);
}

beforeEach(async () => {
	folder = await temporaryFolder();
	await writeFile(join(folder, 'k.md'), '- Zebulon Quux\n');
	guard = createGuard(new ContextMap(join(folder, 'context-map.toml'), '/home/jo')).guard;
});

/** The code that refuses a call, or undefined. */
async function refusal(tool_name: string, input: object, fields: Partial<HookEvent> = {}): Promise<string | undefined> {
	const main = { agent_id: '', agent_type: '', ...fields };
	const event = hookEvent('PreToolUse', { tool_name, tool_input: JSON.stringify(input), ...main });
	const { hookSpecificOutput: output } = await guard.answer(event, CALL);
	return output?.permissionDecision === 'deny' ? output.permissionDecisionReason?.split(':')[0] : undefined;
}

const read = async (name: string) => await refusal('Read', { file_path: join(folder, name) });

describe('a map with a fault from the start', () => {
	test.each([
		['a mistyped table', '[keys]\nk = "k.md"\n[gaurd]\nfiles = false\n'],
		['a table mistyped for [keys]', '[key]\nk = "k.md"\n'],
		['a mistyped field of the key', '[keys.k]\npath = "k.md"\nagent = ["reader"]\n'],
		['a mistyped path of the key', '[keys.k]\npth = "k.md"\n'],
		['a [guard] that is not valid', '[keys]\nk = "k.md"\n[guard]\nfiles = false\nquote = false\n'],
		['no TOML', '[keys]\nk = k.md\n'],
		['a key below another table', '[keys]\na = "a.md"\n[guard]\nfiles = true\nk = "k.md"\n'],
		['a key below a server', '[keys]\na = "a.md"\n[mcp_servers.db]\ncommand = "db"\nk = "k.md"\n'],
		['a key for a server', '[keys]\na = "a.md"\n[mcp_servers]\nk = "k.md"\n'],
		['a blank behind the path', '[keys]\nk = "k.md "\n'],
		['a path with a line to itself', '[keys]\nk = """\nk.md\n"""\n'],
		['two kinds of quotes', `[keys]\nk = '"k.md"'\n`],
		['curly quotes', '[keys]\nk = “k.md”\n'],
		['a file that is not closed', '[keys]\nk = "k.md\n'],
	])('keeps the file closed: %s', async (_, text) => {
		await writeMap(text);
		expect(await read('k.md')).toBe('protected_file');
		expect(await refusal('Bash', { command: `cat "${folder}/k.md"` })).toBe('protected_file');
		// Nothing else.
		expect(await read('README.md')).toBeUndefined();
		expect(await refusal('Bash', { command: 'ls -la && cat notes.md' })).toBeUndefined();
	});

	test('serves the other keys, and says at a faulty one where it is', async () => {
		await writeMap('[keys]\nk = "k.md"\n[keys.bad]\npath = "k.md"\nagent = ["reader"]\n');
		const load = async (key: string) => (await guard.answer(loadEvent(key, key), CALL)).hookSpecificOutput;
		expect(await load('k')).toMatchObject({ permissionDecision: 'allow' });
		expect(await load('bad')).toMatchObject({
			permissionDecision: 'deny',
			permissionDecisionReason: expect.stringContaining('Line 5, column 1: there is no such field'),
		});
	});

	test('isolates all tools of a server whose table is not valid, and no others', async () => {
		await writeMap('[keys]\nk = "k.md"\n[mcp_servers.db]\nisolated = "yes"\n');
		expect(await refusal('mcp__db__query', {})).toBe('isolated_tool');
		expect(await refusal('mcp__tickets__read', {})).toBeUndefined();
	});

	test('lets the main agent use no tool of a server if nobody knows what is isolated', async () => {
		await writeMap('[keys]\nk = "k.md"\n[mcp_server.db]\nisolated = true\n');
		expect(await refusal('mcp__db__query', {})).toBe('config_invalid');
		expect(await refusal('mcp__db__query', {}, { agent_id: 'a1', agent_type: 'reader' })).toBeUndefined();
		await writeMap('[keys]\nk = "k.md"\n[gaurd]\n');
		expect(await refusal('mcp__db__query', {})).toBeUndefined();
	});

	test('is told the person with the first prompt', async () => {
		await writeMap('[keys]\nk = "k.md"\n[gaurd]\n');
		const prompt = hookEvent('UserPromptSubmit', { agent_id: '', agent_type: '', prompt: 'Hello.' });
		expect(await guard.answer(prompt, CALL)).toEqual({
			systemMessage: expect.stringContaining(
				`${join(folder, 'context-map.toml')}, line 3, column 1: there is no such table`,
			),
		});
		expect(await guard.answer(prompt, CALL)).toEqual({});
	});
});

test('of a valid map nobody is told', async () => {
	await writeMap('[keys]\nk = "k.md"\n');
	expect(await guard.answer(hookEvent('UserPromptSubmit', { prompt: 'Hello.' }), CALL)).toStrictEqual({});
});
