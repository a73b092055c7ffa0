import { describe, expect, test } from 'vitest';
import { BrokerError } from '../../../server/errors.ts';
import { BEFORE_TOOL, type CallFacts, decide } from '../../../server/policy/rules.ts';

/** A call about which there is nothing to say. */
const NOTHING: CallFacts = {
	attached: undefined,
	isEgress: false,
	startsFork: false,
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
	['fork', { startsFork: true, hasLoaded: true }, 'do_not_fork'],
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
	['a fork of an agent that holds nothing private', { startsFork: true }],
])('%s is let pass', (_, facts) => {
	expect(said(facts)).toBeUndefined();
});

test('who makes a call that can not be checked is told why, and what to do', () => {
	const evidence = { ...EVIDENCE, word: '', how: 'too_complex' } as const;
	for (const mayLoad of [true, false]) {
		const outcome = decide(BEFORE_TOOL, { ...NOTHING, evidence, mayLoad });
		expect((outcome as { refuse: BrokerError }).refuse.text).toMatch(/^protected_file: .* too long .* split it up/);
	}
});

test('who may load is told to load, and the person what is reached', () => {
	const outcome = decide(BEFORE_TOOL, { ...NOTHING, evidence: EVIDENCE, mayLoad: true });
	expect(outcome).toMatchObject({ refuse: { evidence: EVIDENCE, next: expect.stringContaining('load_context') } });
	expect(JSON.stringify(outcome)).toContain('/private/a.md');
	expect((outcome as { refuse: BrokerError }).refuse.text).not.toContain('/private');
});
