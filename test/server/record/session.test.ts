import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BrokerError } from '../../../server/errors.ts';
import { type Entry, type Holder, Journal } from '../../../server/record/journal.ts';
import { Session } from '../../../server/record/session.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** A session over a store that is a set, or that fails. */
function create(marked: readonly string[] = [], known: readonly string[] = []) {
	const stored = new Set(marked);
	const setting = { fails: false };
	const reported: string[] = [];
	const journal = {
		add: async (entries: readonly Entry[]) => {
			if (setting.fails) throw new BrokerError('state_unwritable');
			for (const { session, private: isPrivate } of entries) if (isPrivate) stored.add(session);
		},
		holds: async ({ session }: Holder) => stored.has(session),
	};
	const session = new Session(journal, ({ code }) => reported.push(code));
	for (const id of known) void session.track(id);
	return { session, stored, setting, reported };
}

test('a mark counts at once, and is written down for every id that is known', async () => {
	const { session, stored } = create([], ['s0', '']);
	await session.track('s1');
	const marking = session.mark([]);
	expect(session.isPrivate).toBe(true);
	await marking;
	expect([...stored].sort()).toEqual(['s0', 's1']);
});

test('a mark that can not be written down counts all the same, and says so', async () => {
	const { session, setting } = create();
	await session.track('s1');
	setting.fails = true;
	await expect(session.mark([])).rejects.toMatchObject({ code: 'state_unwritable' });
	expect(session.isPrivate).toBe(true);
});

test('the id that follows in the same process gets the mark too', async () => {
	const { session, stored, setting, reported } = create();
	await session.track('s1');
	await session.mark([]);
	await session.track('s2');
	expect([...stored]).toEqual(['s1', 's2']);
	setting.fails = true;
	await session.track('s3');
	expect(reported).toEqual(['state_unwritable']);
	expect(session.isPrivate).toBe(true);
});

test('a session that was marked by an earlier process is so from its first sign on', async () => {
	for (const known of [true, false]) {
		const { session } = create(['s1'], known ? ['s1'] : []);
		if (!known) await session.track('s1');
		await session.refresh();
		expect(session.isPrivate).toBe(true);
		await session.track('s2');
		expect(session.isPrivate).toBe(true);
	}
});

test('another process of the session can mark it at any time, and all ids of this one follow', async () => {
	const { session, stored } = create();
	await session.track('s1');
	await session.track('s2');
	await session.refresh();
	expect(session.isPrivate).toBe(false);
	stored.add('s1');
	await session.track('s1');
	await session.refresh();
	expect(session.isPrivate).toBe(true);
	expect([...stored].sort()).toEqual(['s1', 's2']);
});

test('nothing is answered before a session was looked up, also the second time', async () => {
	let answer = (_isPrivate: boolean) => {};
	const journal = {
		add: async () => {},
		holds: () =>
			new Promise<boolean>((resolve) => {
				answer = resolve;
			}),
	};
	const session = new Session(journal, () => {});
	let resolved = 0;
	const waiting = [session.track('s1'), session.track('s1'), session.refresh()].map((each) =>
		each.then(() => {
			resolved += 1;
		}),
	);
	await new Promise((resolve) => setTimeout(resolve, 20));
	expect(resolved).toBe(0);
	answer(true);
	await Promise.all(waiting);
	expect(session.isPrivate).toBe(true);
});

test('a mark that comes while another id is looked up is passed on to it', async () => {
	let answer = (_isPrivate: boolean) => {};
	const added: string[] = [];
	const journal = {
		add: async (entries: readonly Entry[]) => void added.push(...entries.map(({ session }) => session)),
		holds: async ({ session: id }: Holder) => {
			if (id === 's1') return false;
			return await new Promise<boolean>((resolve) => {
				answer = resolve;
			});
		},
	};
	const session = new Session(journal, () => {});
	await session.track('s1');
	const meeting = session.track('s2');
	await session.markFound();
	answer(false);
	await meeting;
	expect([...new Set(added)].sort()).toEqual(['s1', 's2']);
});

test('where a session can not be looked up, it may hold private data', async () => {
	const holds = async (): Promise<boolean> => {
		throw new Error('broken');
	};
	const session = new Session({ add: async () => {}, holds }, () => {});
	void session.track('s1');
	await session.refresh();
	expect(session.isPrivate).toBe(true);
});

test('an empty id is none', async () => {
	const { session, stored } = create(['']);
	await session.track('');
	expect(session.isPrivate).toBe(false);
	await session.mark([]);
	expect([...stored]).toEqual(['']);
});

describe('who holds private data', () => {
	const SUBAGENT = { session_id: 's1', agent_id: 'a1', agent_type: 'reader', transcript_path: '' };
	const MAIN = { ...SUBAGENT, agent_id: '', agent_type: '' };

	async function processes() {
		const folder = await temporaryFolder();
		return () => new Session(new Journal(folder, Date.now, () => {}), () => {});
	}

	test('an agent that has got some, in every process and session', async () => {
		const start = await processes();
		const first = start();
		await first.mark([{ session: 's1', agent: 'a1', private: true }]);
		for (const each of [first, start()]) {
			expect(await each.holdsPrivateData(SUBAGENT)).toBe(true);
			expect(await each.holdsPrivateData({ ...SUBAGENT, session_id: 's2' })).toBe(true);
			expect(await each.holdsPrivateData({ ...SUBAGENT, agent_id: 'a2' })).toBe(false);
			expect(await each.holdsPrivateData(MAIN)).toBe(false);
		}
	});

	test('the main agent in its own session', async () => {
		const start = await processes();
		const first = start();
		await first.mark([{ session: 's1', agent: '', private: true }]);
		for (const each of [first, start()]) {
			expect(await each.holdsPrivateData(MAIN)).toBe(true);
			expect(await each.holdsPrivateData({ ...MAIN, session_id: 's2' })).toBe(false);
			expect(await each.holdsPrivateData(SUBAGENT)).toBe(false);
		}
	});

	test('a fork of the main agent, and a session that is a copy of its own, but no other agent there', async () => {
		const folder = await temporaryFolder();
		const entry = '{"uuid":"6d02c1c4-85aa-4b17-ae98-b64a5a679cde"}';
		for (const name of ['s1', 'copy']) await writeFile(join(folder, `${name}.jsonl`), entry);
		const within = (session_id: string) => ({ session_id, transcript_path: join(folder, `${session_id}.jsonl`) });
		const session = (await processes())();
		await session.mark([{ session: 's1', agent: '', private: true }]);
		const fork = { ...SUBAGENT, agent_type: 'fork' };
		for (const holder of [
			{ ...fork, ...within('s1') },
			{ ...fork, ...within('copy') },
			{ ...MAIN, ...within('copy') },
		])
			expect(await session.holdsPrivateData(holder), JSON.stringify(holder)).toBe(true);
		for (const other of [
			{ ...SUBAGENT, ...within('s1') },
			{ ...SUBAGENT, ...within('copy') },
			{ ...fork, ...within('s2') },
		])
			expect(await session.holdsPrivateData(other), JSON.stringify(other)).toBe(false);
		expect([
			await session.isCopy({ ...MAIN, ...within('copy') }),
			await session.isCopy({ ...MAIN, ...within('s2') }),
		]).toEqual([true, false]);
	});

	test('everybody, if nobody knows who has got some', async () => {
		const session = (await processes())();
		session.suspectAll();
		expect(await session.holdsPrivateData(MAIN)).toBe(true);
		expect(await session.holdsPrivateData(SUBAGENT)).toBe(true);
	});
});
