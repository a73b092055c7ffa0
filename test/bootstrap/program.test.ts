import { execFileSync } from 'node:child_process';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { MAY_MOUNT, MAY_NOT_MOUNT } from '../support/account.ts';
import { callRequest, INITIALIZE, initializeAs, KEY_ONLY, loadRequest, startBroker } from '../support/broker.ts';
import { createInstallation, givePackages, type Installation } from '../support/installation.ts';
import { createUser } from '../support/user.ts';

/** An installation that is ready, with the files of its build. */
async function ready(): Promise<Installation & { file(kind: 'cjs' | 'code' | 'later'): string }> {
	const installation = await createInstallation();
	await givePackages(installation.root);
	await installation.run(['prepare']);
	const user = await createUser(installation.env.HOME);
	await user.write('a.md', 'private');
	await user.writeMap('[keys]\nk = "a.md"\n');
	const [build = ''] = await installation.builds();
	const file = (kind: string) => join(installation.data, 'builds', build.replace(/cjs$/, kind));
	return { ...installation, file };
}

function startFrom({ root, env }: Installation, extra: Record<string, string> = {}) {
	const broker = startBroker(env.HOME ?? '', { ...env, ...extra }, [
		process.execPath,
		join(root, 'server', 'bootstrap.cjs'),
	]);
	const ask = async (request: object) => {
		broker.send(request);
		return (await broker.receive()).result;
	};
	return { ...broker, ask };
}

/** A whole session: loads once, and goes on for long enough to keep what V8 has compiled. */
async function session(installation: Installation, waiting: () => Promise<unknown>): Promise<void> {
	const { ask, finish } = startFrom(installation);
	await ask(INITIALIZE);
	expect(await ask(loadRequest(1, 'k'))).toEqual({ content: [{ type: 'text', text: 'private' }] });
	await waiting();
	expect(await finish()).toMatchObject({ code: 0, rest: [], errors: KEY_ONLY });
}

test('a start without what V8 made of the build, or with what is none, takes longer and works', async () => {
	const { run, file } = await ready();
	const whole = await readFile(file('code'));
	expect(whole.length).toBeGreaterThan(100_000);
	for (const damaged of [whole.subarray(0, 1_000), Buffer.alloc(50_001, 7), Buffer.alloc(0)]) {
		await writeFile(file('code'), damaged);
		expect(await run(['--version'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
	}
	await rm(file('code'));
	expect(await run(['--version'])).toMatchObject({ code: 0 });
});

test('a session that has loaded something leaves better code to those after it, once', async () => {
	const installation = await ready();
	const code = installation.file('code');
	const [made, { ino }] = [await readFile(code), await stat(code)];
	await session(installation, () => expect.poll(async () => (await stat(code)).ino).not.toBe(ino));
	const kept = await readFile(code);
	expect(kept.length).toBeGreaterThan(made.length);
	const after = await stat(code);
	await session(installation, () => delay(1_500));
	expect((await stat(code)).ino).toBe(after.ino);

	// As another version of Node would have left it.
	await writeFile(code, Buffer.concat([Buffer.alloc(50_000, 7), kept.subarray(-1)]));
	await session(installation, () =>
		expect.poll(async () => (await readFile(code)).length).toBeGreaterThan(made.length),
	);
});

test('where it can not be written, nothing happens', async ({ skip }) => {
	skip(!MAY_MOUNT, MAY_NOT_MOUNT);
	const installation = await ready();
	const builds = dirname(installation.file('code'));
	execFileSync('mount', ['--bind', '-o', 'ro', builds, builds]);
	onTestFinished(() => void execFileSync('umount', [builds]));
	const { ino } = await stat(installation.file('code'));
	await session(installation, () => delay(1_500));
	expect((await stat(installation.file('code'))).ino).toBe(ino);
});

test('a broker whose build is removed while it runs has all its parts', async () => {
	const installation = await ready();
	const { ask } = startFrom(installation, { CONTEXT_BROKER_ENABLED_TOOLS: 'all' });
	await ask(initializeAs('claude-code', '2.1.332'));
	await rm(join(installation.data, 'builds'), { recursive: true });
	const event = { hook_event_name: 'PreToolUse', session_id: 's', cwd: '/', tool_name: 'Bash', tool_use_id: 't' };
	const command = (text: string) => ({ ...event, tool_input: JSON.stringify({ command: text }) });
	expect(await ask(callRequest(1, 'guard', command('ls')))).toMatchObject({ content: [{ text: '{}' }] });
	expect(await ask(callRequest(2, 'run_shell_command', { command: 'echo here' }, 't2'))).toMatchObject({
		structuredContent: { output: 'here\n' },
	});
});

test('a build of which a part is missing is made anew', async () => {
	const { run, file } = await ready();
	await rm(file('later'));
	expect(await run(['--version'])).toMatchObject({ code: 0, stderr: '' });
	expect((await stat(file('later'))).size).toBeGreaterThan(100_000);
});

test.each<[string, (whole: Buffer) => Buffer]>([
	['is empty', () => Buffer.alloc(0)],
	['is cut', (whole) => whole.subarray(0, 10_000)],
	['holds nothing', (whole) => Buffer.alloc(whole.length)],
])('a build of which a part %s is made anew by the start after the one that needed it', async (_, damage) => {
	const { run, file } = await ready();
	await writeFile(file('later'), damage(await readFile(file('later'))));
	const { code, stderr } = await run(['--version']);
	expect({ code, stderr }).toEqual({ code: 1, stderr: 'context-broker: internal_error: SyntaxError\n' });
	expect(await run(['--version'])).toMatchObject({ code: 0, stderr: '' });
	expect((await stat(file('later'))).size).toBeGreaterThan(100_000);
});
