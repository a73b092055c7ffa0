import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, link, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { IS_ROOT, NOT_FOR_ROOT } from '../support/account.ts';
import { brokerEnvironment } from '../support/broker.ts';
import { BOOTSTRAP, PLUGIN_ROOT } from '../support/paths.ts';
import { createUser } from '../support/user.ts';

const KEY = /the key `([^`]+)`/;

/** A user whose map has the scanner's key, and another one, with a project. */
async function setting() {
	const user = await createUser();
	const [, key = ''] = KEY.exec(await readFile(join(PLUGIN_ROOT, 'agents', 'privacy-scanner.md'), 'utf8')) ?? [];
	await user.write('catalog.md', '- Zebulon Quux-Marker\n');
	await user.write('other.md', '- Aloysia Brandenburgh\n');
	await user.writeMap(`[keys]\n${key} = "catalog.md"\nother = "other.md"\n`);
	const project = join(user.home, 'project');
	await mkdir(join(project, 'src'), { recursive: true });
	await writeFile(join(project, 'src', 'a.ts'), 'const a = "Zebulon Quux-Marker";\n');
	await writeFile(join(project, 'b.ts'), 'nobody\n');
	const scan = (...args: readonly string[]) => {
		const options = { cwd: project, env: brokerEnvironment(user.home), encoding: 'utf8' } as const;
		const { status, stdout, stderr } = spawnSync(process.execPath, [BOOTSTRAP, 'scan', ...args], options);
		return { status, stdout, stderr };
	};
	return { user, project, scan };
}

const FOUND = 'src/a.ts:1:12: [context:L1] as written\n';

test('the catalog of the privacy scanner is searched for, and the status says whether something was found', async () => {
	const { scan, project } = await setting();
	const all = scan();
	expect(all).toMatchObject({ status: 1, stdout: expect.stringContaining(FOUND), stderr: '' });
	expect(scan('src')).toMatchObject({ status: 1, stdout: expect.stringContaining(FOUND) });
	expect(scan(join(project, 'b.ts'))).toMatchObject({ status: 0, stdout: expect.stringMatching(/No places; 1 file/) });
	expect(scan('--key', 'other')).toMatchObject({ status: 0, stderr: '' });
	expect(scan('--key=none')).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('unknown_key') });
	expect(scan('nowhere')).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('path_missing') });
	expect(scan('--history')).toMatchObject({ status: 2, stderr: expect.stringContaining('no_history') });
	spawnSync('git', ['init', '-q', project]);
	await writeFile(join(project, '.git', 'index'), 'x');
	expect(scan()).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('git_failed') });
	expect(scan('--ignored')).toMatchObject({ status: 1, stdout: all.stdout });
	for (const { stdout } of [all, scan('--json', '--ignored'), scan('--sarif', '--ignored')])
		expect(stdout).not.toMatch(/zebulon|quux/i);
});

test('a file that is named and cannot be searched is status 2, one in a folder is told', async () => {
	const { scan, project, user } = await setting();
	const folder = join(project, 'pictures');
	await mkdir(folder);
	await writeFile(join(folder, 'a.png'), '\0');
	expect(scan('pictures')).toMatchObject({
		status: 0,
		stdout: expect.stringContaining('binary, no text: 1'),
		stderr: '',
	});
	expect(scan('pictures/a.png', '--json')).toEqual({
		status: 2,
		stdout: '',
		stderr: expect.stringMatching(/Nothing was searched \(not_searched\): .*binary, no text/),
	});
	expect(scan(join(user.configFolder, 'catalog.md'))).toMatchObject({ status: 2, stdout: '' });
});

test('so is a file or folder that may not be read', async ({ skip }) => {
	skip(IS_ROOT, NOT_FOR_ROOT);
	const { scan, project } = await setting();
	for (const path of ['b.ts', 'src']) {
		await chmod(join(project, path), 0);
		expect(scan(path)).toMatchObject({ status: 2, stderr: expect.stringContaining('not readable') });
		await chmod(join(project, path), 0o755);
	}
	await chmod(join(project, 'src'), 0);
	expect(scan()).toMatchObject({ status: 0, stdout: expect.stringContaining('not readable: 1 (src/)') });
	await chmod(join(project, 'src'), 0o755);
});

test('in a terminal, how far it is stands in a line that is gone at the end', async ({ skip }) => {
	skip(spawnSync('script', ['--version']).status !== 0, 'the program "script" makes the terminal, and is not there');
	const { user, project } = await setting();
	const big = join(project, 'big.ts');
	await writeFile(big, 'const filler = "of a line that is in no catalog at all";\n'.repeat(700_000));
	for (let n = 0; n < 20; n++) await link(big, join(project, `big-${n}.ts`));
	const command = `'${process.execPath}' '${BOOTSTRAP}' scan`;
	const env = brokerEnvironment(user.home, { TERM: 'xterm' });
	const options = { cwd: project, env, encoding: 'utf8' } as const;
	const { stdout } = spawnSync('script', ['-qec', `stty cols 80; ${command}`, '/dev/null'], options);
	const lines = stdout.split('\r\u001b[K');
	const bar = /^\[#+-+\] +\d+ % {2}\d+ files? searched, \d places? found …$/;
	expect(lines).toContainEqual(expect.stringMatching(bar));
	expect(lines.at(-1)).toContain(FOUND.trim());
});

test.skipIf(process.platform !== 'linux')('a report that cannot be written is status 2', async () => {
	const { user, project } = await setting();
	const full = await open('/dev/full', 'w');
	const { status, stderr } = spawnSync(process.execPath, [BOOTSTRAP, 'scan', '--key', 'other'], {
		...{ cwd: project, env: brokerEnvironment(user.home), encoding: 'utf8' },
		stdio: ['ignore', full.fd, 'pipe'],
	});
	await full.close();
	expect({ status, stderr }).toEqual({ status: 2, stderr: 'context-broker: The output cannot be written: ENOSPC.\n' });
});

test('a folder elsewhere can be scanned', async () => {
	const { scan, user } = await setting();
	await mkdir(join(user.home, 'elsewhere'));
	await writeFile(join(user.home, 'elsewhere', 'c.ts'), 'Zebulon Quux-Marker');
	expect(scan('../elsewhere').stdout).toContain('c.ts:1:1: [context:L1] as written\n');
});

test('what is wrong with the command is told, with status 2', async () => {
	const { scan } = await setting();
	for (const args of [['--key'], ['a', 'b'], ['--json', '--sarif'], ['--jsn'], ['--json=x']]) {
		expect(scan(...args), args.join(' ')).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(/./) });
	}
});

test('for programs there are JSON and SARIF', async () => {
	const { scan } = await setting();
	expect(JSON.parse(scan('--json').stdout)).toMatchObject({
		total: 1,
		searched: { files: 2 },
		files: [{ path: 'src/a.ts', places: [{ line: 1, column: 12, entry: 1, certainty: 'exact' }] }],
	});
	expect(JSON.parse(scan('--sarif').stdout)).toMatchObject({
		version: '2.1.0',
		runs: [{ results: [{ ruleId: 'private-entry/exact' }] }],
	});
});

test('it works as a hook that keeps a commit from being made', async () => {
	const { project, user } = await setting();
	const env = { ...brokerEnvironment(user.home), GIT_AUTHOR_NAME: 'Jo', GIT_AUTHOR_EMAIL: 'jo@localhost' };
	const git = (...args: readonly string[]) =>
		spawnSync('git', ['-c', 'user.name=Jo', '-c', 'user.email=jo@localhost', ...args], {
			cwd: project,
			env,
			encoding: 'utf8',
		});
	git('init', '-q');
	const hook = join(project, '.git', 'hooks', 'pre-commit');
	const [, script = ''] =
		/```sh\n(#!\/bin\/sh\n.*?)```/s.exec(await readFile(join(PLUGIN_ROOT, 'docs/search.md'), 'utf8')) ?? [];
	await writeFile(hook, script.replace('context-broker', `'${process.execPath}' '${BOOTSTRAP}'`));
	await chmod(hook, 0o755);
	git('add', '.');
	const refused = git('commit', '-m', 'One');
	expect(refused.status).toBe(1);
	expect(refused.stdout + refused.stderr).toContain(FOUND);
	await writeFile(join(project, 'src', 'a.ts'), 'const a = "somebody";\n');
	expect(git('commit', '-m', 'One').status, 'as long as what is staged is as before').toBe(1);
	git('add', '.');
	expect(git('commit', '-qm', 'One').status).toBe(0);
	expect(execFileSync('git', ['-C', project, 'rev-list', '--count', 'HEAD'], { encoding: 'utf8' })).toBe('1\n');
});
