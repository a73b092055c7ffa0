import { expect, test } from 'vitest';
import { createSetting, DISABLED, ENABLED } from './setting.ts';

function wins(variable: string): string {
	return `context-broker: ${variable} is set in the environment, which wins over the env file: unset it there if the file should apply.\n`;
}

test('an edit that the environment overrides is written, and one is told that it has no effect', async () => {
	const { run, text } = await createSetting({ environment: { [ENABLED]: 'safe' } });
	expect(await run('tools', 'enable', 'run_shell_command')).toMatchObject({
		status: 0,
		stdout: expect.stringContaining(`hidden  run_shell_command  not in ${ENABLED} (environment)\n`),
		stderr: `${wins(ENABLED)}context-broker: run_shell_command stays hidden: not in ${ENABLED} (environment).\n`,
	});
	expect(await text()).toBe(`${ENABLED}=default,run_shell_command\n`);
});

test('one is told so also where the file said it before', async () => {
	const { run } = await createSetting({ environment: { [ENABLED]: 'safe' } });
	const { stderr } = await run('tools', 'set-enabled', '--all');
	expect(stderr).toContain(wins(ENABLED));
	expect((await run('tools', 'set-enabled', '--all')).stderr).toBe(stderr);
});

test('a tool that is disabled, but shown all the same, is named', async () => {
	const { run } = await createSetting({ environment: { [DISABLED]: 'docs__*' } });
	const { stderr } = await run('tools', 'disable', 'load_context', 'docs__fetch');
	expect(stderr).toBe(`${wins(DISABLED)}context-broker: load_context stays shown: by default.\n`);
});

test('a denial in the environment hides what is enabled, and one is told where it stands', async () => {
	const { run } = await createSetting({ environment: { [DISABLED]: 'docs__search' } });
	const { stderr } = await run('tools', 'enable', 'docs__search');
	expect(stderr).toBe(`context-broker: docs__search stays hidden: "docs__search" in ${DISABLED} (environment).\n`);
});

test('enabling tells of both variables where it changes both lists', async () => {
	const { run } = await createSetting({
		text: `${DISABLED}=web-page\n`,
		environment: { [ENABLED]: 'all', [DISABLED]: 'none' },
	});
	expect((await run('tools', 'enable', 'web-page')).stderr).toBe(wins(ENABLED) + wins(DISABLED));
});

test('resetting tells of both variables', async () => {
	const { run } = await createSetting({ environment: { [ENABLED]: 'all', [DISABLED]: 'none' } });
	expect((await run('tools', 'reset')).stderr).toBe(wins(ENABLED) + wins(DISABLED));
});

test.each([
	[['enable', 'web-page'], { [ENABLED]: '' }],
	[['disable', 'web-page'], { [ENABLED]: 'safe' }],
	[['set-disabled', 'web-page'], { [ENABLED]: 'safe' }],
	[['set-enabled', 'web-page'], { [DISABLED]: 'safe' }],
	[['set-enabled', '--clear'], { [DISABLED]: 'safe' }],
])('%j is not overridden by %j', async (args, environment) => {
	const { run } = await createSetting({ environment });
	expect((await run('tools', ...args)).stderr).toBe('');
});

test('an allowlist of the environment is not carried over into the env file', async () => {
	const { run, text } = await createSetting({ environment: { [ENABLED]: 'all' } });
	await run('tools', 'enable', 'web-page');
	expect(await text()).toBe(`${ENABLED}=default,web-page\n`);
});
