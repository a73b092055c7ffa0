import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMAND_VARIABLE } from '../../../server/processes/process-table.ts';
import { commandEnvironment } from '../../../server/shell/environment.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const OPTIONS = { platform: 'linux', commandId: 'c1', isNetworkIsolated: false } as const;
const WINDOWS = { ...OPTIONS, platform: 'win32' } as const;

/** What a command gets of an environment that is empty. */
const SET = {
	NO_COLOR: '1',
	CLICOLOR: '0',
	TERM: 'dumb',
	PAGER: 'cat',
	GIT_PAGER: 'cat',
	MANPAGER: 'cat',
	SYSTEMD_PAGER: 'cat',
	GH_PAGER: 'cat',
	AWS_PAGER: '',
	GIT_TERMINAL_PROMPT: '0',
	CONTEXT_BROKER: '1',
	CONTEXT_BROKER_COMMAND: 'c1',
};

describe.each(['linux', 'darwin', 'win32'] as const)('on %s', (platform) => {
	const options = { ...OPTIONS, platform };

	test('what is set', () => {
		expect(commandEnvironment({}, options)).toEqual(SET);
	});

	test('what is set has precedence', () => {
		const others = Object.fromEntries(Object.keys(SET).map((name) => [name, 'other']));
		expect(commandEnvironment(others, options)).toEqual(SET);
	});

	test.each([
		...['BASH_ENV', 'ENV', 'SSH_CLIENT', 'SSH2_CLIENT', 'SHELLOPTS', 'FORCE_COLOR', 'CLICOLOR_FORCE', 'COLORTERM'],
		...['BASH_FUNC_ls%%', 'BASH_FUNC_ls()', 'BASH_FUNC_', '__BASH_FUNC<ls>()', 'CONTEXT_BROKER_NETWORK'],
		...['GITHUB_TOKEN', 'npm_config__authToken', 'SSH_AUTH_SOCK'],
	])('%s is removed', (name) => {
		expect(commandEnvironment({ [name]: 'x' }, options)).toEqual(SET);
	});

	test.each([
		...['PATH', 'HOME', 'PWD', 'OLDPWD', 'LANG', 'LC_ALL', 'SHELL', 'USER', 'TMPDIR', 'DEBIAN_FRONTEND', 'LS_COLORS'],
		...[
			'GREP_COLORS',
			'CONTEXT_BROKER_ENV_FILE',
			'CLAUDE_PROJECT_DIR',
			'SSH_CONNECTION',
			'MY_ENV',
			'BASH_ENVS',
			'SHLVL',
		],
		...['MY_BASH_FUNC_x', 'NO_COLORS', '__proto__', 'constructor'],
	])('%s is kept', (name) => {
		const given = Object.fromEntries([[name, 'x']]);
		expect(Object.entries(commandEnvironment(given, options)).sort()).toEqual(
			Object.entries(SET)
				.concat([[name, 'x']])
				.sort(),
		);
	});

	test('a value that looks secret is removed with its name', () => {
		expect(commandEnvironment({ DATABASE: 'postgres://u:p@h/d', URL: 'https://h/d' }, options)).toEqual({
			...SET,
			URL: 'https://h/d',
		});
	});

	test('what is empty is kept, what is undefined is not', () => {
		expect(commandEnvironment({ A: '', B: undefined }, options)).toStrictEqual({ ...SET, A: '' });
	});

	test('the network', () => {
		const isolated = { ...options, isNetworkIsolated: true };
		expect(commandEnvironment({}, isolated)).toEqual({ ...SET, CONTEXT_BROKER_NETWORK: 'none' });
		expect(commandEnvironment({ CONTEXT_BROKER_NETWORK: 'x' }, isolated)).toMatchObject({
			CONTEXT_BROKER_NETWORK: 'none',
		});
	});
});

test('the command is what it is, whatever it looks like', () => {
	const commandId = 'https://user:pass@host';
	expect(commandEnvironment({}, { ...OPTIONS, commandId })[COMMAND_VARIABLE]).toBe(commandId);
});

test('the given environment stays as it is', () => {
	const given = Object.freeze({ PATH: '/bin', PAGER: 'less', GITHUB_TOKEN: 'x' });
	expect(commandEnvironment(given, OPTIONS)).not.toBe(given);
	expect(given).toEqual({ PATH: '/bin', PAGER: 'less', GITHUB_TOKEN: 'x' });
});

describe('case', () => {
	const given = {
		...{ Force_Color: '1', Pager: 'more', term: 'x', Bash_Env: 'x', bash_func_ls: 'x', context_broker_command: 'c0' },
		...{ Context_Broker_Network: 'none', env: 'x', Path: 'C:\\bin' },
	};

	test('does not count on Windows', () => {
		expect(commandEnvironment(given, WINDOWS)).toEqual({ ...SET, Path: 'C:\\bin' });
	});

	test('counts elsewhere', () => {
		expect(commandEnvironment(given, OPTIONS)).toEqual({ ...SET, ...given });
	});
});

test.skipIf(process.platform === 'win32')('bash runs nothing before the command', async () => {
	const home = await temporaryFolder();
	const file = join(home, '.bashrc');
	await writeFile(file, 'echo before\n');
	const given = {
		...{ HOME: home, PATH: process.env.PATH, BASH_ENV: file, ENV: file, SSH_CLIENT: 'x', SSH2_CLIENT: 'x' },
		...{ SHELLOPTS: 'xtrace', PS4: '$(echo before >&2)', 'BASH_FUNC_true%%': '() { echo before; }' },
		...{ '__BASH_FUNC<true>()': '() { echo before; }' },
	};
	const run = (env: NodeJS.ProcessEnv) => {
		const { stdout, stderr } = spawnSync('bash', ['-c', 'true'], {
			env,
			// A pipe of Node's would be a network connection to bash.
			stdio: ['ignore', 'pipe', 'pipe'],
			encoding: 'utf8',
		});
		return stdout + stderr;
	};
	expect(run(given)).toContain('before');
	expect(run(commandEnvironment(given, OPTIONS))).toBe('');
});
