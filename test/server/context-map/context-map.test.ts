import { appendFile, chmod, mkdir, rename, rm, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ContextMap } from '../../../server/context-map/context-map.ts';
import { BrokerError } from '../../../server/errors.ts';
import { temporaryFolder } from '../../support/temporary.ts';

interface Setting {
	readonly file: string;
	readonly map: ContextMap;
	/** A path in the map's folder, or on its drive. */
	at(path: string): string;
	/** Where a key leads; `none` if the map does not have it. @throws BrokerError */
	pathOf(key: string): Promise<string>;
	/** The same for `k`, or the error's code. */
	lookUp(): Promise<string>;
}

async function createMap(text?: string | Uint8Array): Promise<Setting> {
	const file = join(await temporaryFolder(), 'context-map.toml');
	if (text !== undefined) await writeFile(file, text);
	const map = new ContextMap(file, '/home/jo');
	async function pathOf(key: string): Promise<string> {
		const entry = (await map.read()).entries.get(key);
		return entry === undefined ? 'none' : map.resolve(entry);
	}
	return {
		file,
		map,
		at: (path) => resolve(dirname(file), path),
		pathOf,
		lookUp: () =>
			pathOf('k').catch((error: unknown) => {
				if (error instanceof BrokerError) return error.code;
				throw error;
			}),
	};
}

test('a key leads to an absolute path', async () => {
	const { pathOf, at } = await createMap('[keys]\na = "/of/a.md"\nb = "~/b.md"\nc = "c.md"\n');
	expect(await pathOf('a')).toBe(at('/of/a.md'));
	expect(await pathOf('b')).toBe(join('/home/jo', 'b.md'));
	expect(await pathOf('c')).toBe(at('c.md'));
});

test('a relative path counts from where the map stands, also where that is a link', async () => {
	const elsewhere = join(await temporaryFolder(), 'dotfile.toml');
	await writeFile(elsewhere, '[keys]\nk = "a.md"');
	const { lookUp, file, at } = await createMap();
	await symlink(elsewhere, file);
	expect(await lookUp()).toBe(at('a.md'));
});

test('a byte-order mark does not matter', async () => {
	const { lookUp, at } = await createMap('\ufeff[keys]\nk = "/a.md"\n');
	expect(await lookUp()).toBe(at('/a.md'));
});

describe('what is no map', () => {
	test('none', async () => {
		expect(await (await createMap()).lookUp()).toBe('config_missing');
	});

	test('a link to nothing', async () => {
		const { lookUp, file } = await createMap();
		await symlink('none', file);
		expect(await lookUp()).toBe('config_missing');
	});

	test('a folder in its place', async () => {
		const { lookUp, file } = await createMap();
		await mkdir(file);
		expect(await lookUp()).toBe('config_unreadable');
	});

	test('a file in place of its folder', async () => {
		const { file } = await createMap('');
		const map = new ContextMap(join(file, 'context-map.toml'), '/home/jo');
		await expect(map.read()).rejects.toMatchObject({ code: 'config_missing' });
	});

	test.each([
		['UTF-16', Buffer.from('\ufeff[keys]\nk = "a.md"', 'utf16le')],
		['Latin-1', Buffer.from('[keys]\nk = "\u00e9.md"', 'latin1')],
	])('%s', async (_, text) => {
		expect(await (await createMap(text)).lookUp()).toBe('config_invalid');
	});

	test('where it was looked for is told on standard error only', async () => {
		const { map, file } = await createMap();
		const error = await map.read().catch((thrown: BrokerError) => thrown);
		expect(error).toMatchObject({ note: `The map is looked for at ${file}` });
		expect(`${(error as BrokerError).message} ${(error as BrokerError).next}`).not.toContain(dirname(file));
	});
});

describe('a change counts at the next look-up', () => {
	test('an edit, however quick and of the same length', async () => {
		const { lookUp, file, at } = await createMap();
		for (let turn = 0; turn < 10; turn++) {
			await writeFile(file, `[keys]\nk = "/${turn}.md"\n`);
			expect(await lookUp()).toBe(at(`/${turn}.md`));
		}
	});

	test('an edit that keeps size and time', async () => {
		const { lookUp, file, at } = await createMap('[keys]\nk = "/a.md"\n');
		await utimes(file, 1_000, 1_000);
		expect(await lookUp()).toBe(at('/a.md'));
		await writeFile(file, '[keys]\nk = "/b.md"\n');
		await utimes(file, 1_000, 1_000);
		expect(await lookUp()).toBe(at('/b.md'));
	});

	test('a replacement by rename', async () => {
		const { lookUp, file, at } = await createMap('[keys]\nk = "/a.md"\n');
		expect(await lookUp()).toBe(at('/a.md'));
		await writeFile(`${file}.new`, '[keys]\nk = "/b.md"\n');
		await rename(`${file}.new`, file);
		expect(await lookUp()).toBe(at('/b.md'));
	});

	test('a replacement by a link', async () => {
		const { lookUp, file, at } = await createMap('[keys]\nk = "/a.md"\n');
		expect(await lookUp()).toBe(at('/a.md'));
		await writeFile(`${file}.other`, '[keys]\nk = "/c.md"\n');
		await unlink(file);
		await symlink(`${file}.other`, file);
		expect(await lookUp()).toBe(at('/c.md'));
	});

	test('a map that breaks, goes and comes back', async () => {
		const { lookUp, file, at } = await createMap('[keys]\nk = "/a.md"\n');
		expect(await lookUp()).toBe(at('/a.md'));
		await writeFile(file, '[keys]\nk = ');
		expect(await lookUp()).toBe('config_invalid');
		await rm(file);
		expect(await lookUp()).toBe('config_missing');
		await writeFile(file, '[keys]\nk = "/a.md"\n');
		await chmod(file, 0o600);
		expect(await lookUp()).toBe(at('/a.md'));
	});
});

test('a map of 10,000 keys serves each of them', async () => {
	const keys = Array.from({ length: 10_000 }, (_, index) => `key-${index}`);
	const { pathOf, at } = await createMap(`[keys]\n${keys.map((key) => `${key} = "/files/${key}.md"`).join('\n')}\n`);
	for (const key of ['key-0', 'key-5000', 'key-9999']) expect(await pathOf(key)).toBe(at(`/files/${key}.md`));
	expect(await pathOf('key-10000')).toBe('none');
});

test('a map of 16 MiB is served, and a larger one is not even parsed', async () => {
	const beginning = '[keys]\nk = "/a.md"\n#';
	const { file, lookUp, map, at } = await createMap(beginning.padEnd(16 * 1024 * 1024, 'x'));
	expect(await lookUp()).toBe(at('/a.md'));
	await appendFile(file, 'x');
	await expect(map.read()).rejects.toMatchObject({
		code: 'config_unreadable',
		message: expect.stringContaining('larger than 16 MiB'),
	});
});
