import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSetting, DISABLED, ENABLED, envFileWith, TOOLS } from './setting.ts';

interface Lists {
	readonly enabled?: string;
	readonly disabled?: string;
}

const CASES: [string, Lists, Lists][] = [
	['enable run_shell_command', {}, { enabled: 'default,run_shell_command' }],
	['enable run_shell_command', { enabled: '' }, { enabled: 'default,run_shell_command' }],
	['enable run_shell_command', { enabled: ' ' }, { enabled: 'run_shell_command' }],
	['enable run_shell_command', { enabled: 'none' }, { enabled: 'run_shell_command' }],
	['enable run_shell_command', { enabled: 'safe; gone' }, { enabled: 'safe,gone,run_shell_command' }],
	['enable run-shell-command web_page', { enabled: 'safe' }, { enabled: 'safe,run_shell_command,web-page' }],
	['enable web-page web_page', { enabled: 'safe' }, { enabled: 'safe,web-page' }],
	['enable ALL', { enabled: 'safe' }, { enabled: 'safe,all' }],
	['enable *', { enabled: 'ALL' }, { enabled: 'ALL' }],
	['enable docs-* docs__s*', { enabled: 'safe' }, { enabled: 'safe,docs_*,docs__s*' }],
	['enable default', {}, {}],
	['enable none', {}, {}],
	['enable docs__search,docs__fetch', { enabled: 'safe' }, { enabled: 'safe,docs__search,docs__fetch' }],
	['enable load_context', { disabled: 'load_context' }, { enabled: 'default,load_context' }],
	['enable load_context', { disabled: 'gone load-context' }, { enabled: 'default,load_context', disabled: 'gone' }],
	['enable docs__*', { disabled: 'docs__*,docs__search' }, { enabled: 'default,docs__*', disabled: 'docs__search' }],
	['enable all', { disabled: '*,web-page' }, { enabled: 'default,all', disabled: 'web-page' }],
	['enable docs__search', { disabled: 'docs__*' }, { enabled: 'default,docs__search', disabled: 'docs__*' }],

	[
		'enable load_context',
		{ enabled: 'all', disabled: 'gone; x' },
		{ enabled: 'all,load_context', disabled: 'gone; x' },
	],

	['disable docs__search', {}, { disabled: 'docs__search' }],
	['disable docs__search', { disabled: '' }, { disabled: 'docs__search' }],
	['disable docs__search', { disabled: 'none' }, { disabled: 'docs__search' }],
	['disable web_page', { disabled: 'gone;all' }, { disabled: 'gone,all,web-page' }],
	['disable load_context', { enabled: 'load_context' }, { enabled: 'load_context', disabled: 'load_context' }],
	['disable load-context', { disabled: 'load_context, x' }, { disabled: 'load_context, x' }],
	['disable none', {}, {}],
	['disable none', { disabled: '' }, { disabled: '' }],

	['set-enabled safe run-shell-command', {}, { enabled: 'safe,run_shell_command' }],
	['set-enabled safe', { enabled: 'all', disabled: 'docs__*' }, { enabled: 'safe', disabled: 'docs__*' }],
	['set-enabled load_context load-context', {}, { enabled: 'load_context' }],
	['set-enabled none', { enabled: 'all' }, { enabled: 'none' }],
	['set-enabled none safe', { enabled: 'all' }, { enabled: 'safe' }],
	['set-enabled --all', {}, { enabled: 'all' }],
	['set-enabled --none', {}, { enabled: 'none' }],
	['set-enabled --none --none', {}, { enabled: 'none' }],
	['set-enabled --clear', { enabled: 'safe', disabled: 'docs__*' }, { disabled: 'docs__*' }],
	['set-enabled --clear', { enabled: '' }, {}],

	['set-disabled web_page', { enabled: 'all', disabled: 'safe' }, { enabled: 'all', disabled: 'web-page' }],
	['set-disabled *', {}, { disabled: 'all' }],
	['set-disabled none', { disabled: 'all' }, { disabled: 'none' }],
	['set-disabled --clear', { enabled: 'all', disabled: 'safe' }, { enabled: 'all' }],

	['reset', { enabled: 'all', disabled: 'safe' }, {}],
	['reset', { enabled: '', disabled: '' }, {}],
	['reset', {}, {}],
];

test.each(CASES)('tools %s makes of %j %j, and nothing more the second time', async (command, before, after) => {
	const { run, text, envFile } = await createSetting({ text: envFileWith(before) });
	const args = ['tools', ...command.split(' ')];
	expect((await run(...args)).status).toBe(0);
	const edited = (await text()) ?? '';
	const lists = Object.fromEntries([...edited.matchAll(/^(\w+)='?(.*?)'?$/gm)].map(([, name, value]) => [name, value]));
	expect(lists).toEqual({
		...(after.enabled !== undefined && { [ENABLED]: after.enabled }),
		...(after.disabled !== undefined && { [DISABLED]: after.disabled }),
	});

	const { status, stdout } = await run(...args);
	expect(status).toBe(0);
	expect(stdout).toMatch(`Nothing to change in ${envFile}.\n`);
	expect(await text()).toBe(edited);
});

test('after an edit one sees what was written where, and all tools', async () => {
	const { run, envFile } = await createSetting({ text: `${DISABLED}=web-page\n` });
	expect(await run('tools', 'enable', 'run-shell-command', 'web-page')).toEqual({
		status: 0,
		stdout: `Set ${ENABLED} to "default,run_shell_command,web-page" in ${envFile}.
Removed ${DISABLED} from ${envFile}.

shown   load_context       "default" in ${ENABLED} (env file)
shown   run_shell_command  "run_shell_command" in ${ENABLED} (env file)
shown   docs__search       "default" in ${ENABLED} (env file)
shown   docs__fetch        "default" in ${ENABLED} (env file)
shown   web-page           "web-page" in ${ENABLED} (env file)
`,
		stderr: '',
	});
});

test('where nothing changes, one is told so, and sees all tools', async () => {
	const { run, envFile, text } = await createSetting();
	const { stdout } = await run('tools', 'list');
	expect(await run('tools', 'reset')).toEqual({
		status: 0,
		stdout: `Nothing to change in ${envFile}.\n\n${stdout}`,
		stderr: '',
	});
	expect(await text()).toBeUndefined();
});

test('of two tools whose names are the same but for their dashes, the one that was named is written', async () => {
	const tools = ['a-b', 'a_b'].map((name) => ({ name, exposure: 'default' }) as const);
	const { run, text } = await createSetting({ tools });
	await run('tools', 'disable', 'a_b');
	expect(await text()).toBe(`${DISABLED}=a_b\n`);
	await run('tools', 'set-disabled', 'a_*');
	expect(await text()).toBe(`${DISABLED}='a_*'\n`);
});

test('of a tool whose name was shortened, the name that was given is written', async () => {
	const tool = { name: 'docs__get-anno_d052949f', exposure: 'default', origin: 'docs__get-annotated-message' } as const;
	const { run, text, shown } = await createSetting({ tools: [...TOOLS, tool] });
	expect(await run('tools', 'disable', 'docs__get_annotated_message')).toMatchObject({ status: 0, stderr: '' });
	expect(await text()).toBe(`${DISABLED}=docs__get-annotated-message\n`);
	expect(await shown()).not.toContain(tool.name);
	await run('tools', 'set-disabled', 'docs__get_annotated*');
	expect(await text()).toBe(`${DISABLED}='docs__get-annotated*'\n`);
	await run('tools', 'set-disabled', 'docs__get_anno*');
	expect(await text()).toBe(`${DISABLED}='docs__get-anno*'\n`);
	await run('tools', 'set-disabled', 'docs__get-anno_d052949f');
	expect(await text()).toBe(`${DISABLED}='docs__get-anno_d052949f'\n`);
});

test('a tool of a server that could not be asked can be hidden and shown, and is not called unknown', async () => {
	const { run, text } = await createSetting({ expected: ['notes__'] });
	for (const word of ['notes__query', 'notes__*', 'not*']) {
		expect(await run('tools', 'set-disabled', word)).toMatchObject({ status: 0, stderr: '' });
		expect(await text()).toMatch(new RegExp(`^${DISABLED}='?${word.replace('*', '\\*')}'?\n$`));
	}
	expect(await run('tools', 'enable', 'note__query')).toMatchObject({ status: 2, stdout: '' });
});

test('commands at the same time lose nothing of each other', async () => {
	const { run, text, envFile } = await createSetting();
	const names = TOOLS.map(({ name }) => name);
	await Promise.all([run('tools', 'set-enabled', 'safe'), ...names.map((name) => run('tools', 'disable', name))]);
	expect(await text()).toMatch(new RegExp(`^${ENABLED}=safe$`, 'm'));
	const [, disabled = ''] = new RegExp(`^${DISABLED}=(.*)$`, 'm').exec((await text()) ?? '') ?? [];
	expect(disabled.split(',').sort()).toEqual(names.sort());
	expect(await readdir(dirname(envFile))).toEqual(['.env']);
});

test('the folder of the env file is made where it is missing', async () => {
	const { envFile } = await createSetting();
	const { run, text } = await createSetting({ envFile: `${envFile}-folder/context-broker/.env` });
	expect((await run('tools', 'disable', 'web-page')).status).toBe(0);
	expect(await text()).toBe(`${DISABLED}=web-page\n`);
});

describe('a tool that is enabled, but hidden by another denial,', () => {
	test.each([
		['all', '"all"'],
		['docs__*', '"docs__*"'],
		['default', '"default"'],
	])('is named with that denial: %s', async (denial, quoted) => {
		const { run, text } = await createSetting({ text: `${DISABLED}=${denial}\n` });
		const { status, stderr } = await run('tools', 'enable', 'docs__search');
		expect(status).toBe(0);
		expect(stderr).toContain(`context-broker: docs__search stays hidden: ${quoted} in ${DISABLED} (env file).\n`);
		expect(stderr).not.toContain('docs__fetch');
		expect(await text()).toBe(`${DISABLED}=${denial}\n${ENABLED}=default,docs__search\n`);
	});

	test('is named each time, also where nothing changes', async () => {
		const { run } = await createSetting({ text: `${DISABLED}=docs__*\n` });
		const { stderr } = await run('tools', 'enable', 'docs__search');
		expect(stderr).not.toBe('');
		expect((await run('tools', 'enable', 'docs__search')).stderr).toBe(stderr);
	});

	test('is named also where a selector stands for it', async () => {
		const { run } = await createSetting({ text: `${DISABLED}=docs__search\n` });
		const { stderr } = await run('tools', 'set-enabled', 'docs__*');
		expect(stderr).toBe(`context-broker: docs__search stays hidden: "docs__search" in ${DISABLED} (env file).\n`);
	});
});
