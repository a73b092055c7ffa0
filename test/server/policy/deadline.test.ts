import { setImmediate as turn } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Schedule, withinDeadline } from '../../../server/policy/deadline.ts';
import { createGuard, hookEvent, loadEvent } from '../../support/guard.ts';

/** A clock that stands still until it is set on. */
function createClock() {
	const waiting = new Map<number, () => void>();
	let count = 0;
	const schedule: Schedule = (work) => {
		count += 1;
		const id = count;
		waiting.set(id, work);
		return () => waiting.delete(id);
	};
	/** Lets each timer that waits go off, so many times. */
	const goOn = (steps: number) => {
		for (let step = 0; step < steps; step++) {
			for (const [id, work] of [...waiting]) {
				waiting.delete(id);
				work();
			}
		}
	};
	return { schedule, goOn, waiting };
}

test('what a decision comes to in time is its answer, and nothing keeps waiting', async () => {
	const { schedule, waiting } = createClock();
	expect(await withinDeadline(async () => 1, schedule)).toBe(1);
	await expect(withinDeadline(() => Promise.reject(new Error('no')), schedule)).rejects.toThrow('no');
	expect(waiting.size).toBe(0);
});

test('a decision that is never made is refused', async () => {
	const { schedule, goOn } = createClock();
	const answer = withinDeadline(() => new Promise(() => {}), schedule);
	goOn(20);
	await expect(answer).rejects.toMatchObject({ code: 'check_timeout' });
});

test('by the clock of the process it is refused after two seconds', async () => {
	const start = performance.now();
	await expect(withinDeadline(() => new Promise(() => {}))).rejects.toMatchObject({ code: 'check_timeout' });
	expect(performance.now() - start).toBeGreaterThan(1_900);
	expect(await withinDeadline(async () => 1)).toBe(1);
});

test('a decision that comes too late knows it, one in time does not', async () => {
	const { schedule, goOn } = createClock();
	let isLate = () => false;
	const answer = withinDeadline(async (late) => {
		isLate = late;
		await new Promise(() => {});
	}, schedule);
	goOn(19);
	await turn();
	expect(isLate()).toBe(false);
	goOn(1);
	await expect(answer).rejects.toMatchObject({ code: 'check_timeout' });
	expect(isLate()).toBe(true);
});

test('what is ready when the time is up is still taken', async () => {
	const { schedule, goOn } = createClock();
	const answer = withinDeadline(() => turn().then(() => 1), schedule);
	goOn(20);
	expect(await answer).toBe(1);
});

test('a process that got no time to run has lost one step only', async () => {
	const { schedule, goOn, waiting } = createClock();
	const { promise, resolve } = withResolvers();
	const answer = withinDeadline(() => promise, schedule);
	goOn(19);
	await turn();
	expect(waiting.size).toBe(1);
	resolve(1);
	expect(await answer).toBe(1);
});

function withResolvers() {
	let resolve: (value: unknown) => void = () => {};
	const promise = new Promise((fulfil) => {
		resolve = fulfil;
	});
	return { promise, resolve };
}

describe('the guard', () => {
	const HOOK = { client: { name: 'claude-code', version: '2.1.332' }, toolUseId: undefined };
	const NEVER = new Promise<void>(() => {});
	const MAP = {
		entries: new Map([['a', { path: 'a.md', agents: undefined }]]),
		off: [],
		allowTools: [],
		isolation: [],
	};
	const refused = {
		hookSpecificOutput: {
			permissionDecision: 'deny',
			permissionDecisionReason: expect.stringMatching(/^check_timeout: .* "context-broker doctor"\.$/),
		},
	};

	test('refuses a load that it cannot check, and an approval that comes too late is not given', async () => {
		const { guard, setting } = createGuard(MAP);
		const { promise, resolve } = withResolvers();
		Object.assign(setting, { isHurried: true, lookUp: promise });
		expect(await guard.answer(loadEvent('1', 'a'), HOOK)).toMatchObject(refused);
		Object.assign(setting, { isHurried: false, lookUp: Promise.resolve() });
		resolve(undefined);
		await turn();
		const call = { client: HOOK.client, toolUseId: '1' };
		expect(() => guard.admit(call, 'a')).toThrow(expect.objectContaining({ code: 'caller_unverified' }));
		expect(await guard.answer(loadEvent('2', 'a'), HOOK)).toMatchObject({
			hookSpecificOutput: { permissionDecision: 'allow' },
		});
	});

	test('refuses other calls that it cannot check', async () => {
		const { guard, setting } = createGuard(MAP);
		Object.assign(setting, { isHurried: true, lookUp: NEVER });
		const event = hookEvent('PreToolUse', { tool_name: 'Bash', tool_input: '{"command":"ls"}', tool_use_id: '1' });
		expect(await guard.answer(event, HOOK)).toMatchObject(refused);
	});

	// The first import takes its time here, not in a build.
	beforeAll(async () => {
		await Promise.all([import('../../../server/policy/attachments.ts'), import('../../../server/paths/reached-by.ts')]);
	});

	/** What is said to a shell command, if one folder's file system does not answer. */
	async function askWithout(folder: string, command: string) {
		const { guard, setting } = createGuard(MAP);
		setting.look = async (path) => (path.includes(folder) ? await NEVER : undefined);
		setting.isHurried = true;
		const tool = { tool_name: 'Bash', tool_input: JSON.stringify({ command }), tool_use_id: '1' };
		return await guard.answer(hookEvent('PreToolUse', { ...tool, agent_id: '', agent_type: '' }), HOOK);
	}

	test.each(['ls src', 'cat /other/a.txt', 'echo "gone"'])(
		'lets %j pass while a network drive is gone',
		async (command) => {
			expect(await askWithout('/gone/', command)).toEqual({});
		},
	);

	test.each(['cat /gone/a.txt', 'cat "~/gone/a.txt"', 'ls gone/a.txt', 'tool --file=/gone/a.txt'])(
		'refuses %j then',
		async (command) => {
			expect(await askWithout('/gone/', command)).toMatchObject(refused);
		},
	);

	test('refuses what names a private file that lies there, and lets pass what does not', async () => {
		expect(await askWithout('/private/', 'cat /private/a.md')).toMatchObject(refused);
		expect(await askWithout('/private/', 'ls src')).toEqual({});
	});

	test('withholds an answer that cannot be checked in time, and a notification', async () => {
		const { guard, setting } = createGuard(MAP);
		setting.files['/private/a.md'] = '- Zebulon Quux\n';
		await guard.answer(loadEvent('1', 'a'), HOOK);
		const approval = guard.admit({ client: HOOK.client, toolUseId: '1' }, 'a');
		await guard.note(approval, '/private/a.md', '- Zebulon Quux\n', true);
		// Whether the session is private is looked up in files.
		Object.assign(setting, { isHurried: true, lookUp: NEVER });
		const response = { agentId: 'a1', content: [{ type: 'text', text: 'Zebulon Quux' }] };
		const session_id = 's2';
		const tool = {
			tool_name: 'Agent',
			agent_id: '',
			agent_type: '',
			tool_response: JSON.stringify(response),
			session_id,
		};
		expect(JSON.stringify(await guard.answer(hookEvent('PostToolUse', tool), HOOK))).not.toContain('Zebulon');
		const prompt = '<task-notification><result>Zebulon Quux</result></task-notification>';
		expect(await guard.answer(hookEvent('UserPromptSubmit', { prompt, agent_id: '', session_id }), HOOK)).toMatchObject(
			{
				decision: 'block',
			},
		);
	});
});
