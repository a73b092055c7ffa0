import { promises } from 'node:fs';
import { chmod, mkdir, readdir, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PrivateSessions } from '../../../server/record/private-sessions.ts';
import { IS_ROOT, NOT_FOR_ROOT } from '../../support/account.ts';
import { temporaryFolder } from '../../support/temporary.ts';

async function create() {
	const folder = join(await temporaryFolder(), 'data', 'private-sessions');
	return { folder, sessions: new PrivateSessions(folder) };
}

test('a session is marked for good, for every process, and for nobody else', async () => {
	const { folder, sessions } = await create();
	expect(await sessions.has('s1')).toBe(false);
	await Promise.all([sessions.add('s1'), sessions.add('s1'), new PrivateSessions(folder).add('s1')]);
	expect(await sessions.has('s1')).toBe(true);
	expect(await new PrivateSessions(folder).has('s1')).toBe(true);
	for (const other of ['s2', 'S1', '', 's1 ', '../s1']) expect(await sessions.has(other), other).toBe(false);
});

test('nothing of the session or of its content is in the file, and only the user can read it', async () => {
	const { folder, sessions } = await create();
	await sessions.add('../session');
	const [name = '', ...others] = await readdir(folder);
	expect(others).toEqual([]);
	expect(name).toMatch(/^[0-9a-f]{32}$/);
	expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
	expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

test('whatever stands in the place of a mark is one', async () => {
	const { folder, sessions } = await create();
	await sessions.add('s1');
	const [name = ''] = await readdir(folder);
	await writeFile(join(folder, name), 'garbage');
	expect(await sessions.has('s1')).toBe(true);
	await truncate(join(folder, name), 0);
	expect(await sessions.has('s1')).toBe(true);

	for (const make of [(path: string) => mkdir(path), (path: string) => symlink('/none', path)]) {
		const other = await create();
		await mkdir(other.folder, { recursive: true });
		await make(join(other.folder, name));
		expect(await other.sessions.has('s1')).toBe(true);
	}
});

test('a folder that leads to itself counts as marks', async () => {
	const folder = join(await temporaryFolder(), 'loop');
	await symlink(folder, folder);
	const sessions = new PrivateSessions(folder);
	expect(await sessions.has('s1')).toBe(true);
	await expect(sessions.add('s1')).rejects.toMatchObject({ code: 'state_unwritable' });
});

test('where nobody can look, every session counts as marked, and none can be marked', async () => {
	const folder = join(await temporaryFolder(), 'file');
	await writeFile(folder, '');
	const sessions = new PrivateSessions(folder);
	expect(await sessions.has('s1')).toBe(true);
	await expect(sessions.add('s1')).rejects.toMatchObject({ code: 'state_unwritable' });
});

test.each(['EACCES', 'EPERM', 'ELOOP', 'EIO', 'ENOTDIR'])(
	'%s keeps from looking, so the session counts as marked',
	async (code) => {
		const { sessions } = await create();
		const looking = vi.spyOn(promises, 'lstat').mockRejectedValue(Object.assign(new Error(code), { code }));
		onTestFinished(() => looking.mockRestore());
		expect(await sessions.has('s1')).toBe(true);
		looking.mockRejectedValue(Object.assign(new Error('ENOENT'), { code: 'ENOENT' }));
		expect(await sessions.has('s1')).toBe(false);
	},
);

test.skipIf(process.platform === 'win32')(
	'a mark is on the disk before it counts: the file, its folder, and a new folder above',
	async () => {
		const { folder, sessions } = await create();
		const done: string[] = [];
		const { open, rename } = promises;
		const spies = [
			vi.spyOn(promises, 'open').mockImplementation(async (path, ...how) => {
				const handle = await open(path, ...how);
				const sync = handle.sync.bind(handle);
				const name = String(path).startsWith(`${folder}/`) ? 'file' : relative(dirname(dirname(folder)), String(path));
				handle.sync = async () => {
					await sync();
					done.push(`sync ${name}`);
				};
				return handle;
			}),
			vi.spyOn(promises, 'rename').mockImplementation(async (from, to) => {
				await rename(from, to);
				done.push('rename');
			}),
		];
		onTestFinished(() => spies.forEach((spy) => void spy.mockRestore()));
		await sessions.add('s1');
		const each = ['sync file', 'rename', 'sync data/private-sessions'];
		expect(done).toEqual([...each, 'sync data', 'sync ']);
		done.length = 0;
		await sessions.add('s2');
		expect(done).toEqual(each);
	},
);

test('the same without permission', async ({ skip }) => {
	skip(IS_ROOT, NOT_FOR_ROOT);
	const { folder, sessions } = await create();
	await sessions.add('s1');
	await chmod(folder, 0o000);
	expect(await sessions.has('s2')).toBe(true);
	await chmod(folder, 0o500);
	await expect(sessions.add('s2')).rejects.toMatchObject({ code: 'state_unwritable' });
	await chmod(folder, 0o700);
});
