import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { MAY_MOUNT, MAY_NOT_MOUNT } from '../support/account.ts';
import { callRequest, errorCodeOf, INITIALIZE, initializeAs, type Message, startBroker } from '../support/broker.ts';

import { createUser } from '../support/user.ts';

/** Has a folder stand on a file system that never answers: FUSE, with nobody who serves it. */
async function makeHang(folder: string): Promise<void> {
	await mkdir(folder, { recursive: true });
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

interface Session {
	readonly catalog: string;
	readonly gone: string;
	/** What is said to shell commands that come at once, in their order. */
	ask(...commands: readonly string[]): Promise<string[]>;
	/** The same in another folder than the home folder. */
	askIn(cwd: string, ...commands: readonly string[]): Promise<string[]>;
}

/** A broker, with a folder in the home folder whose file system does not answer. */
async function start(map: string, folder = 'gone'): Promise<Session> {
	const user = await createUser();
	const catalog = await user.write('catalog.md', '- Zebulon Quux\n');
	await user.writeMap(map);
	const gone = join(user.home, folder);
	await makeHang(gone);
	const broker = startBroker(user.home);
	// A thread of Node's waits in the kernel until the file system is away.
	onTestFinished(() => void broker.process.kill('SIGKILL'));
	let count = 1;
	const askIn = async (cwd: string, ...commands: readonly string[]): Promise<string[]> => {
		const first = count + 1;
		const requests = commands.map((command) => {
			const tool = { tool_name: 'Bash', tool_use_id: `toolu_${command}`, tool_input: JSON.stringify({ command }) };
			count += 1;
			return callRequest(count, 'guard', { hook_event_name: 'PreToolUse', cwd, ...tool });
		});
		broker.send(...requests);
		const answers: string[] = [];
		for (const _ of requests) {
			const { id, result } = (await broker.receive()) as Message & { result: { content: { text: string }[] } };
			answers[Number(id) - first] = result.content[0]?.text ?? '';
		}
		return answers;
	};
	broker.send(initializeAs('claude-code', '2.1.332'));
	await broker.receive();
	return { catalog, gone, ask: (...commands) => askIn(user.home, ...commands), askIn };
}

const REFUSED = expect.stringContaining('check_timeout: ');

describe('while a file system does not answer', () => {
	beforeEach(({ skip }) => skip(!canHang, `${MAY_NOT_MOUNT} by FUSE`));

	test('calls that name it are refused, however many, and others go on', async () => {
		const { catalog, gone, ask } = await start('[keys]\nk = "catalog.md"\n');
		const named = Array.from({ length: 8 }, (_, file) => `cat ${gone}/${file}.txt`);
		expect(await ask(...named, 'ls src')).toEqual([...named.map(() => REFUSED), '{}']);
		expect(await ask('ls src', `cat ${gone}/*`)).toEqual(['{}', REFUSED]);
		expect(await ask(`cat ${catalog}`)).toEqual([expect.stringContaining('protected_file: ')]);
	});

	test('calls of agents that work there are refused, and those of others go on', async () => {
		const { gone, ask, askIn } = await start('[keys]\nk = "catalog.md"\n');
		const commands = Array.from({ length: 8 }, (_, file) => `ls ${file}`);
		expect(await askIn(gone, ...commands)).toEqual(commands.map(() => REFUSED));
		expect(await ask('ls src')).toEqual(['{}']);
	});

	test('a private file that lies there is kept by its name, and other calls go on', async () => {
		const { catalog, gone, ask } = await start('[keys]\nk = "~/gone/catalog.md"\nl = "catalog.md"\n');
		expect(await ask('ls src')).toEqual(['{}']);
		expect(await ask(`cat ${gone}/catalog.md`, `cat ${catalog}`, 'ls src')).toEqual([
			REFUSED,
			expect.stringContaining('protected_file: '),
			'{}',
		]);
	});

	test('a map that lies there is one that can not be read, and calls go on', async () => {
		const { ask } = await start('[keys]\nk = "catalog.md"\n', '.config/context-broker');
		const commands = Array.from({ length: 8 }, (_, file) => `cat ${file}.txt`);
		// Until it is known that nobody answers, they are refused.
		await ask(...commands);
		expect(await ask('ls src')).toEqual([expect.not.stringContaining('check_timeout: ')]);
	});
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
