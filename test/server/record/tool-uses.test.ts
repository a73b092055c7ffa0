import { beforeEach, expect, test } from 'vitest';
import { ToolUses } from '../../../server/record/tool-uses.ts';

const CALLER = { session: 's1', agent: 'a1', type: 'reader', transcript: '/p/s1.jsonl' };
const TOOL = 'load';
const APPROVAL = { tool: TOOL, key: 'k', cwd: '/p', caller: CALLER };

let now: number;
let uses: ToolUses;

beforeEach(() => {
	now = 1_000;
	uses = new ToolUses(() => now);
	uses.approve('toolu_1', APPROVAL);
});

test('an approval serves once', () => {
	expect(uses.takeApproval('toolu_1', 'k', TOOL)).toMatchObject(APPROVAL);
	expect(uses.takeApproval('toolu_1', 'k', TOOL)).toBeUndefined();
});

test('it serves until 60 seconds after it was given', () => {
	now += 59_999;
	expect(uses.takeApproval('toolu_1', 'k', TOOL)).toMatchObject(APPROVAL);
	uses.approve('toolu_1', APPROVAL);
	now += 60_000;
	expect(uses.takeApproval('toolu_1', 'k', TOOL)).toBeUndefined();
});

test('a call for another key uses it up', () => {
	expect(uses.takeApproval('toolu_1', 'K', TOOL)).toBeUndefined();
	expect(uses.takeApproval('toolu_1', 'k', TOOL)).toBeUndefined();
});

test('a call of another tool uses it up', () => {
	expect(uses.takeApproval('toolu_1', 'k', 'find')).toBeUndefined();
	expect(uses.takeApproval('toolu_1', 'k', TOOL)).toBeUndefined();
});

test('a call with another tool-use id leaves it alone', () => {
	expect(uses.takeApproval('toolu_2', 'k', TOOL)).toBeUndefined();
	expect(uses.takeApproval('__proto__', 'k', TOOL)).toBeUndefined();
	expect(uses.takeApproval('toolu_1', 'k', TOOL)).toMatchObject(APPROVAL);
});

test('of two for one tool use the later one counts, and for its own time', () => {
	now += 59_000;
	uses.approve('toolu_1', { ...APPROVAL, key: 'other' });
	now += 59_000;
	uses.approve('toolu_2', APPROVAL);
	expect(uses.takeApproval('toolu_1', 'other', TOOL)).toMatchObject({ key: 'other' });
});

test('what is withdrawn does not serve', () => {
	uses.withdraw('toolu_1');
	expect(uses.takeApproval('toolu_1', 'k', TOOL)).toBeUndefined();
});

test('a call takes its caller once, and only if it was announced', () => {
	const caller = { session_id: 's1', agent_id: 'a1', agent_type: 'reader', transcript_path: '/t.jsonl' };
	uses.note('toolu_3', { caller });
	expect(uses.takeCaller('toolu_3')).toBeUndefined();
	uses.note('toolu_3', { announced: caller });
	expect(uses.takeCaller('toolu_3')).toEqual(caller);
	for (const id of ['toolu_3', 'toolu_4', '', undefined]) expect(uses.takeCaller(id)).toBeUndefined();
});

test('an id that comes up again counts as the newest', () => {
	for (let id = 0; id < 4_999; id++) uses.note(`u${id}`, { quoted: [id] });
	uses.note('toolu_1', { quoted: [1] });
	uses.note('new', {});
	expect(uses.get('u0')).toBeUndefined();
	expect(uses.takeApproval('toolu_1', 'k', TOOL)).toMatchObject(APPROVAL);
	expect([...uses.all()].slice(-2)).toEqual([{ quoted: [1] }, {}]);
});

test('the oldest of very many are forgotten', () => {
	for (let id = 0; id <= 5_000; id++) uses.note(`u${id}`, { quoted: [id] });
	expect([...uses.all()]).toHaveLength(5_000);
	expect([uses.get('toolu_1'), uses.get('u0'), uses.get('u1')]).toEqual([undefined, undefined, { quoted: [1] }]);
	uses.note('', { quoted: [] });
	expect(uses.get('')).toBeUndefined();
});
