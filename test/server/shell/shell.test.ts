import { mkdir, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BrokerError } from '../../../server/errors.ts';
import { procOf } from '../../../server/processes/process-table.ts';
import type { ProcessTreeId } from '../../../server/processes/process-tree.ts';
import { processTreesOn } from '../../../server/processes/process-tree.ts';
import { type CommandRequest, Shell, type ShellOptions } from '../../../server/shell/shell.ts';
import { expectSleeping, uniqueSeconds } from '../../support/shell.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const now = () => performance.now();

/** A shell on this machine, with what the watchdog was told. */
function createShell(more: Partial<ShellOptions> = {}) {
	const watched = new Map<string, ProcessTreeId>();
	const told: string[] = [];
	const shell = new Shell({
		environment: { PATH: process.env.PATH },
		platform: 'linux',
		folder: tmpdir(),
		isolation: {
			prepare:
				async () =>
				({ args }) => ({ program: 'bash', args: ['-c', 'echo isolated', ...args] }),
		},
		watchdog: {
			watch: (id) => {
				told.push(id.group === undefined ? 'before' : 'watch');
				watched.set(id.commandId, id);
			},
			forget: (id) => {
				told.push('forget');
				watched.delete(id);
			},
		},
		treeOf: processTreesOn('linux', now),
		processOf: procOf,
		now,
		...more,
	});
	onTestFinished(async () => {
		await shell.close();
		for (const id of watched.values()) await processTreesOn('linux', now)(id).end();
	});
	return { shell, watched, told };
}

function request(command: string, more: Partial<CommandRequest> = {}): CommandRequest {
	return {
		command,
		directory: tmpdir(),
		limits: { idle: 60_000, total: 60_000 },
		signal: new AbortController().signal,
		isPrivate: () => false,
		onProgress: undefined,
		...more,
	};
}

test('a command that is asked for while private context comes runs isolated, or not at all', async () => {
	let isPrivate = false;
	const { shell } = createShell();
	const running = shell.run(request('echo open', { isPrivate: () => isPrivate }));
	isPrivate = true;
	expect(await running).toMatchObject({ output: 'isolated\n', isNetworkIsolated: true });

	isPrivate = false;
	const without = createShell({
		isolation: {
			prepare: async () => {
				throw new BrokerError('network_isolation_unavailable');
			},
		},
	}).shell;
	const refused = without.run(request('echo open', { isPrivate: () => isPrivate }));
	isPrivate = true;
	await expect(refused).rejects.toMatchObject({ code: 'network_isolation_unavailable' });
});

test('the watchdog knows of a command before it starts, and until nothing of it is left', async () => {
	const { shell, told, watched } = createShell();
	await shell.run(request('true'));
	expect(told).toEqual(['before', 'watch', 'forget']);
	expect(watched.size).toBe(0);

	told.length = 0;
	const { background } = await shell.run(request('sleep 100 &'));
	expect(told).toEqual(['before', 'watch', 'watch']);
	const [id] = [...watched.values()];
	expect(id?.seen).toEqual(background.map((pid) => procOf(pid)?.identity));

	told.length = 0;
	await expect(shell.run(request('true', { directory: '/none' }))).rejects.toMatchObject({
		code: 'command_not_started',
	});
	expect(told).toEqual(['before', 'forget']);
});

test('a command that was cancelled before is not started', async () => {
	const { shell, told } = createShell();
	const result = await shell.run(request('echo', { signal: AbortSignal.abort() }));
	expect(result).toMatchObject({ stopped: 'cancelled', group: undefined, exitCode: undefined, output: '' });
	expect(told).toEqual([]);
});

test('when the shell closes, what runs is stopped', async () => {
	const { shell } = createShell();
	const seconds = uniqueSeconds();
	const running = shell.run(request(`echo before; sleep ${seconds}`));
	await expectSleeping(seconds);
	await shell.close();
	expect(await running).toMatchObject({ stopped: 'closing', output: 'before\n' });
	expect(await shell.run(request('echo after'))).toMatchObject({ stopped: 'closing', group: undefined, output: '' });
});

test('where there is no way to a pipe, the command is not started', async () => {
	const { shell } = createShell({ folder: '/none' });
	const error = { code: 'command_not_started', message: expect.stringContaining('(TMPDIR) does not exist') };
	await expect(shell.run(request('true'))).rejects.toMatchObject(error);
	await expect(shell.run(request('true'))).rejects.toMatchObject(error);
	// Takes a folder, but no pipe in it: that path would be too long.
	const parent = await temporaryFolder();
	const folder = join(parent, `${'x'.repeat(200)}/`.repeat(30)).slice(0, 4_070);
	await mkdir(folder, { recursive: true });
	await expect(createShell({ folder }).shell.run(request('true'))).rejects.toMatchObject(error);
	expect(await readdir(folder)).toEqual([]);
});
