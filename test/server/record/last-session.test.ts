import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LastSession } from '../../../server/record/last-session.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test('the session that connected last counts, and whether a hook of it has asked', async () => {
	const folder = join(await temporaryFolder(), 'data');
	let now = 1_000;
	const [first, second] = [new LastSession(folder, () => now), new LastSession(folder, () => now)];
	expect(await first.read()).toBeUndefined();
	await first.connected('2.1.126', { file: '/a/map.toml' });
	now = 2_000;
	await first.asked('2.1.126');
	expect(await second.read()).toEqual({
		...{ client: '2.1.126', connected: 1_000, asked: 2_000 },
		...{ map: { file: '/a/map.toml' }, found: '/a/map.toml' },
	});
	await second.connected('2.1.332', { file: '/b/map.toml', error: 'config_missing' });
	expect(await first.read()).toEqual({
		...{ client: '2.1.332', connected: 2_000 },
		...{ map: { file: '/b/map.toml', error: 'config_missing' }, found: '/a/map.toml' },
	});
	expect(await readdir(folder)).toEqual(['last-session.json']);
});

test('what can not be read is as if it were not there', async () => {
	const folder = await temporaryFolder();
	for (const text of ['', '{}', '[1]', '{"client":1,"connected":1}']) {
		await writeFile(join(folder, 'last-session.json'), text);
		expect(await new LastSession(folder, Date.now).read()).toBeUndefined();
	}
});

test('a record without what it says of the map can be read', async () => {
	const folder = await temporaryFolder();
	await writeFile(join(folder, 'last-session.json'), '{"client":"2.1.332","connected":1}');
	expect(await new LastSession(folder, Date.now).read()).toEqual({ client: '2.1.332', connected: 1 });
});

test('where no session has found a map yet, none is noted', async () => {
	const session = new LastSession(await temporaryFolder(), () => 1);
	const map = { file: '/b/map.toml', error: 'config_missing' };
	await session.connected('2.1.332', map);
	expect(await session.read()).toEqual({ client: '2.1.332', connected: 1, map });
});
