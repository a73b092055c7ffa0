import { spawnSync } from 'node:child_process';
import { lstat, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { brokerEnvironment, connectBroker, INITIALIZE, loadRequest } from '../support/broker.ts';
import { BOOTSTRAP } from '../support/paths.ts';
import { createRecording, stdio } from '../support/servers.ts';
import { expectGone } from '../support/shell.ts';
import { createUser, type User } from '../support/user.ts';

/** Runs the command line as a user does. @param inTerminal in a pseudo-terminal, with both outputs in one */
function run(user: User, args: readonly string[], environment: Record<string, string> = {}, inTerminal = false) {
	const command = [process.execPath, BOOTSTRAP, ...args];
	const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
	const [program = '', ...rest] = inTerminal ? ['script', '-qec', quoted, '/dev/null'] : command;
	const env = brokerEnvironment(user.home, { TERM: 'xterm-256color', ...environment });
	const { status, stdout, stderr } = spawnSync(program, rest, { env, encoding: 'utf8' });
	return { status, stdout, stderr };
}

test('a user hides a tool, sees it, and the broker follows; then takes it back', async () => {
	const user = await createUser();
	const file = join(user.configFolder, '.env');
	expect(run(user, ['tools', 'list'])).toEqual({
		status: 0,
		stdout: expect.stringMatching(/^shown +load_context +by default$/m),
		stderr: '',
	});
	const disabled = run(user, ['tools', 'disable', 'load-context']);
	expect(disabled).toMatchObject({ status: 0, stdout: expect.stringContaining(`in ${file}`) });
	expect(disabled.stdout).toMatch(
		/^hidden +load_context +"load_context" in CONTEXT_BROKER_DISABLED_TOOLS \(env file\)$/m,
	);
	expect(await readFile(file, 'utf8')).toBe('CONTEXT_BROKER_DISABLED_TOOLS=load_context\n');
	const { client } = await connectBroker(user.home);
	expect((await client.listTools()).tools).toMatchObject([{ name: 'find_context' }]);
	expect(run(user, ['tools', 'reset']).status).toBe(0);
	expect(JSON.parse(run(user, ['list-tools', '--json']).stdout)).toMatchObject({
		tools: [
			{ name: 'load_context', shown: true },
			{ name: 'find_context', shown: true },
			{ name: 'run_shell_command', shown: false },
		],
		envFile: file,
	});
	expect((await client.listTools()).tools).toHaveLength(2);
});

test('where the working folder was removed, commands and the broker work all the same', async () => {
	const user = await createUser();
	await user.write('a.md', 'private');
	await user.writeMap('[keys]\nk = "a.md"\n');
	const env = brokerEnvironment(user.home);
	const gone = (command: string, input = '') => {
		const script = `mkdir "$HOME/gone" && cd "$HOME/gone" && rmdir "$HOME/gone" && exec ${command}`;
		return spawnSync('sh', ['-c', script, process.execPath, BOOTSTRAP], { env, input, encoding: 'utf8' });
	};
	expect(gone('"$0" "$1" tools list')).toMatchObject({
		status: 0,
		stdout: expect.stringMatching(/^shown /),
		stderr: '',
	});
	expect(gone('"$0" "$1" doctor').stdout).toMatch(/✘ Claude Code +The working folder \S+gone no longer exists/);
	const served = gone('"$0" "$1"', `${JSON.stringify(INITIALIZE)}\n${JSON.stringify(loadRequest(1, 'k'))}\n`);
	expect(served.stdout).toContain('"text":"private"');
});

test('each output ends with a line break', async () => {
	const user = await createUser();
	const commands = ['tools list', 'tools list --json', 'doctor', 'help', '--version', 'x'];
	for (const command of commands) {
		const { stdout, stderr } = run(user, command.split(' '));
		expect(stdout + stderr, command).toMatch(/[^\n]\n$/);
	}
});

test('what is wrong is told with what to do, and status 2; nothing is written', async () => {
	const user = await createUser();
	for (const args of [['tools', 'disable', 'lode_context'], ['tools', 'hide'], ['--wrong'], ['tool', 'list']]) {
		const { status, stdout, stderr } = run(user, args);
		expect({ status, stdout }, args.join(' ')).toEqual({ status: 2, stdout: '' });
		expect(stderr).toMatch(/^context-broker: .*\n/);
	}
	expect(run(user, ['tools', 'disable', 'lode_context']).stderr).toContain('"load_context"');
	expect(run(user, ['tools', 'list'], { CONTEXT_BROKER_ENV_FILE: 'mine.env' })).toEqual({
		status: 2,
		stdout: '',
		stderr: expect.stringMatching(/^context-broker: The env file mine\.env is not an absolute path\. /),
	});
	expect(run(user, ['tools', 'list']).stdout).toMatch(/^shown/m);
});

test('an env file that nobody can find holds up only what needs it', async () => {
	const user = await createUser();
	const environment = { CONTEXT_BROKER_ENV_FILE: 'mine.env' };
	expect(run(user, ['--version'], environment)).toMatchObject({ status: 0, stderr: '' });
	expect(run(user, ['help'], environment).stdout).toMatch(/^ {2}The env file mine\.env is not an absolute path/m);
	const examined = run(user, ['doctor', '--json'], environment);
	expect(JSON.parse(examined.stdout)).toMatchObject({
		findings: expect.arrayContaining([
			expect.objectContaining({
				check: 'tools',
				message: expect.stringContaining('mine.env is not an absolute'),
			}),
		]),
	});
});

test('the tools of servers behind the broker are listed, and nothing of these servers is left', async () => {
	const user = await createUser();
	const recording = await createRecording();
	await user.writeMap(`[keys]\n[mcp_servers.a-long-name-of-a-server]\n${stdio(recording)}`);
	const { status, stdout } = run(user, ['tools', 'disable', 'a-long-name-of-a-server__echo']);
	expect(status).toBe(0);
	expect(stdout).toMatch(/^hidden +a-long-name-of-a-server__echo +"a-long-name-of-a-server__echo" in/m);
	expect(JSON.parse(run(user, ['--json', 'tools', 'list']).stdout).tools).toContainEqual(
		expect.objectContaining({ name: 'a-long-name-of-a-server__echo', shown: false }),
	);
	expect(stdout).toMatch(/^shown +a-long-name-of-a-ser__garbage +by default \(a-long-name-of-a-server__garbage\)$/m);
	const hidden = run(user, ['tools', 'disable', 'a-long-name-of-a-server__garbage']);
	expect(hidden).toMatchObject({
		status: 0,
		stdout: expect.stringMatching(/^hidden +a-long-name-of-a-ser__garbage /m),
	});
	await expectGone(recording.log);
});

test('a tool of a server that can not be reached can be hidden', async () => {
	const user = await createUser();
	await user.writeMap(`[keys]\n[mcp_servers.down]\ncommand = ${JSON.stringify(resolve('/nowhere/none'))}\n`);
	const { status, stderr } = run(user, ['tools', 'disable', 'down__query']);
	expect(status).toBe(0);
	expect(stderr).toMatch(/^context-broker: \[mcp_servers\.down\]: it cannot be reached: .*\n$/);
});

test('a reader that has seen enough is no failure, a full disk is', async () => {
	const user = await createUser();
	const env = brokerEnvironment(user.home, {});
	const through = (redirection: string, ...args: string[]) => {
		const script = `"$@" ${redirection}; echo "\${PIPESTATUS[0]}"`;
		return spawnSync('bash', ['-c', script, 'bash', process.execPath, BOOTSTRAP, ...args], { env, encoding: 'utf8' });
	};
	const commands = ['help', 'tools list --json', 'tools enable run_shell_command'];
	for (const args of commands.map((command) => command.split(' '))) {
		expect(through('| true', ...args), args.join(' ')).toMatchObject({ stdout: '0\n', stderr: '' });
		const { stdout, stderr } = through('> /dev/full', ...args);
		expect({ stdout, stderr }, args.join(' ')).toEqual({
			stdout: '1\n',
			stderr: 'context-broker: The output cannot be written: ENOSPC.\n',
		});
	}
	expect(through('2> /dev/full', 'tools', 'hide').stdout).toBe('2\n');
});

const hasTerminal = spawnSync('script', ['--version']).status === 0;

test('in a terminal there are colours, unless NO_COLOR is set', async ({ skip }) => {
	skip(!hasTerminal, 'the program "script" makes the terminal, and is not there');
	const user = await createUser();
	const colour = '\u001b[';
	expect(run(user, ['tools', 'list']).stdout).not.toContain(colour);
	expect(run(user, ['tools', 'list'], {}, true).stdout).toContain(colour);
	expect(run(user, ['tools', 'list'], { NO_COLOR: '1' }, true).stdout).not.toContain(colour);
	expect(run(user, ['--help'], { NO_COLOR: '1' }, true).stdout).toMatch(/context-broker tools disable/);
});

test.each([
	['with comments, CRLF and quotes', '# mine\r\nexport A=\'1\' # one\r\n\r\nB="two"\r\n', '\r\n'],
	['without a final newline', 'A=1', '\n'],
	['with a list in it', 'A=1\n  export CONTEXT_BROKER_DISABLED_TOOLS="docs" # mine\nB=2\n', undefined],
])('a symlinked dotfile %s keeps all else, and stays a link', async (_, text, lineEnding) => {
	const user = await createUser();
	const target = join(user.home, 'dotfiles', 'env');
	await mkdir(join(user.home, 'dotfiles'));
	await writeFile(target, text, { mode: 0o640 });
	await symlink(target, join(user.configFolder, '.env'));
	expect(run(user, ['tools', 'disable', 'load_context']).status).toBe(0);
	expect((await lstat(join(user.configFolder, '.env'))).isSymbolicLink()).toBe(true);
	expect((await lstat(target)).mode & 0o777).toBe(0o640);
	const after = await readFile(target, 'utf8');
	if (lineEnding === undefined) {
		expect(after).toMatch(/^A=1\n {2}export CONTEXT_BROKER_DISABLED_TOOLS="docs,load_context" # mine\nB=2\n$/);
	} else {
		const before = text.endsWith(lineEnding) ? text : text + lineEnding;
		expect(after).toBe(`${before}CONTEXT_BROKER_DISABLED_TOOLS=load_context${lineEnding}`);
	}
	expect(run(user, ['tools', 'list']).stdout).toMatch(/^hidden/m);
});

test('an override by the environment is told', async () => {
	const user = await createUser();
	const { status, stderr, stdout } = run(user, ['tools', 'disable', 'load_context'], {
		CONTEXT_BROKER_DISABLED_TOOLS: 'none',
	});
	expect(status).toBe(0);
	expect(stdout).toMatch(/^shown +load_context/m);
	expect(stderr).toMatch(/CONTEXT_BROKER_DISABLED_TOOLS is set in the environment, which wins over the env file/);
});
