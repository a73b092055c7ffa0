import { beforeEach, expect, test } from 'vitest';
import { Approvals } from '../../../server/policy/approvals.ts';

const CALLER = { session: 's1', agent: 'a1', type: 'reader', transcript: '/p/s1.jsonl' };
const APPROVAL = { toolUseId: 'toolu_1', key: 'k', caller: CALLER };

let now: number;
let approvals: Approvals;

beforeEach(() => {
	now = 1_000;
	approvals = new Approvals(() => now);
	approvals.give(APPROVAL);
});

test('an approval serves once', () => {
	expect(approvals.use('toolu_1', 'k')).toMatchObject(APPROVAL);
	expect(approvals.use('toolu_1', 'k')).toBeUndefined();
});

test('it serves until 60 seconds after it was given', () => {
	now += 59_999;
	expect(approvals.use('toolu_1', 'k')).toMatchObject(APPROVAL);
	approvals.give(APPROVAL);
	now += 60_000;
	expect(approvals.use('toolu_1', 'k')).toBeUndefined();
});

test('a call for another key uses it up', () => {
	expect(approvals.use('toolu_1', 'K')).toBeUndefined();
	expect(approvals.use('toolu_1', 'k')).toBeUndefined();
});

test('a call with another tool-use id leaves it alone', () => {
	expect(approvals.use('toolu_2', 'k')).toBeUndefined();
	expect(approvals.use('__proto__', 'k')).toBeUndefined();
	expect(approvals.use('toolu_1', 'k')).toMatchObject(APPROVAL);
});

test('of two for one tool use the later one counts, and for its own time', () => {
	now += 59_000;
	approvals.give({ ...APPROVAL, key: 'other' });
	now += 59_000;
	approvals.give({ ...APPROVAL, toolUseId: 'toolu_2' });
	expect(approvals.use('toolu_1', 'other')).toMatchObject({ key: 'other' });
});

test('what is withdrawn does not serve', () => {
	approvals.withdraw('toolu_1');
	expect(approvals.use('toolu_1', 'k')).toBeUndefined();
});
