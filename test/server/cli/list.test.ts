import { expect, test } from 'vitest';
import { runCommandLine } from '../../../server/cli/run.ts';
import { createSetting, DISABLED, ENABLED } from './setting.ts';

const BY_DEFAULT = `shown   load_context       by default
hidden  run_shell_command  high impact: shown only if it is named
shown   docs__search       by default
shown   docs__fetch        by default
shown   web-page           by default
`;

test.each([[['tools', 'list']], [['list-tools']]])('%j shows the tools, and makes no env file', async (args) => {
	const { run, text } = await createSetting();
	expect(await run(...args)).toEqual({ status: 0, stdout: BY_DEFAULT, stderr: '' });
	expect(await text()).toBeUndefined();
});

test('each line says which selector of which list decided, and where that list is', async () => {
	const { run } = await createSetting({
		text: `${ENABLED}=safe,run_shell_command,docs-*\n`,
		environment: { [DISABLED]: 'docs__fetch' },
	});
	expect(await run('tools', 'list')).toEqual({
		status: 0,
		stdout: `shown   load_context       "safe" in ${ENABLED} (env file)
shown   run_shell_command  "run_shell_command" in ${ENABLED} (env file)
shown   docs__search       "docs-*" in ${ENABLED} (env file)
hidden  docs__fetch        "docs__fetch" in ${DISABLED} (environment)
hidden  web-page           not in ${ENABLED} (env file)
`,
		stderr: '',
	});
});

test('a name that does not say what it stands for is explained', async () => {
	const tool = { name: 'docs__get-anno_d052949f', exposure: 'default', origin: 'docs__get-annotated-message' } as const;
	const { run } = await createSetting({ tools: [tool] });
	expect((await run('tools', 'list')).stdout).toBe(
		'shown   docs__get-anno_d052949f  by default (docs__get-annotated-message)\n',
	);
	expect(JSON.parse((await run('tools', 'list', '--json')).stdout).tools).toMatchObject([{ origin: tool.origin }]);
});

test('what a server calls its tools can not write to the terminal', async () => {
	const tool = { name: 'docs__q_dd66f64e', exposure: 'default', origin: 'docs__q\u001b]0;x\u0007\nshown   q' } as const;
	const { run } = await createSetting({ tools: [tool] });
	expect((await run('tools', 'list')).stdout).toBe(
		'shown   docs__q_dd66f64e  by default (docs__q\ufffd]0;x\ufffd\ufffdshown   q)\n',
	);
});

test('warnings go to standard error', async () => {
	const { run } = await createSetting({
		text: `${ENABLED}=lod_context\n`,
		environment: { CONTEXT_BROKER_ENABLE_TOOLS: 'x' },
	});
	const { status, stderr } = await run('tools', 'list');
	expect(status).toBe(0);
	expect(stderr.split('\n')).toEqual([
		`context-broker: There is no variable "CONTEXT_BROKER_ENABLE_TOOLS"; the nearest is "${ENABLED}".`,
		`context-broker: ${ENABLED} (env file) has "lod_context", which is not a tool; the nearest valid word is "load_context".`,
		'context-broker: No tool of the broker is shown.',
		'',
	]);
});

test('a selector that could steer the terminal is shown with escapes, and one without end is cut', async () => {
	const { run } = await createSetting({ environment: { [ENABLED]: `\u001b[2J*,load_context`, [DISABLED]: `*` } });
	const { stdout, stderr } = await run('tools', 'list');
	expect(stdout).toContain(`hidden  load_context       "*" in ${DISABLED} (environment)`);
	expect(stdout + stderr).not.toContain('\u001b');

	const long = await createSetting({
		tools: [{ name: 'a'.repeat(500), exposure: 'safe' }],
		environment: { [ENABLED]: `${'a'.repeat(400)}*` },
	});
	expect((await long.run('tools', 'list')).stdout).toContain(`  "${'a'.repeat(60)}…" in`);
});

test('the names take as much room as the longest', async () => {
	const names = ['a', 'abc'].map((name) => ({ name, exposure: 'named' }) as const);
	const { run } = await createSetting({ tools: names });
	expect((await run('tools', 'list')).stdout).toBe(`hidden  a    high impact: shown only if it is named
hidden  abc  high impact: shown only if it is named
`);
});

test('a misspelt variable of the env file is told too', async () => {
	const { run } = await createSetting({ text: 'CONTEXT_BROKER_DISABLE_TOOLS=all\n' });
	expect((await run('tools', 'list')).stderr).toBe(
		`context-broker: There is no variable "CONTEXT_BROKER_DISABLE_TOOLS"; the nearest is "${DISABLED}".\n`,
	);
});

test('an error that is not foreseen is thrown, and not taken for wrong use', async () => {
	const stdout = {
		write: () => {
			throw new Error('closed');
		},
	};
	const stderr = { write: () => {} };
	const unused = {
		examine: async () => ({ text: '', status: 0 }),
	};
	const envFile = () => '/nowhere/.env';
	const options = {
		...unused,
		tools: async () => ({ tools: [], expected: [] }),
		envFile,
		environment: {},
		scan: async () => await Promise.reject(new Error('not asked')),
		version: '1',
		stdout,
		stderr,
	};
	await expect(runCommandLine(['tools', 'list'], options)).rejects.toThrow('closed');
});

test('a broker without tools has an empty list', async () => {
	const { run } = await createSetting({ tools: [] });
	expect(await run('tools', 'list')).toEqual({ status: 0, stdout: '', stderr: '' });
});
