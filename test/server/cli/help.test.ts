import { expect, test } from 'vitest';
import { COMMANDS } from '../../../server/cli/commands.ts';
import { OWN_TOOLS } from '../../../server/tools/tool.ts';
import { createSetting, DISABLED, ENABLED } from './setting.ts';

test.each([
	[[]],
	[['help']],
	[['--help']],
	[['-h']],
	[['tools', 'help']],
	[['tools', '--help']],
	[['tools', '-h']],
	[['help', 'tools']],
	[['frob', '--help']],
])('%j gives the whole help', async (args) => {
	const { run, envFile } = await createSetting();
	const { status, stdout, stderr } = await run(...args);
	expect([status, stderr]).toEqual([0, '']);
	for (const { name, operands } of COMMANDS) expect(stdout).toContain(`  context-broker ${name} ${operands}\n`);
	for (const text of [ENABLED, DISABLED, envFile]) expect(stdout).toContain(text);
});

test.each(COMMANDS)('help after $name is about it, whatever else is said', async ({ name, summary, example, sees }) => {
	const { run, text } = await createSetting();
	const words = name.split(' ');
	const { stdout } = await run(...words, '--help');
	expect(stdout).toContain(`  context-broker ${name} `);
	for (const part of [summary, `$ context-broker ${example}\n`, `  ${sees}\n`]) expect(stdout).toContain(part);
	expect(stdout.split('\n')).toHaveLength(5);
	for (const args of [
		[...words, '-h'],
		[...words, 'frob', '--frob', '-h'],
		['help', ...words],
		['-h', ...words],
	]) {
		expect(await run(...args)).toEqual({ status: 0, stdout, stderr: '' });
	}
	expect(await text()).toBeUndefined();
});

test.each(COMMANDS)(
	'one sees what the help says for its example, with the tools that there are: $example',
	async ({ name, example, sees, options }) => {
		const { run } = await createSetting({ tools: OWN_TOOLS });
		const args = example.replaceAll("'", '').split(' ');
		expect(example.startsWith(name)).toBe(true);
		expect((await run(...args)).stdout.split('\n')).toContain(sees);
		for (const option of options) expect((await run(...name.split(' '), '-h')).stdout).toContain(option);
	},
);

test('no line of the help is wider than 120 columns', async () => {
	const { run } = await createSetting({ envFile: '/home/jo/.config/context-broker/.env' });
	for (const line of (await run('help')).stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(120);
});

test('--version gives the version', async () => {
	const { run } = await createSetting();
	expect(await run('--version')).toEqual({ status: 0, stdout: '1.2.3\n', stderr: '' });
});
