import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isCopyOf, SessionCopies } from '../../../server/claude-code/session-copies.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const [FIRST, SECOND] = ['6d02c1c4-85aa-4b17-ae98-b64a5a679cde', '0e0c2907-e159-41c0-8291-fed3468386c6'];

function entries(session: string, ...uuids: readonly string[]): string {
	const mode = JSON.stringify({ type: 'mode', sessionId: session });
	return [mode, ...uuids.map((uuid) => JSON.stringify({ uuid, sessionId: session }))].join('\n');
}

/** Whether the session `new` is a fork, beside `old`, which is marked, and `other`, which is not. */
async function isFork(files: Readonly<Record<string, string>>): Promise<boolean | undefined> {
	const folder = await temporaryFolder();
	for (const [name, text] of Object.entries(files)) await writeFile(join(folder, `${name}.jsonl`), text);
	await mkdir(join(folder, 'old'));
	return await isCopyOf(join(folder, 'new.jsonl'), async (session) => session === 'old');
}

test('a copy of a marked session is one', async () => {
	expect(await isFork({ new: entries('new', FIRST, SECOND), old: entries('old', FIRST) })).toBe(true);
});

test('a session of its own is none, nor is a copy of one that is not marked', async () => {
	expect(await isFork({ new: entries('new', SECOND), old: entries('old', FIRST) })).toBe(false);
	expect(await isFork({ new: entries('new', FIRST), other: entries('other', FIRST) })).toBe(false);
});

test('as long as the transcript does not tell, nobody knows', async () => {
	expect(await isFork({ old: entries('old', FIRST) })).toBeUndefined();
	expect(await isFork({ new: entries('new'), old: entries('old', FIRST) })).toBeUndefined();
});

test('a session is looked at again only as long as its transcript does not tell', async () => {
	const folder = await temporaryFolder();
	const looked: string[] = [];
	const copies = new SessionCopies(async (session) => looked.push(session) > 0);
	const has = async (name: string) =>
		await copies.has({ session_id: name, transcript_path: name === '' ? '' : join(folder, `${name}.jsonl`) });
	await writeFile(join(folder, 'old.jsonl'), entries('old', FIRST));
	expect([await has('new'), await has(''), looked]).toEqual([false, false, []]);
	await writeFile(join(folder, 'new.jsonl'), entries('new', FIRST));
	expect([await has('new'), await has('new'), looked]).toEqual([true, true, ['old']]);
	await writeFile(join(folder, 'third.jsonl'), entries('third', SECOND));
	expect([await has('third'), await has('third'), looked.length]).toEqual([false, false, 3]);
});

test('before the transcript tells, what it can be a copy of counts, where that is asked for', async () => {
	const folder = await temporaryFolder();
	const event = { session_id: 'new', transcript_path: join(folder, 'new.jsonl') };
	const isOld = async (session: string) => session === 'old';
	const sources = async () => [join(folder, 'other.jsonl'), join(folder, 'old.jsonl')];
	expect(await new SessionCopies(isOld).has(event)).toBe(false);
	const copies = new SessionCopies(isOld, sources);
	expect(await copies.has(event)).toBe(true);
	await writeFile(join(folder, 'old.jsonl'), entries('old', FIRST));
	await writeFile(join(folder, 'new.jsonl'), entries('new', SECOND));
	expect(await copies.has(event)).toBe(false);
});
