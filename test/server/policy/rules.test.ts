import { describe, expect, test } from 'vitest';
import { BrokerError } from '../../../server/errors.ts';
import {
	AFTER_TOOL,
	type AnswerFacts,
	BEFORE_PROMPT,
	BEFORE_REQUEST,
	BEFORE_STOP,
	BEFORE_TOOL,
	type CallFacts,
	decide,
} from '../../../server/policy/rules.ts';

/** A call about which there is nothing to say. */
const NOTHING: CallFacts = {
	attached: undefined,
	isEgress: false,
	startsForkedAgent: false,
	holdsPrivateData: false,
	hasLoaded: false,
	mayLoad: false,
	evidence: undefined,
	unknownIsolation: undefined,
	isolation: undefined,
	quotes: false,
	resumes: false,
	endsUnchecked: false,
	inForeground: undefined,
};

const EVIDENCE = { path: '/private/a.md', kind: 'private_file', word: 'a.md', how: 'named' } as const;

const said = (facts: Partial<CallFacts>) => {
	const outcome = decide(BEFORE_TOOL, { ...NOTHING, ...facts });
	return outcome !== undefined && 'refuse' in outcome ? outcome.refuse.code : outcome?.input;
};

/** What each rule needs to speak up, and what it says, in the order in which they are asked. */
const EACH: readonly (readonly [keyof typeof BEFORE_TOOL, Partial<CallFacts>, unknown])[] = [
	['attachedFile', { attached: 'Do without.' }, 'attached_file'],
	['outwardTool', { isEgress: true, holdsPrivateData: true }, 'outward_tool'],
	['fork', { startsForkedAgent: true, hasLoaded: true }, 'do_not_fork'],
	['protectedFile', { evidence: EVIDENCE }, 'protected_file'],
	['unknownIsolation', { unknownIsolation: new BrokerError('config_invalid') }, 'config_invalid'],
	['isolatedTool', { isolation: { refuse: new BrokerError('isolated_tool') } }, 'isolated_tool'],
	['quotation', { quotes: true }, 'do_not_quote'],
	['resumption', { resumes: true }, 'do_not_resume'],
	['uncheckedEnd', { endsUnchecked: true }, 'answer_withheld'],
	['executor', { isolation: { input: { of: 'executor' } } }, { of: 'executor' }],
	['foreground', { inForeground: { of: 'agent' } }, { of: 'agent' }],
];

test('a call about which there is nothing to say goes its way', () => {
	expect(decide(BEFORE_TOOL, NOTHING)).toBeUndefined();
});

test('every rule has its row', () => {
	expect(EACH.map(([name]) => name)).toEqual(Object.keys(BEFORE_TOOL));
});

describe('each rule', () => {
	test.each(EACH)('%s speaks up alone', (_, facts, outcome) => {
		expect(said(facts)).toEqual(outcome);
	});

	test('counts before those that come after it', () => {
		const all = EACH.map(([, facts]) => facts);
		const from = EACH.map((_, index) => said(Object.assign({}, ...all.slice(index).reverse())));
		expect(from).toEqual(EACH.map(([, , outcome]) => outcome));
	});
});

test.each([
	['a tool that leads out, of an agent that holds nothing private', { isEgress: true }],
	['private data, with a tool that stays here', { holdsPrivateData: true, hasLoaded: true, mayLoad: true }],
	['a fork of an agent that holds nothing private', { startsForkedAgent: true }],
])('%s is let pass', (_, facts) => {
	expect(said(facts)).toBeUndefined();
});

test('who makes a call that can not be checked is told why, and what to do', () => {
	const evidence = { ...EVIDENCE, word: '', how: 'too_complex' } as const;
	for (const mayLoad of [true, false]) {
		const outcome = decide(BEFORE_TOOL, { ...NOTHING, evidence, mayLoad });
		expect((outcome as { refuse: BrokerError }).refuse.text).toMatch(/^protected_file: .* too long .* split it, /);
	}
});

test('who may load is told to load, and the person what is reached', () => {
	const outcome = decide(BEFORE_TOOL, { ...NOTHING, evidence: EVIDENCE, mayLoad: true });
	expect(outcome).toMatchObject({ refuse: { evidence: EVIDENCE, next: expect.stringContaining('load_context') } });
	expect(JSON.stringify(outcome)).toContain('/private/a.md');
	expect((outcome as { refuse: BrokerError }).refuse.text).not.toContain('/private');
});

describe('after a call', () => {
	const nothing = { hasLoadedElsewhere: false, isRunning: false, redacted: undefined, repeats: undefined };
	const redacted = { output: 'x [context:L2]', lines: [2], paths: ['/private/a.md'] };

	test('what cannot be checked is withheld before all, then what is not finished; else quotations are replaced', () => {
		expect(decide(AFTER_TOOL, nothing)).toBeUndefined();
		expect(decide(AFTER_TOOL, { ...nothing, repeats: '/private/a.md' })).toEqual({ withholdFile: '/private/a.md' });
		expect(decide(AFTER_TOOL, { ...nothing, redacted })).toEqual({ replace: redacted });
		expect(decide(AFTER_TOOL, { ...nothing, redacted, isRunning: true })).toEqual({ withhold: 'still_running' });
		const all = { hasLoadedElsewhere: true, isRunning: true, redacted, repeats: '/private/a.md' };
		expect(decide(AFTER_TOOL, all)).toEqual({ withhold: 'after_restart' });
	});
});

describe('before an agent ends with its answer', () => {
	const repeated = { text: 'x [context:L2]', passages: 1, lines: [2] };
	const said = (facts: Partial<AnswerFacts>) =>
		decide(BEFORE_STOP, { repeated, attempt: 1, canBeEdited: true, ...facts });

	test('one that quotes is asked twice, and then let go if what it says can still be edited', () => {
		expect(said({ repeated: undefined })).toBeUndefined();
		expect(said({})).toContain('(lines 2)');
		const lines = Array.from({ length: 30 }, (_, line) => line + 1);
		expect(said({ repeated: { ...repeated, passages: 30, lines } })).toMatch(/repeats 30 passages .* 19, 20\)/);
		expect(said({ attempt: 2 })).toContain('x [context:L2]');
		expect(said({ attempt: 3 })).toBeUndefined();
	});

	test('else it is asked on, in the end for words that are not its own', () => {
		expect(said({ attempt: 3, canBeEdited: false })).toContain('x [context:L2]');
		for (const attempt of [4, 5, 100]) {
			expect(said({ attempt, canBeEdited: false })).toContain('My report is withheld');
		}
	});
});

test('before a request, a file that would be attached counts before a quotation', () => {
	const facts = { attached: undefined, quotes: false };
	expect(decide(BEFORE_REQUEST, facts)).toBeUndefined();
	expect(decide(BEFORE_REQUEST, { ...facts, quotes: true })).toMatchObject({
		refuse: { code: 'do_not_continue' },
		by: 'do_not_quote',
	});
	expect(decide(BEFORE_REQUEST, { attached: 'Do without.', quotes: true })).toMatchObject({
		refuse: { code: 'attached_file', next: 'Do without.' },
	});
});

test('before a prompt, a file that would be attached, then a conversation of another agent, then a notification', () => {
	const notifier = { id: 'a1', type: 'reader' };
	const facts = { attached: undefined, isOfOther: false, notifier: undefined };
	expect(decide(BEFORE_PROMPT, facts)).toBeUndefined();
	const codes = [
		{ ...facts, notifier },
		{ ...facts, notifier, isOfOther: true },
		{ notifier, isOfOther: true, attached: 'x' },
	].map((each) => decide(BEFORE_PROMPT, each)?.refuse.code);
	expect(codes).toEqual(['answer_withheld', 'do_not_continue', 'attached_file']);
	expect(decide(BEFORE_PROMPT, { ...facts, notifier })?.refuse.text).toContain('reader (a1)');
});
