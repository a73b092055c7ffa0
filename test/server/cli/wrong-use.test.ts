import { expect, test } from 'vitest';
import { createSetting, DISABLED, ENABLED } from './setting.ts';

const BEFORE = `${ENABLED}=load_context\n${DISABLED}=docs__*\n`;

const noTool = (word: string, nearest: string) => `There is no tool "${word}"; the nearest valid word is "${nearest}".`;

test.each([
	['frob', 'There is no command "frob"; the nearest is "tools".'],
	['tool list', 'There is no command "tool"; the nearest is "tools".'],
	['list_tools', 'There is no command "list_tools"; the nearest is "list-tools".'],
	['prepar', 'There is no command "prepar"; the nearest is "prepare".'],
	['halp', 'There is no command "halp"; the nearest is "help".'],
	['enable load_context', 'There is no command "enable"; the nearest is "tools enable".'],
	['tools lst', '"tools" has no command "lst"; the nearest is "tools list".'],
	['tools set-enable all', '"tools" has no command "set-enable"; the nearest is "tools set-enabled".'],
	['tools tools', '"tools" has no command "tools"; the nearest is "tools list".'],
	[
		'tools',
		'Say what to do: "tools list", "tools enable", "tools disable", "tools set-enabled", "tools set-disabled", "tools reset".',
	],
	['--frob', '"context-broker" has no option "--frob"; it has --help and --version.'],
	['-v', '"context-broker" has no option "-v"; it has --help and --version.'],
	['--version --json', '"context-broker" has no option "--json"; it has --help and --version.'],
	['tools list --jsno', '"tools list" has no option "--jsno"; it has --json.'],
	['tools list --version', '"tools list" has no option "--version"; it has --json.'],
	['tools enable --all', '"tools enable" has no option "--all"; it has --json.'],
	['tools set-disabled --claer', '"tools set-disabled" has no option "--claer"; it has --clear and --json.'],
	['tools list --json=yes', 'The option "--json" takes no value.'],
	['tools list --session s1', '"tools list" has no option "--session"; it has --json.'],
	['tools list load_context', '"tools list" takes no tool: leave out "load_context".'],
	['list-tools load_context', '"tools list" takes no tool: leave out "load_context".'],
	['tools reset all', '"tools reset" takes no tool: leave out "all".'],
	['tools enable', '"tools enable" needs a tool.'],
	['tools enable ', '"tools enable" needs a tool.'],
	['tools enable , ;', '"tools enable" needs a tool.'],
	['tools disable --json', '"tools disable" needs a tool.'],
	['tools set-enabled', '"tools set-enabled" needs a tool, --all, --none, or --clear.'],
	['tools set-enabled ', '"tools set-enabled" needs a tool, --all, --none, or --clear.'],
	['tools set-disabled', '"tools set-disabled" needs a tool or --clear.'],
	['tools set-enabled --all --none', '"tools set-enabled" takes either --all or --none: leave out one.'],
	['tools set-enabled --none --all', '"tools set-enabled" takes either --none or --all: leave out one.'],
	['tools set-enabled --clear --none', '"tools set-enabled" takes either --clear or --none: leave out one.'],
	['tools set-enabled --all web-page', '"tools set-enabled" takes either --all or tools: leave out one.'],
	['tools set-enabled web-page --none', '"tools set-enabled" takes either --none or tools: leave out one.'],
	['tools set-disabled --clear web-page', '"tools set-disabled" takes either --clear or tools: leave out one.'],
	['tools enable lod_context', `${noTool('lod_context', 'load_context')} Nothing was written.`],
	['tools enable web-page lod_context', `${noTool('lod_context', 'load_context')} Nothing was written.`],
	['tools disable docs__fech*', `${noTool('docs__fech*', 'docs__fetc*')} Nothing was written.`],
	['tools disable -- -x', `${noTool('-x', 'all')} Nothing was written.`],
	['tools enable --json saef', `${noTool('saef', 'safe')} Nothing was written.`],
	[
		'tools set-enabled saef web-page web-pages',
		`${noTool('saef', 'safe')} ${noTool('web-pages', 'web-page')} Nothing was written.`,
	],
	['tools set-disabled LOAD_CONTEXT', `${noTool('LOAD_CONTEXT', 'load_context')} Nothing was written.`],
	['scan src test', '"scan" takes one path: leave out "test".'],
	['scan --json --sarif', '"scan" takes either --json or --sarif: leave out one.'],
	['scan --key', 'The option "--key" needs a key.'],
	['doctor map', '"doctor" checks everything: leave out "map".'],
])('context-broker %s is wrong use, and changes nothing', async (command, message) => {
	const { run, text } = await createSetting({ text: BEFORE });
	expect(await run(...command.split(' '))).toEqual({
		status: 2,
		stdout: '',
		stderr: `context-broker: ${message} See "context-broker help".\n`,
	});
	expect(await text()).toBe(BEFORE);
});

test.each([
	['\u001b[2J', '\\u001b[2J'],
	['x'.repeat(100_000), 'xxx…'],
])('a word that the terminal must not get as it is, is told readably: %j', async (word, told) => {
	const { run } = await createSetting();
	for (const args of [['tools', 'enable', word], [word], ['tools', word], [`--${word}`], ['tools', 'list', word]]) {
		const { status, stderr } = await run(...args);
		expect(status).toBe(2);
		expect(stderr).toContain(told.slice(0, 10));
		expect(stderr.length).toBeLessThan(300);
		expect(stderr).not.toContain('\u001b');
	}
});

test('a line break in a name is only a space: nothing gets into the env file that was not checked', async () => {
	const { run, text } = await createSetting();
	expect((await run('tools', 'enable', `web-page\n${DISABLED}=all`)).status).toBe(2);
	expect(await text()).toBeUndefined();
	await run('tools', 'set-enabled', 'web-page\nload_context');
	expect(await text()).toBe(`${ENABLED}=web-page,load_context\n`);
});
