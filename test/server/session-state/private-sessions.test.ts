import { chmod, mkdir, readdir, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PrivateSessions } from '../../../server/session-state/private-sessions.ts';
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

test.skipIf(process.getuid?.() === 0)('the same without permission', async () => {
	const { folder, sessions } = await create();
	await sessions.add('s1');
	await chmod(folder, 0o000);
	expect(await sessions.has('s2')).toBe(true);
	await chmod(folder, 0o500);
	await expect(sessions.add('s2')).rejects.toMatchObject({ code: 'state_unwritable' });
	await chmod(folder, 0o700);
});
