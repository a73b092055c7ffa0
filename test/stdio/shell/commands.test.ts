import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { windowsProgram } from '../../../server/processes/system-program.ts';
import { processesWith, type ShellResult, startShellBroker, uniqueSeconds } from '../../support/shell.ts';
import { NEEDS_PROC, NEEDS_SETSID, SYSTEM } from '../../support/system.ts';

test('it gives what the command printed, line by line and typed', async () => {
	const broker = await startShellBroker();
	const { result } = await broker.call('echo out; echo err >&2; exit 3', { description: 'Prints.' });
	const { duration_ms, process_group, ...structured } = (result?.structuredContent ?? {}) as Record<string, unknown>;
	expect(result).not.toHaveProperty('isError');
	expect(result?.content).toEqual([
		{
			type: 'text',
			text: [
				'Command: echo out; echo err >&2; exit 3',
				`Directory: ${broker.user.home}`,
				'Output: out\nerr',
				'Error: (none)',
				'Exit Code: 3',
				'Signal: (none)',
				'Background PIDs: (none)',
				`Process Group PGID: ${process_group}`,
			].join('\n'),
		},
	]);
	expect(structured).toEqual({
		command: 'echo out; echo err >&2; exit 3',
		directory: broker.user.home,
		output: 'out\nerr\n',
		error: null,
		exit_code: 3,
		signal: null,
		background_pids: [],
		output_bytes: 8,
		truncated: false,
		timed_out: false,
		cancelled: false,
		network_isolated: false,
	});
	expect(duration_ms).toBeTypeOf('number');
});

test('it says where there is nothing', async () => {
	const { result } = await (await startShellBroker()).call('kill -9 $$');
	expect(result?.content).toMatchObject([
		{ text: expect.stringContaining('\nOutput: (empty)\nError: (none)\nExit Code: (none)\nSignal: SIGKILL\n') },
	]);
	expect(result?.structuredContent).toMatchObject({ exit_code: null, signal: 'SIGKILL', output: '' });
});

test('the listing tells its schemas and that it can do harm', async () => {
	const broker = await startShellBroker();
	const { result } = await broker.ask('tools/list', {});
	const tool = ((result?.tools ?? []) as { name: string }[]).find(({ name }) => name === 'run_shell_command');
	expect(tool).toMatchObject({
		name: 'run_shell_command',
		annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
		inputSchema: { required: ['command'], additionalProperties: false },
		outputSchema: { additionalProperties: false },
	});
	expect(tool).toHaveProperty('inputSchema.properties.command');
	expect(tool).toHaveProperty('inputSchema.properties.dir_path');
});

test('without being named, it is not there', async () => {
	const broker = await startShellBroker({ env: { CONTEXT_BROKER_ENABLED_TOOLS: 'default' } });
	const { result } = await broker.ask('tools/list', {});
	expect(result?.tools).not.toContainEqual(expect.objectContaining({ name: 'run_shell_command' }));
	expect((await broker.call('echo hi')).error?.code).toBe(-32602);
});

const UNCHANGED = [
	'cat <<EOF\na `echo b` $(echo c) \\$d\nEOF',
	"cat <<'EOF'\na `b` $(c) \\d\nEOF\necho after",
	'cat <<EOF\nno end',
	'echo "$(printf "%s" "fix: it\'s \\`done\\`")"',
	'echo a # a comment',
	'echo a \\',
	'echo a\\\nb',
	"printf '%s\\n' '\\n' \"\\\\\"",
	'bash -c "echo a; echo \\"b c\\" \\$0 \\\\\\\\"',
	"bash -c 'echo $0 $1' x y",
	"bash -c 'echo $0 \"$1\" it'\\''s'",
	'bash -c "x=1; echo [$x]"',
	'bash -c "echo a" && echo b',
	'bash -lc "echo a"',
	'bash -c "echo a',
	'x=1; (( x += 2 )); echo $x; [[ abc == a* ]] && echo yes',
	'echo "ends in \\$ "; printf "> "',
	'echo ünï 😀',
	'\n\n  echo a  \n',
	'echo a\r',
	'exit 300',
];

test.each(UNCHANGED)('a command runs as bash would run it: %j', async (command) => {
	const { stdout, status } = spawnSync('bash', ['-c', 'exec "$@" 2>&1', 'bash', 'bash', '-c', command], {
		stdio: ['ignore', 'pipe', 'ignore'],
		encoding: 'utf8',
		env: { PATH: process.env.PATH, HOME: '/none' },
	});
	const result = await (await startShellBroker()).run(command);
	expect(result).toMatchObject({ output: stdout.replace(/\r/g, ''), exit_code: status });
});

test('standard output and error come in their order, also where a program opens them by name', async () => {
	const broker = await startShellBroker();
	const command = 'for i in 1 2 3 4 5; do echo o$i; echo e$i >&2; echo d$i >/dev/stderr; done';
	const lines = [1, 2, 3, 4, 5].map((i) => `o${i}\ne${i}\nd${i}\n`);
	for (let i = 0; i < 20; i++) expect((await broker.run(command)).output).toBe(lines.join(''));
});

test('there is no input, no terminal, no pager and no colour', async () => {
	const broker = await startShellBroker();
	expect(await broker.run('cat; echo $?')).toMatchObject({ output: '0\n' });
	expect(await broker.run('[ -t 0 ] || [ -t 1 ] || [ -t 2 ]')).toMatchObject({ exit_code: 1 });
	expect((await broker.run('(: </dev/tty) 2>&1')).output).toMatch(/No such device or address|Device not configured/);
	expect(
		await broker.run('git init -q . && git -c user.name=a -c user.email=b commit -qm x --allow-empty && git log'),
	).toMatchObject({ exit_code: 0, output: expect.stringMatching(/^commit [0-9a-f]{40}\n/) });
	expect((await broker.run('echo $CONTEXT_BROKER $NO_COLOR $PAGER $GIT_PAGER $TERM')).output).toBe(
		'1 1 cat cat dumb\n',
	);
});

test('it gives no secret of the environment to the command', async () => {
	const env = { GITHUB_TOKEN: 'a', DB: 'postgres://me:secret@host/db', PLAIN: 'kept' };
	const broker = await startShellBroker({ env });
	const { output } = await broker.run('env');
	expect(output).toContain('PLAIN=kept\n');
	expect(output).not.toMatch(/GITHUB_TOKEN|secret/);
});

describe('the folder', () => {
	test('is the project, or counts from it', async () => {
		const broker = await startShellBroker();
		const { home } = broker.user;
		await mkdir(join(home, 'a b', 'c'), { recursive: true });
		await symlink('a b', join(home, 'link'));
		const cases: readonly (readonly [string | undefined, string])[] = [
			[undefined, home],
			['', home],
			['.', home],
			['a b', join(home, 'a b')],
			['./a b/c/', join(home, 'a b', 'c')],
			['a b/..', home],
			[join(home, 'a b'), join(home, 'a b')],
			['link', join(home, 'link')],
		];
		for (const [dir_path, directory] of cases) {
			const more = dir_path === undefined ? {} : { dir_path };
			expect(await broker.run('pwd -P >/dev/null; ls -d .', more), dir_path).toMatchObject({ directory, exit_code: 0 });
		}
		expect((await broker.run('pwd', { dir_path: 'a b' })).output).toBe(`${join(home, 'a b')}\n`);
	});

	test('has to exist and to be one', async () => {
		const broker = await startShellBroker();
		await writeFile(join(broker.user.home, 'file'), '');
		for (const dir_path of ['none', 'file', 'file/x', '~']) {
			const { result } = await broker.call('echo hi', { dir_path });
			expect(result).toMatchObject({ isError: true, _meta: { 'context-broker/error': { code: 'invalid_arguments' } } });
			expect(JSON.stringify(result)).not.toContain(broker.user.home);
		}
	});
});

test('arguments are checked by the broker', async () => {
	const broker = await startShellBroker();
	const wrong: readonly object[] = [
		{},
		{ command: 1 },
		{ command: null },
		{ command: '' },
		{ command: ' \n' },
		{ command: 'echo\0' },
		{ command: ['echo', 'a'] },
		{ command: 'echo', dir_path: 1 },
		{ command: 'echo', dir_path: 'a\0' },
		{ command: 'echo', description: 1 },
		{ command: 'echo', timeout: 5 },
	];
	for (const input of wrong) {
		const { result } = await broker.ask('tools/call', { name: 'run_shell_command', arguments: input });
		expect(result, JSON.stringify(input)).toMatchObject({
			_meta: { 'context-broker/error': { code: 'invalid_arguments' } },
		});
	}
});

test('nothing is left in the temporary folder, and no descriptor stays open', async ({ skip }) => {
	skip(SYSTEM !== 'linux', NEEDS_PROC);
	const broker = await startShellBroker();
	const temporary = join(broker.user.home, 'tmp');
	await mkdir(temporary);
	const other = await startShellBroker({ env: { TMPDIR: temporary } });
	await other.run('true');
	const open = () => readdirSync(`/proc/${other.pid}/fd`).length;
	const before = open();
	for (let i = 0; i < 20; i++) await other.run('echo $(seq 1000)');
	await expect.poll(open).toBeLessThanOrEqual(before);
	expect(readdirSync(temporary)).toEqual([]);
});

test('a command that can not be started is an error', async () => {
	const broker = await startShellBroker();
	// The system counts bytes.
	const { result } = await broker.call(`: ${'é'.repeat(100_000)}`);
	expect(result).toMatchObject({
		isError: true,
		content: [
			{ text: expect.stringMatching(/^command_not_started: .* too long: the system allows at most 128 KiB\./) },
		],
	});
	const elsewhere = await startShellBroker({ env: { PATH: '/nowhere' } });
	expect((await elsewhere.call('echo hi')).result).toMatchObject({
		isError: true,
		content: [{ text: expect.stringMatching(/^command_not_started: .* A program that it needs was not found\./) }],
	});
});

describe('the background', () => {
	test('does not hold up the answer, and its processes are told', async () => {
		const broker = await startShellBroker();
		const seconds = uniqueSeconds();
		const result = await broker.run(`echo hi; (sleep ${seconds}) &`);
		expect(result).toMatchObject({ output: 'hi\n', exit_code: 0 });
		expect(result.background_pids).toEqual(processesWith(seconds));
		expect(result.background_pids).toHaveLength(1);
		const { result: { content, structuredContent } = {} } = await broker.call(
			`sleep ${seconds} & sleep ${seconds} & echo $!`,
		);
		const { background_pids, output } = structuredContent as ShellResult;
		expect(content).toMatchObject([
			{ text: expect.stringContaining(`\nBackground PIDs: ${background_pids.join(', ')}\n`) },
		]);
		expect(background_pids).toContain(Number(output));
	});

	test('is told also where it left the group', async ({ skip }) => {
		skip(SYSTEM !== 'linux', NEEDS_SETSID);
		const broker = await startShellBroker();
		const seconds = uniqueSeconds();
		const { output, background_pids } = await broker.run(`setsid sleep ${seconds} >/dev/null 2>&1 & echo hi`);
		expect(output).toBe('hi\n');
		expect(background_pids).toEqual(processesWith(seconds));
	});

	test('goes on when it prints later', async () => {
		const broker = await startShellBroker();
		await broker.run('(sleep 0.3; for i in $(seq 20000); do echo line $i; done; touch done) & echo hi');
		const { exit_code } = await broker.run('for i in $(seq 100); do [ -e done ] && exit 0; sleep 0.1; done; exit 1');
		expect(exit_code).toBe(0);
	});
});

test('what is protected is kept from commands, also where no hook is asked', async () => {
	const broker = await startShellBroker();
	const inFolder = { dir_path: '.config/context-broker' };
	for (const [command, more] of [
		['cat .config/context-broker/catalog.md', {}],
		['cat catalog.md', inFolder],
		['cat context-map.toml', inFolder],
		['cd .config && cat */*.md', {}],
		['grep -r Jane .', {}],
	] as const) {
		const { result } = await broker.call(command, more);
		expect(result, command).toMatchObject({ _meta: { 'context-broker/error': { code: 'protected_file' } } });
		expect(JSON.stringify(result)).not.toContain('Jane');
	}
	expect(await broker.run('echo catalog')).toMatchObject({ exit_code: 0 });
});

test('a map that can not be read is an error; one with a fault is not, nor is none', async () => {
	const broker = await startShellBroker({ map: '[shell]\ntimeout = 0\n' });
	expect(await broker.run('echo hi')).toMatchObject({ output: 'hi\n' });
	await broker.user.writeMap('[shell\n');
	expect((await broker.call('echo hi')).result).toMatchObject({
		content: [{ text: expect.stringContaining('config_invalid: ') }],
	});
	await rm(broker.user.mapFile);
	expect(await broker.run('echo hi')).toMatchObject({ output: 'hi\n' });
	expect((await broker.finish()).errors).toContain('Line 4, column 1: a time limit must be at least 1 second.');
});

describe('on Windows', () => {
	const powershell = windowsProgram('WindowsPowerShell/v1.0/powershell.exe', process.env);
	const isThere = () => spawnSync(powershell, ['-Command', 'echo there'], { encoding: 'utf8' }).stdout === 'there\r\n';

	test.for([
		['echo "a  b" \'c\\"\'; exit 3', 'a  b\nc\\"\n', 3],
		['echo ünï😀', 'ünï😀\n', 0],
		['using namespace System.Text\n[Encoding]::UTF8.WebName', 'utf-8\n', 0],
		['param($x = 1) $x', '1\n', 0],
		['Get-Content none', /^(?!.*CLIXML)[\s\S]*none/, 1],
	] as const)('PowerShell runs a command: %j', async ([command, output, exit_code], { skip }) => {
		skip(SYSTEM !== 'win32' || !isThere(), 'it needs PowerShell');
		const result = await (await startShellBroker()).run(command);
		expect(result).toMatchObject({
			output: typeof output === 'string' ? output : expect.stringMatching(output),
			exit_code,
		});
	});

	test('a command that is too long is an error', async ({ skip }) => {
		skip(SYSTEM !== 'win32', 'elsewhere the limit is another one');
		const { result } = await (await startShellBroker()).call(`# ${'x'.repeat(40_000)}`);
		expect(result).toMatchObject({
			isError: true,
			content: [{ text: expect.stringMatching(/^command_not_started: .* On Windows, the limit is about 32,000 char/) }],
		});
	});
});
