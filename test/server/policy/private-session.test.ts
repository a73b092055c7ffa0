import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RUN_SHELL_COMMAND } from '../../../server/claude-code/tools.ts';
import { BrokerError } from '../../../server/errors.ts';
import { PrivateSession } from '../../../server/policy/private-session.ts';
import { createGuard, hookEvent } from '../../support/guard.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const CLAUDE_CODE = { name: 'claude-code', version: '2.1.332' };
const HOOK = { client: CLAUDE_CODE, toolUseId: undefined };
const CALL = { client: CLAUDE_CODE, toolUseId: '1' };
const MAP = { entries: new Map([['k', { path: 'k.md', agents: ['reader'] }]]), off: [], allowTools: [], isolation: [] };
const CALLER = { session: 's1', agent: 'a1', type: 'reader', transcript: '/t.jsonl' };
const APPROVAL = { toolUseId: '1', key: 'k', caller: CALLER };

/** A session over a store that is a set, or that fails. */
function create(marked: readonly string[] = [], known: readonly string[] = []) {
	const stored = new Set(marked);
	const setting = { fails: false };
	const reported: string[] = [];
	const store = {
		add: async (id: string) => {
			if (setting.fails) throw new BrokerError('state_unwritable');
			stored.add(id);
		},
		has: async (id: string) => stored.has(id),
	};
	const session = new PrivateSession(store, ({ code }) => reported.push(code));
	for (const id of known) void session.meet(id);
	return { session, stored, setting, reported };
}

test('a mark counts at once, and is written down for every id that is known', async () => {
	const { session, stored } = create([], ['s0', '']);
	await session.meet('s1');
	const marking = session.mark();
	expect(session.isMarked).toBe(true);
	await marking;
	expect([...stored].sort()).toEqual(['s0', 's1']);
});

test('a mark that can not be written down counts all the same, and says so', async () => {
	const { session, setting } = create();
	await session.meet('s1');
	setting.fails = true;
	await expect(session.mark()).rejects.toMatchObject({ code: 'state_unwritable' });
	expect(session.isMarked).toBe(true);
});

test('the id that follows in the same process gets the mark too', async () => {
	const { session, stored, setting, reported } = create();
	await session.meet('s1');
	await session.mark();
	await session.meet('s2');
	expect([...stored]).toEqual(['s1', 's2']);
	setting.fails = true;
	await session.meet('s3');
	expect(reported).toEqual(['state_unwritable']);
	expect(session.isMarked).toBe(true);
});

test('a session that was marked by an earlier process is so from its first sign on', async () => {
	for (const known of [true, false]) {
		const { session } = create(['s1'], known ? ['s1'] : []);
		if (!known) await session.meet('s1');
		await session.settled();
		expect(session.isMarked).toBe(true);
		await session.meet('s2');
		expect(session.isMarked).toBe(true);
	}
});

test('another process of the session can mark it at any time, and all ids of this one follow', async () => {
	const { session, stored } = create();
	await session.meet('s1');
	await session.meet('s2');
	await session.settled();
	expect(session.isMarked).toBe(false);
	stored.add('s1');
	await session.meet('s1');
	await session.settled();
	expect(session.isMarked).toBe(true);
	expect([...stored].sort()).toEqual(['s1', 's2']);
});

test('nothing is answered before a session was looked up, also the second time', async () => {
	let answer = (_isMarked: boolean) => {};
	const store = {
		add: async () => {},
		has: () =>
			new Promise<boolean>((resolve) => {
				answer = resolve;
			}),
	};
	const session = new PrivateSession(store, () => {});
	let resolved = 0;
	const waiting = [session.meet('s1'), session.meet('s1'), session.settled()].map((each) =>
		each.then(() => {
			resolved += 1;
		}),
	);
	await new Promise((resolve) => setTimeout(resolve, 20));
	expect(resolved).toBe(0);
	answer(true);
	await Promise.all(waiting);
	expect(session.isMarked).toBe(true);
});

test('a mark that comes while another id is looked up is passed on to it', async () => {
	let answer = (_isMarked: boolean) => {};
	const added: string[] = [];
	const store = {
		add: async (id: string) => void added.push(id),
		has: async (id: string) => {
			if (id === 's1') return false;
			return await new Promise<boolean>((resolve) => {
				answer = resolve;
			});
		},
	};
	const session = new PrivateSession(store, () => {});
	await session.meet('s1');
	const meeting = session.meet('s2');
	await session.learn();
	answer(false);
	await meeting;
	expect([...new Set(added)].sort()).toEqual(['s1', 's2']);
});

test('where a session can not be looked up, it may hold private data', async () => {
	const has = async () => {
		throw new Error('broken');
	};
	const session = new PrivateSession({ add: async () => {}, has }, () => {});
	void session.meet('s1');
	await session.settled();
	expect(session.isMarked).toBe(true);
});

test('an empty id is none', async () => {
	const { session } = create(['']);
	await session.meet('');
	expect([session.knows(''), session.isMarked]).toEqual([false, false]);
});

describe('the guard', () => {
	test('marks the session before a private file is given out', async () => {
		const { guard, marked, records } = createGuard(MAP);
		await guard.answer(hookEvent('PreToolUse'), HOOK);
		const noted = guard.note(APPROVAL, '/private/k.md', 'text', true);
		expect(guard.isPrivate).toBe(true);
		await noted;
		expect([...marked]).toEqual(['s1', '\0a1']);
		expect(records).toMatchObject([CALLER]);
	});

	test('waits for a session to be looked up, before it answers and before it lets a command pass', async () => {
		const event = hookEvent('PreToolUse', { tool_name: RUN_SHELL_COMMAND, tool_use_id: '1', tool_input: '{}' });
		for (const how of ['answer', 'permit'] as const) {
			const { guard, marked, setting } = createGuard(MAP);
			if (how === 'permit') await guard.answer(event, HOOK);
			let release = () => {};
			setting.lookUp = new Promise((resolve) => {
				release = resolve;
			});
			let isDone = false;
			const waiting =
				how === 'answer' ? guard.answer(event, HOOK) : guard.passing.permitCommand(CALL, 'echo', '/project');
			const done = waiting.then(() => {
				isDone = true;
			});
			await new Promise((resolve) => setTimeout(resolve, 20));
			expect(isDone, how).toBe(false);
			marked.add('s1');
			release();
			await done;
			expect(guard.isPrivate, how).toBe(true);
		}
	});

	test('knows a session that has loaded before there were marks', async () => {
		const event = hookEvent('PreToolUse', { tool_name: RUN_SHELL_COMMAND, tool_use_id: '1', tool_input: '{}' });
		const { guard, records, marked } = createGuard(MAP);
		records.push({ ...CALLER, since: 0 });
		await guard.answer(event, HOOK);
		await guard.passing.permitCommand(CALL, 'echo', '/project');
		expect([guard.isPrivate, marked.has('s1')]).toEqual([true, true]);
		const other = createGuard(MAP);
		other.records.push({ ...CALLER, since: 0, isPrivate: false }, { ...CALLER, session: 's9', since: 0 });
		await other.guard.answer(event, HOOK);
		await other.guard.passing.permitCommand(CALL, 'echo', '/project');
		expect(other.guard.isPrivate).toBe(false);
	});

	test('knows a copy of a session that holds private data, before a call of its own tools passes', async () => {
		const folder = await temporaryFolder();
		const entry = '{"uuid":"6d02c1c4-85aa-4b17-ae98-b64a5a679cde"}';
		for (const name of ['s1', 'copy']) await writeFile(join(folder, `${name}.jsonl`), entry);
		for (const isMarked of [true, false]) {
			const { guard, marked } = createGuard(MAP);
			if (isMarked) marked.add('s1');
			const place = { session_id: 'copy', transcript_path: join(folder, 'copy.jsonl') };
			const call = { tool_name: RUN_SHELL_COMMAND, tool_use_id: '1', tool_input: '{}' };
			await guard.answer(hookEvent('PreToolUse', { ...place, ...call }), HOOK);
			expect([guard.isPrivate, marked.has('copy')]).toEqual([isMarked, isMarked]);
		}
	});

	test('gives nothing out where the mark can not be written', async () => {
		const { guard, setting, records } = createGuard(MAP);
		await guard.answer(hookEvent('PreToolUse'), HOOK);
		setting.isUnwritable = true;
		const noted = guard.note(APPROVAL, '/private/k.md', 'text', true);
		await expect(noted).rejects.toMatchObject({ code: 'state_unwritable' });
		expect(records).toEqual([]);
	});

	test('marks nothing for a file that is not private', async () => {
		const { guard, marked, records } = createGuard(MAP);
		await guard.answer(hookEvent('PreToolUse'), HOOK);
		await guard.note(APPROVAL, '/private/k.md', 'text', false);
		expect([guard.isPrivate, marked.size]).toEqual([false, 0]);
		expect(records).toMatchObject([{ isPrivate: false }]);
	});

	test('where the key alone decides, the mark lasts as long as the process', async () => {
		const { guard, marked } = createGuard(MAP);
		const other = { client: { name: 'other', version: '1' }, toolUseId: undefined };
		await guard.passing.permitCommand(other, 'echo', '/project');
		expect(guard.isPrivate).toBe(false);
		await guard.note(undefined, '/private/k.md', 'text', true);
		expect([guard.isPrivate, marked.size]).toEqual([true, 0]);
	});

	test('knows the session by the event before the call; without one nobody knows, whatever the environment says', async () => {
		const event = hookEvent('PreToolUse', { tool_name: RUN_SHELL_COMMAND, tool_use_id: '1', tool_input: '{}' });
		for (const environment of [{}, { CLAUDE_CODE_SESSION_ID: 's2' }]) {
			const announced = createGuard(MAP, environment);
			await announced.guard.answer(event, HOOK);
			await announced.guard.passing.permitCommand(CALL, 'echo', '/project');
			expect([announced.guard.isPrivate, announced.marked.size]).toEqual([false, 0]);
			// Hooks can be switched off while the process runs.
			await announced.guard.passing.permitCommand(CALL, 'echo', '/project');
			expect(announced.guard.isPrivate).toBe(true);

			const marked = createGuard(MAP, environment);
			marked.marked.add('s1');
			await marked.guard.answer(event, HOOK);
			expect(marked.guard.isPrivate).toBe(true);

			const unknown = createGuard(MAP, environment);
			await unknown.guard.passing.permitCommand(CALL, 'echo', '/project');
			expect(unknown.guard.isPrivate).toBe(true);
		}
	});
});
