import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { digestOf, secretIn } from '../../../server/decision-log/key-digest.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test('a key has one digest in a folder, and another one in another folder', async () => {
	const [folder, other] = [await temporaryFolder(), await temporaryFolder()];
	const digest = digestOf('k', await secretIn(folder));
	expect(digest).toMatch(/^[0-9a-f]{12}$/);
	expect(digestOf('k', await secretIn(folder))).toBe(digest);
	expect(digestOf('l', await secretIn(folder))).not.toBe(digest);
	expect(digestOf('k', await secretIn(other))).not.toBe(digest);
});

test('whoever looks at the same time gets the same secret, which only the user can read', async () => {
	const folder = await temporaryFolder();
	const secrets = await Promise.all(Array.from({ length: 20 }, () => secretIn(folder)));
	const kept = await readFile(join(folder, 'secret'));
	for (const secret of secrets) expect(secret).toEqual(kept);
	expect(kept).toHaveLength(32);
	expect((await stat(join(folder, 'secret'))).mode & 0o777).toBe(0o600);
	expect(await readdir(folder)).toEqual(['secret']);
});

test('a damaged secret is not used', async () => {
	const folder = await temporaryFolder();
	await writeFile(join(folder, 'secret'), 'short');
	await expect(secretIn(folder)).rejects.toThrow('32 bytes were expected');
	expect(await readFile(join(folder, 'secret'), 'utf8')).toBe('short');
});
