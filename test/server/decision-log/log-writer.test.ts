import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Decision } from '../../../server/decision-log/decision.ts';
import { LogWriter } from '../../../server/decision-log/log-writer.ts';
import { loggedIn } from '../../support/decisions.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const LIMIT = 1024 * 1024;
const DECISION: Decision = {
	...{ at: 1, session: 's1', agent: 'a1', type: 'reader', tool: 'load_context' },
	...{ outcome: 'approved', key: 'key-marker' },
};

let data: string;
let folder: string;
let file: string;
let older: string;

beforeEach(async () => {
	data = join(await temporaryFolder(), 'data');
	folder = join(data, 'decisions');
	[file, older] = [join(folder, 'log.jsonl'), join(folder, 'log.1.jsonl')];
});

/** A log with so many bytes. */
async function fill(size: number, path = file): Promise<string> {
	await mkdir(folder, { recursive: true });
	const text = `${'x'.repeat(size - 1)}\n`;
	await writeFile(path, text);
	return text;
}

test('a decision is one line, with a digest in the place of the key', async () => {
	const writer = new LogWriter(data);
	await writer.write(DECISION);
	await writer.write({ ...DECISION, outcome: 'delivered' });
	const records = await loggedIn(data);
	expect(records).toMatchObject([{ outcome: 'approved' }, { outcome: 'delivered' }]);
	expect(records[0]?.key).toMatch(/^[0-9a-f]{12}$/);
	expect(records[0]?.key).toBe(records[1]?.key);
	for (const name of await readdir(folder)) expect(await readFile(join(folder, name), 'latin1')).not.toMatch(/marker/);
});

test('only the user can read it', async () => {
	await new LogWriter(data).write(DECISION);
	expect((await stat(folder)).mode & 0o777).toBe(0o700);
	for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
	expect((await readdir(folder)).sort()).toEqual(['log.jsonl', 'secret']);
});

test('where no key is concerned there is no secret', async () => {
	await new LogWriter(data).write({ ...DECISION, key: undefined });
	expect(await readdir(folder)).toEqual(['log.jsonl']);
});

test('a full log is put aside in the place of the older one, so that there are never more than two', async () => {
	const full = await fill(LIMIT - 10);
	await fill(100, older);
	const writer = new LogWriter(data);
	await writer.write(DECISION);
	expect(await readFile(older, 'utf8')).toBe(full);
	expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(2);
	await writer.write(DECISION);
	expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(3);
	expect((await readdir(folder)).sort()).toEqual(['log.1.jsonl', 'log.jsonl', 'secret']);
});

test('a log that has just room for a line gets it', async () => {
	const writer = new LogWriter(data);
	await writer.write(DECISION);
	const { size } = await stat(file);
	await fill(LIMIT - size);
	await writer.write(DECISION);
	expect((await stat(file)).size).toBe(LIMIT);
	await writer.write(DECISION);
	expect((await stat(older)).size).toBe(LIMIT);
	expect((await stat(file)).size).toBe(size);
});

test('of many writers that come to the bound at once, one puts it aside, and no line is lost', async () => {
	for (let round = 0; round < 5; round += 1) {
		const full = await fill(LIMIT - 2_000);
		const writers = Array.from({ length: 20 }, (_, index) => ({ writer: new LogWriter(data), session: `s${index}` }));
		const numbers = Array.from({ length: 20 }, (_, index) => index);
		await Promise.all(
			writers.map(async ({ writer, session }) => {
				for (const at of numbers) await writer.write({ ...DECISION, session, at });
			}),
		);
		expect((await readFile(older, 'utf8')).startsWith(full)).toBe(true);
		const records = await loggedIn(data);
		expect(records).toHaveLength(400);
		for (const { session } of writers) {
			expect(records.filter((record) => record.session === session).map(({ at }) => at)).toEqual(numbers);
		}
	}
});

test('a lock that a process has left behind when it died does not hold the log up for good', async () => {
	await fill(LIMIT);
	const writer = new LogWriter(data);
	await writeFile(`${file}.lock`, '');
	await writer.write(DECISION);
	expect((await stat(file)).size).toBeGreaterThan(LIMIT);
	const past = new Date(Date.now() - 60_000);
	await utimes(`${file}.lock`, past, past);
	await writer.write(DECISION);
	await writer.write(DECISION);
	expect((await stat(older)).size).toBeGreaterThan(LIMIT);
	expect((await stat(file)).size).toBeLessThan(1_000);
	expect(await readdir(folder)).not.toContain('log.jsonl.lock');
});
