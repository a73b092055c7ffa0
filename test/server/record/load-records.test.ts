import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LoadRecords } from '../../../server/record/load-records.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const RECORD = { session: 's1', agent: 'a1', type: 'plugin:agent', transcript: '/p/s1.jsonl' };
const DAY = 24 * 60 * 60 * 1_000;

async function createRecords(folder?: string, clock = { now: 1_000 }) {
	const place = folder ?? join(await temporaryFolder(), 'private-agents');
	const unreadable: string[] = [];
	const records = new LoadRecords(
		place,
		() => clock.now,
		({ code }) => unreadable.push(code),
	);
	return { records, place, clock, unreadable };
}

test('what is private is never taken back by what is not, at whatever time and from whatever process', async () => {
	const { records, place } = await createRecords();
	const other = (await createRecords(place)).records;
	await Promise.all([records.all(), other.all()]);
	for (let agent = 0; agent < 50; agent++) {
		const record = { ...RECORD, agent: `a${agent}` };
		const open = { ...record, isPrivate: false } as const;
		await Promise.all([records.add(open), records.add(record), other.add(open), records.add(open)]);
		for (const one of [records, other, (await createRecords(place)).records]) {
			const own = (await one.all()).filter((each) => each.agent === record.agent);
			expect(own.some(({ isPrivate }) => isPrivate !== false)).toBe(true);
			expect(await one.mayHold(record.session, record.agent)).toBe(true);
		}
	}
});

test('an agent holds private data by a record of that alone, also by one that can not be read', async () => {
	const { records, place } = await createRecords();
	expect(await records.mayHold('s1', 'a1')).toBe(false);
	await records.add({ ...RECORD, isPrivate: false });
	expect(await records.mayHold('s1', 'a1')).toBe(false);
	await records.add(RECORD);
	const [name = ''] = (await readdir(place)).filter((each) => !each.includes('open'));
	for (const text of ['', '{"session":', 'x']) {
		await writeFile(join(place, name), text);
		const fresh = (await createRecords(place)).records;
		await fresh.all();
		expect(await fresh.mayHold('s1', 'a1')).toBe(true);
		expect(await fresh.mayHold('s1', 'a2')).toBe(false);
		expect(await fresh.mayHold('s2', 'a1')).toBe(false);
	}
	const file = join(place, name);
	expect(await (await createRecords(file)).records.mayHold('s1', 'a2')).toBe(true);
});

test('what was added is known to every process, at once', async () => {
	const { records, place } = await createRecords();
	const other = (await createRecords(place)).records;
	expect(await records.all()).toEqual([]);
	expect(await other.all()).toEqual([]);
	await records.add(RECORD);
	await records.add({ ...RECORD, agent: '' });
	const expected = [
		{ ...RECORD, since: 1_000 },
		{ ...RECORD, agent: '', since: 1_000 },
	];
	for (const one of [records, other]) {
		expect(await one.all()).toHaveLength(2);
		expect(await one.all()).toEqual(expect.arrayContaining(expected));
	}
});

test('an agent has one record, however often it loads, from however many processes', async () => {
	const { records, place } = await createRecords();
	await Promise.all(Array.from({ length: 20 }, () => records.add(RECORD)));
	await (await createRecords(place)).records.add(RECORD);
	expect(await readdir(place)).toHaveLength(1);
});

test('only the user can read them, and no name tells anything', async () => {
	const { records, place } = await createRecords();
	await records.add({ ...RECORD, agent: '../../x', session: 'a/b' });
	const [name = ''] = await readdir(place);
	expect(name).toMatch(/^[0-9a-f]{32}\.json$/);
	expect((await stat(join(place, name))).mode & 0o777).toBe(0o600);
	expect((await stat(place)).mode & 0o777).toBe(0o700);
	expect(Object.keys(JSON.parse(await readFile(join(place, name), 'utf8')))).toEqual([
		'session',
		'agent',
		'type',
		'transcript',
		'since',
	]);
});

test('one that can not be written is an error, and leaves nothing', async () => {
	const { records, place } = await createRecords();
	await writeFile(place, 'a file in place of the folder');
	await expect(records.add(RECORD)).rejects.toMatchObject({ code: 'state_unwritable' });
	await rm(place);
	await records.add(RECORD);
	expect(await records.all()).toHaveLength(1);
});

test('one that can not be read is told once, and the others count', async () => {
	const { records, place, unreadable } = await createRecords();
	await records.add(RECORD);
	for (const [name, text] of Object.entries({ a: '', b: 'no JSON', c: '{"agent":1}', d: '{}' })) {
		await writeFile(join(place, `${name}.json`), text);
	}
	await writeFile(join(place, 'notes.txt'), 'not ours');
	for (let turn = 0; turn < 3; turn++) expect(await records.all()).toHaveLength(1);
	expect(unreadable).toEqual(['state_unreadable', 'state_unreadable', 'state_unreadable', 'state_unreadable']);
});

test('after 30 days they go, in whatever process', async () => {
	const { records, place, clock } = await createRecords();
	await records.tidy();
	await records.add(RECORD);
	clock.now += 29 * DAY;
	await records.add({ ...RECORD, agent: 'a2' });
	const later = (await createRecords(place, clock)).records;
	await later.tidy();
	expect(await later.all()).toHaveLength(2);
	clock.now += 2 * DAY;
	await later.tidy();
	expect(await later.all()).toMatchObject([{ agent: 'a2' }]);
	expect(await records.all()).toMatchObject([{ agent: 'a2' }]);
});

test('a folder that is gone is an empty one', async () => {
	const { records, place } = await createRecords();
	await records.add(RECORD);
	await rm(place, { recursive: true });
	expect(await records.all()).toEqual([]);
	await mkdir(place);
	await records.add({ ...RECORD, agent: 'a3' });
	expect(await records.all()).toMatchObject([{ agent: 'a3' }]);
});

test('of many the next process reads one file, and the few that were added since', async () => {
	const { records, place } = await createRecords();
	for (let agent = 0; agent < 30; agent++) await records.add({ ...RECORD, agent: `a${agent}` });
	await records.tidy();
	await records.add({ ...RECORD, agent: 'later' });
	const [gone = ''] = (await readdir(place)).filter((name) => name.endsWith('.json'));
	await rm(join(place, gone));
	const all = await (await createRecords(place)).records.all();
	expect(all).toHaveLength(30);
	expect(new Set(all.map(({ agent }) => agent))).toContain('later');
	// What can't be used costs time only.
	for (const text of ['', '[', '[["x"]]', JSON.stringify([['x.json', { ...RECORD, since: 1 }]])]) {
		await writeFile(join(place, '.all'), text);
		const again = await (await createRecords(place)).records.all();
		expect(again.map(({ agent }) => agent).sort()).toEqual(all.map(({ agent }) => agent).sort());
	}
});

test('a list is made anew when another process adds something, however soon', async () => {
	const { records, place } = await createRecords();
	const other = (await createRecords(place)).records;
	for (let agent = 0; agent < 200; agent++) {
		await other.add({ ...RECORD, agent: `a${agent}` });
		expect(await records.all()).toHaveLength(agent + 1);
	}
});
