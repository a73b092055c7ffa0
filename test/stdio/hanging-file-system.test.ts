import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { MAY_MOUNT, MAY_NOT_MOUNT } from '../support/account.ts';
import { callRequest, errorCodeOf, INITIALIZE, initializeAs, type Message, startBroker } from '../support/broker.ts';
import { createUser } from '../support/user.ts';

/** Has a folder stand on a file system that never answers: FUSE, with nobody who serves it. */
async function makeHang(folder: string): Promise<void> {
	await mkdir(folder);
	const script = `exec 3<>/dev/fuse
		mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 none "$0" && echo mounted && cat`;
	const holder = spawn('sh', ['-c', script, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
	onTestFinished(async () => {
		spawnSync('umount', ['--lazy', folder]);
		// What waits for it fails when nobody can serve it any more.
		holder.stdin.end();
		await once(holder, 'exit');
	});
	await once(holder.stdout, 'data');
}

const canHang = MAY_MOUNT && existsSync('/dev/fuse');

test('a call that names a file system that does not answer is refused, and others go on', async ({ skip }) => {
	skip(!canHang, `${MAY_NOT_MOUNT} by FUSE`);
	const user = await createUser();
	await user.write('catalog.md', '- Zebulon Quux\n');
	await user.writeMap('[keys]\nk = "catalog.md"\n');
	const gone = join(user.home, 'gone');
	await makeHang(gone);
	const broker = startBroker(user.home);
	// A thread of Node's waits in the kernel until the file system is away.
	onTestFinished(() => void broker.process.kill('SIGKILL'));
	const ask = async (...commands: readonly string[]): Promise<Message[]> => {
		const requests = commands.map((command, id) => {
			const tool = { tool_name: 'Bash', tool_use_id: `toolu_${command}`, tool_input: JSON.stringify({ command }) };
			return callRequest(id + 1, 'guard', { hook_event_name: 'PreToolUse', cwd: user.home, ...tool });
		});
		broker.send(...requests);
		const answers = [];
		for (const _ of requests) answers.push(await broker.receive());
		return answers;
	};
	broker.send(initializeAs('claude-code', '2.1.332'));
	await broker.receive();
	const [other, refused] = await ask(`cat ${gone}/a.txt`, 'ls src');
	expect(other).toMatchObject({ id: 2, result: { content: [{ text: '{}' }] } });
	expect(JSON.stringify(refused)).toContain('check_timeout: ');
	expect(await ask('ls src')).toMatchObject([{ result: { content: [{ text: '{}' }] } }]);
});

test('loads of files on such a file system fail after ten seconds, and another one is answered before', async ({
	skip,
}) => {
	skip(!canHang, `${MAY_NOT_MOUNT} by FUSE`);
	const user = await createUser();
	await user.write('catalog.md', '- Zebulon Quux\n');
	const gone = join(user.home, 'gone');
	const names = Array.from({ length: 8 }, (_, index) => `k${index}`);
	await user.writeMap(
		`[keys]\nhere = "catalog.md"\n${names.map((name) => `${name} = "${gone}/${name}.md"\n`).join('')}`,
	);
	await makeHang(gone);
	const broker = startBroker(user.home);
	onTestFinished(() => void broker.process.kill('SIGKILL'));
	broker.send(INITIALIZE);
	await broker.receive();
	broker.send(...[...names, 'here'].map((key, id) => callRequest(id, 'load_context', { key })));
	expect(await broker.receive()).toMatchObject({
		id: names.length,
		result: { content: [{ text: '- Zebulon Quux\n' }] },
	});
	for (const _ of names) {
		const { result } = await broker.receive();
		expect(errorCodeOf(result)).toBe('file_unreadable');
		expect(JSON.stringify(result)).toContain('did not answer within 10 seconds');
	}
});
