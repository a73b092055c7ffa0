import { appendFile, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type Receipt, Receipts } from '../../../server/session-state/receipts.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const CALL: Omit<Receipt, 'at'> = {
	...{ session: 's1', agent: 'a1', type: 'reader', tool: 'mcp__db__query' },
	...{ arguments: 'd', asAsked: undefined, outcome: 'ok', bytes: 1, sha256: 's' },
};
const DAY = 24 * 60 * 60 * 1_000;

let folder: string;
let now: number;
let receipts: Receipts;

beforeEach(async () => {
	folder = join(await temporaryFolder(), 'receipts');
	now = Date.now();
	receipts = new Receipts(folder, () => now);
});

const onlyFile = async () => join(folder, (await readdir(folder))[0] ?? '');

test('are kept by session, in order, and found by another process', async () => {
	await receipts.add(CALL);
	await receipts.add({ ...CALL, agent: 'a2', outcome: 'error' });
	await receipts.add({ ...CALL, session: 's2' });
	const { asAsked, ...kept } = CALL;
	const other = new Receipts(folder, () => 0);
	expect(await other.of('s1')).toEqual([
		{ ...kept, at: now },
		{ ...kept, agent: 'a2', outcome: 'error', at: now },
	]);
	expect(await other.of('s3')).toEqual([]);
});

test('only the user can read them', async () => {
	await receipts.add(CALL);
	expect((await stat(folder)).mode & 0o777).toBe(0o700);
	expect((await stat(await onlyFile())).mode & 0o777).toBe(0o600);
});

test('the newest session is the one that has got one last', async () => {
	expect(await receipts.newest()).toBeUndefined();
	await receipts.add(CALL);
	const past = new Date(now - DAY);
	await utimes(await onlyFile(), past, past);
	await receipts.add({ ...CALL, session: 's2' });
	expect(await receipts.newest()).toBe('s2');
});

test('a line that is no receipt is left out', async () => {
	await receipts.add(CALL);
	await appendFile(await onlyFile(), '{"session":"s1"\n{}\n\n');
	const { asAsked, ...kept } = CALL;
	for (const at of [1e300, -1e300, 1.5]) await appendFile(await onlyFile(), `${JSON.stringify({ ...kept, at })}\n`);
	await receipts.add({ ...CALL, agent: 'a2' });
	expect((await receipts.of('s1')).map(({ agent }) => agent)).toEqual(['a1', 'a2']);
});

test('hold nothing else', async () => {
	await receipts.add(CALL);
	expect(Object.keys(JSON.parse(await readFile(await onlyFile(), 'utf8')))).toEqual([
		...['session', 'agent', 'type', 'tool', 'arguments', 'outcome', 'bytes', 'sha256', 'at'],
	]);
});

test('go after 30 days', async () => {
	await receipts.removeOld();
	await receipts.add(CALL);
	now += 29 * DAY;
	await receipts.removeOld();
	expect(await receipts.of('s1')).toHaveLength(1);
	now += 2 * DAY;
	await receipts.removeOld();
	expect(await readdir(folder)).toEqual([]);
});

test('what can not be written is not lost without a word', async () => {
	await writeFile(folder, '');
	await expect(receipts.add(CALL)).rejects.toMatchObject({ code: 'EEXIST' });
	await expect(receipts.of('s1')).rejects.toMatchObject({ code: 'ENOTDIR' });
});
