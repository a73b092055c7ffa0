import { expect, test } from 'vitest';
import { Errands } from '../../../../server/policy/tool-isolation/errands.ts';
import type { Errand } from '../../../../server/policy/tool-isolation/hand-over.ts';

const ECHO = { server: 's', tool: 'echo', name: 'mcp__s__echo', arguments: { a: 1 } };
const ADD = { ...ECHO, tool: 'add', name: 'mcp__s__add' };

const MAIN = { session_id: 's1', agent_id: '' };

function create() {
	let number = 0;
	return new Errands(() => {
		number += 1;
		return String(number);
	});
}

function start(errands: Errands, toolUseId: string, errand: Errand) {
	const planned = errands.plan(errand, MAIN);
	errands.start(toolUseId, planned);
	return planned;
}

test('an executor is told from another by its description', () => {
	const errands = create();
	const [echo, add] = [start(errands, 'u1', ECHO), start(errands, 'u2', ADD)];
	expect([echo.description, add.description]).toEqual(['echo of s (1)', 'add of s (2)']);
	expect(errands.of('a2')).toBeUndefined();
	expect(errands.bind('a2', 'add of s (2)')).toBe(add);
	expect(errands.of('a2')).toBe(add);
	expect(errands.startedBy('u1')).toBe(echo);
});

test('the same errand twice is two', () => {
	const errands = create();
	start(errands, 'u1', ECHO);
	const second = start(errands, 'u2', ECHO);
	expect(errands.bind('a1', second.description)).toBe(second);
	expect(errands.bind('a2', second.description)).toBeUndefined();
});

test('where Claude Code tells no description, it is certain only if there is one', () => {
	const errands = create();
	expect(errands.bind('a1', undefined)).toBeUndefined();
	const echo = start(errands, 'u1', ECHO);
	start(errands, 'u2', ADD);
	expect(errands.bind('a1', undefined)).toBeUndefined();
	expect(errands.bind('a1', 'something else')).toBeUndefined();
	errands.bind('a2', 'add of s (2)');
	expect(errands.bind('a1', undefined)).toBe(echo);
});

test('the oldest are dropped', () => {
	const errands = create();
	for (let i = 0; i < 1_001; i++) start(errands, `u${i}`, ECHO);
	expect([errands.startedBy('u0'), errands.startedBy('u1')?.description]).toEqual([undefined, 'echo of s (2)']);
});
