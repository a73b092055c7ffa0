import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LastSession } from '../../../server/session-state/last-session.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test('the session that connected last counts, and whether a hook of it has asked', async () => {
	const folder = join(await temporaryFolder(), 'data');
	let now = 1_000;
	const [first, second] = [new LastSession(folder, () => now), new LastSession(folder, () => now)];
	expect(await first.read()).toBeUndefined();
	await first.connected('2.1.126');
	now = 2_000;
	await first.asked('2.1.126');
	expect(await second.read()).toEqual({ client: '2.1.126', connected: 1_000, asked: 2_000 });
	await second.connected('2.1.332');
	expect(await first.read()).toEqual({ client: '2.1.332', connected: 2_000 });
	expect(await readdir(folder)).toEqual(['last-session.json']);
});

test('what can not be read is as if it were not there', async () => {
	const folder = await temporaryFolder();
	for (const text of ['', '{}', '[1]', '{"client":1,"connected":1}']) {
		await writeFile(join(folder, 'last-session.json'), text);
		expect(await new LastSession(folder, Date.now).read()).toBeUndefined();
	}
});
