import { execFileSync } from 'node:child_process';
import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { MAY_MOUNT, MAY_NOT_MOUNT } from '../support/account.ts';
import { callRequest, INITIALIZE, initializeAs, KEY_ONLY, loadRequest, startBroker } from '../support/broker.ts';
import { asking, createInstallation, givePackages, type Installation, outcome } from '../support/installation.ts';
import { BOOTSTRAP } from '../support/paths.ts';
import { createUser } from '../support/user.ts';

type FileOfBuild = (kind: 'cjs' | 'code' | 'later') => string;

async function filesOfBuild(data: string): Promise<FileOfBuild> {
	const name = (await readdir(join(data, 'builds'))).find((each) => each.endsWith('.cjs')) ?? '';
	return (kind) => join(data, 'builds', name.replace(/cjs$/, kind));
}

/** An installation that is ready, with the files of its build. */
async function ready(): Promise<Installation & { file: FileOfBuild }> {
	const installation = await createInstallation();
	await givePackages(installation.root);
	await installation.run(['prepare']);
	return { ...installation, file: await filesOfBuild(installation.data) };
}

/** The real broker with a build of its own. */
async function realBroker() {
	const user = await createUser();
	await user.write('a.md', 'private');
	await user.writeMap('[keys]\nk = "a.md"\n');
	const data = join(user.home, 'data');
	await cp(inject('preparedData'), data, { recursive: true });
	const start = (extra: Record<string, string> = {}, ...args: string[]) => {
		const command = [process.execPath, BOOTSTRAP, ...args] as const;
		const broker = startBroker(user.home, { CLAUDE_PLUGIN_DATA: data, ...extra }, [...command]);
		const ask = async (request: object) => {
			broker.send(request);
			return (await broker.receive()).result;
		};
		return { ...broker, ask };
	};
	return { data, file: await filesOfBuild(data), start };
}

const SERVED = { code: 0, stdout: 'served x\n', stderr: '' };

test('a start without what V8 made of the build, or with what is none, takes longer and works', async () => {
	const { run, file } = await ready();
	const whole = await readFile(file('code'));
	const altered = Buffer.from(whole).fill(7, 200, 2_000);
	for (const damaged of [altered, whole.subarray(0, 1_000), Buffer.alloc(50_001, 7), Buffer.alloc(0)]) {
		await writeFile(file('code'), damaged);
		expect(await run(['x'])).toEqual(SERVED);
	}
	await rm(file('code'));
	expect(await run(['x'])).toEqual(SERVED);
});

test('a session that has loaded something leaves better code to those after it', async () => {
	const { start, file } = await realBroker();
	const [made, { ino }] = [await readFile(file('code')), await stat(file('code'))];
	const { ask, finish } = start();
	await ask(INITIALIZE);
	expect(await ask(loadRequest(1, 'k'))).toEqual({ content: [{ type: 'text', text: 'private' }] });
	await expect.poll(async () => (await stat(file('code'))).ino).not.toBe(ino);
	expect((await readFile(file('code'))).length).toBeGreaterThan(made.length);
	expect(await finish()).toMatchObject({ code: 0, rest: [], errors: KEY_ONLY });
});

test('such code is left once, and again where it is that of another version of Node', async () => {
	const { start, file } = await ready();
	const inodeAfterSession = async () => {
		expect(await asking(start([]))('save')).toBe('save\n');
		return (await stat(file('code'))).ino;
	};
	const first = await inodeAfterSession();
	expect(await inodeAfterSession()).toBe(first);
	await writeFile(file('code'), Buffer.concat([Buffer.alloc(50_000, 7), Buffer.of(1)]));
	expect(await inodeAfterSession()).not.toBe(first);
});

test('where it can not be written, nothing happens', async ({ skip }) => {
	skip(!MAY_MOUNT, MAY_NOT_MOUNT);
	const { start, file } = await ready();
	const builds = dirname(file('code'));
	execFileSync('mount', ['--bind', '-o', 'ro', builds, builds]);
	onTestFinished(() => void execFileSync('umount', [builds]));
	const { ino } = await stat(file('code'));
	const server = start([]);
	const ended = outcome(server);
	server.stdin?.end('save\nx\n');
	expect(await ended).toEqual({ code: 0, stdout: 'save\nserved x\n', stderr: '' });
	expect((await stat(file('code'))).ino).toBe(ino);
});

test('a broker whose build is removed while it runs has all its parts', async () => {
	const { start, data } = await realBroker();
	const { ask } = start({ CONTEXT_BROKER_ENABLED_TOOLS: 'all' });
	await ask(initializeAs('claude-code', '2.1.332'));
	await rm(join(data, 'builds'), { recursive: true });
	const event = { hook_event_name: 'PreToolUse', session_id: 's', cwd: '/', tool_name: 'Bash', tool_use_id: 't' };
	const command = (text: string) => ({ ...event, tool_input: JSON.stringify({ command: text }) });
	expect(await ask(callRequest(1, 'guard', command('ls')))).toMatchObject({ content: [{ text: '{}' }] });
	expect(await ask(callRequest(2, 'run_shell_command', { command: 'echo here' }, 't2'))).toMatchObject({
		structuredContent: { output: 'here\n' },
	});
});

test('a build of which a part is missing is made anew', async () => {
	const { run, file } = await ready();
	const { size } = await stat(file('later'));
	await rm(file('later'));
	expect(await run(['x'])).toEqual(SERVED);
	expect((await stat(file('later'))).size).toBe(size);
});

test.each<[string, (whole: Buffer) => Buffer]>([
	['is empty', () => Buffer.alloc(0)],
	['is cut', (whole) => whole.subarray(0, 1_000)],
	['holds nothing', (whole) => Buffer.alloc(whole.length)],
])('a build of which a part %s is made anew by the start after the one that needed it', async (_, damage) => {
	const { run, file } = await ready();
	const whole = await readFile(file('later'));
	await writeFile(file('later'), damage(whole));
	expect((await run(['x'])).code).toBe(1);
	expect(await run(['x'])).toEqual(SERVED);
	expect((await readFile(file('later'))).length).toBe(whole.length);
});

test('a part that is damaged is told in a line', async () => {
	const { start, file } = await realBroker();
	await writeFile(file('later'), '');
	const expected = { code: 1, errors: 'context-broker: internal_error: SyntaxError\n' };
	expect(await start({}, '--version').finish()).toMatchObject(expected);
});
