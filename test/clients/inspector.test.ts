import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Finished, runProgram } from '../claude/harness/program.ts';
import { brokerEnvironment, KEY_ONLY } from '../support/broker.ts';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { createUser } from '../support/user.ts';
import { documentedSteps, KEY } from './harness/transcript.ts';

const [STEP = { command: '', output: '' }, ...OTHER_STEPS] = documentedSteps('npx');

/** Runs a command line of the Inspector to its end, for a user whose key leads to the content. */
async function inspect(command: string, content = ''): Promise<Finished> {
	const user = await createUser();
	await user.write('notes.md', content);
	await user.writeMap(`[keys]\n${KEY} = "notes.md"\n`);
	return runProgram({
		program: 'sh',
		args: ['-c', command],
		// Where npx finds the Inspector installed.
		cwd: join(PLUGIN_ROOT, 'test'),
		env: { ...brokerEnvironment(user.home), npm_config_offline: 'true', npm_config_update_notifier: 'false' },
		timeoutMs: 60_000,
	});
}

test('what the document says to type for the Inspector prints what it shows', async () => {
	expect(OTHER_STEPS).toEqual([]);
	const finished = await inspect(STEP.command, '- Jane Doe\n- Joe Bloggs\n');
	expect(finished).toEqual({ exitCode: 0, stdout: STEP.output, stderr: KEY_ONLY });
});

test('the Inspector gets a content exactly', async () => {
	const text = '# Notes é 漢 😀\r\n\r\n- "Jane" <Doe> & $co\t\\n\n\n';
	const { stdout } = await inspect(STEP.command, text);
	expect(JSON.parse(stdout)).toEqual({ content: [{ type: 'text', text }] });
});

test('the Inspector lists load_context and find_context, and nothing else', async () => {
	const { stdout, exitCode } = await inspect(STEP.command.replace(/--method .*/, '--method tools/list'));
	expect(exitCode).toBe(0);
	expect(JSON.parse(stdout)).toMatchObject({
		tools: [
			{ name: 'load_context', inputSchema: { required: ['key'] } },
			{ name: 'find_context', inputSchema: { required: ['key'] } },
		],
	});
	expect(JSON.parse(stdout).tools).toHaveLength(2);
});

test('the Inspector shows that a key is wrong', async () => {
	const { stdout, exitCode } = await inspect(`${STEP.command}x`, 'private');
	expect(exitCode).not.toBe(0);
	expect(JSON.parse(stdout)).toMatchObject({
		isError: true,
		content: [{ type: 'text', text: expect.stringMatching(/^unknown_key: The context map has no such key\. Use /) }],
		_meta: { 'context-broker/error': { code: 'unknown_key' } },
	});
	expect(stdout).not.toContain('private');
});
