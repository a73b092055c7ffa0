import { expect, test } from 'vitest';
import { createSetting, DISABLED, ENABLED } from './setting.ts';

const TWO = [
	{ name: 'load_context', exposure: 'safe' },
	{ name: 'run_shell_command', exposure: 'named' },
] as const;

test.each([[['tools', 'list', '--json']], [['list-tools', '--json']], [['--json', 'tools', 'list']]])(
	'%j gives the tools for a program',
	async (args) => {
		const { run, envFile } = await createSetting({ tools: TWO });
		const { status, stdout, stderr } = await run(...args);
		expect([status, stderr]).toEqual([0, '']);
		expect(JSON.parse(stdout)).toEqual({
			tools: [
				{ name: 'load_context', shown: true, exposure: 'safe', list: null, source: null, selector: 'default' },
				{ name: 'run_shell_command', shown: false, exposure: 'named', list: null, source: null, selector: null },
			],
			envFile,
			warnings: [],
		});
	},
);

test('after an edit it also says whether it was written, and what overrides it', async () => {
	const { run, envFile } = await createSetting({ tools: TWO, environment: { [ENABLED]: 'saef,load-context' } });
	const { status, stdout, stderr } = await run('tools', 'disable', 'load_context', '--json');
	const warning = `${ENABLED} (environment) has "saef", which is not a tool; the nearest valid word is "safe".`;
	const none = 'No tool of the broker is shown.';
	expect(status).toBe(0);
	expect(stderr).toBe(`context-broker: ${warning}\ncontext-broker: ${none}\n`);
	const [list, source] = ['disabled', 'env_file'];
	expect(JSON.parse(stdout)).toEqual({
		tools: [
			{ name: 'load_context', shown: false, exposure: 'safe', list, source, selector: 'load_context' },
			{
				name: 'run_shell_command',
				shown: false,
				exposure: 'named',
				list: 'enabled',
				source: 'environment',
				selector: null,
			},
		],
		envFile,
		warnings: [warning, none],
		written: true,
		overridden: [],
	});
});

test.each([
	[['enable', 'load_context'], [ENABLED]],
	[['disable', 'load_context'], [DISABLED]],
	[['set-enabled', '--none'], [ENABLED]],
	[['set-disabled', 'safe'], [DISABLED]],
	[['reset'], [ENABLED, DISABLED]],
])('tools %j --json names the variables of the environment that win: %j', async (args, overridden) => {
	const { run } = await createSetting({
		text: `${ENABLED}=all\n`,
		environment: { [ENABLED]: 'safe', [DISABLED]: 'docs__*' },
	});
	const first = await run('tools', ...args, '--json');
	expect(JSON.parse(first.stdout)).toMatchObject({ written: true, overridden });
	const second = await run('tools', ...args, '--json');
	expect(JSON.parse(second.stdout)).toMatchObject({ written: false, overridden });
	expect(second.stderr).toBe(first.stderr);
});

test('it has no colours on a terminal', async () => {
	const { run } = await createSetting({ isTTY: true });
	expect((await run('tools', 'list', '--json')).stdout).not.toContain('\u001b');
});
