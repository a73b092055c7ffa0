import { describe, expect, test } from 'vitest';
import { type HookEvent, hookEventSchema } from '../../../server/claude-code/hooks.ts';
import { LOAD_CONTEXT } from '../../../server/claude-code/tools.ts';
import type { MapFault } from '../../../server/context-map/map-fault.ts';
import { BrokerError } from '../../../server/errors.ts';
import { decideLoad, type LoadState } from '../../../server/policy/decide-load.ts';

const SCANNER = 'context-broker:privacy-scanner';

const ENTRIES = new Map([
	['short', { path: 'a.md', agents: undefined }],
	['listed', { path: 'b.md', agents: ['reader', 'other:agent', 'pr\u00fcfer'] }],
]);

const MAP = { entries: ENTRIES, faults: [] };

const place = () => ({ line: 3, column: 1, problem: 'a path must be text in quotes' });
const FAULT: MapFault = { hides: ['keys'], place };

const CLAUDE_CODE: LoadState = { kind: 'hooks', client: { name: 'claude-code', version: '2.1.332' } };

function event(key: string, fields: Partial<HookEvent> = {}): HookEvent {
	return {
		...hookEventSchema().parse({ hook_event_name: 'PreToolUse' }),
		session_id: 's1',
		transcript_path: '/p/s1.jsonl',
		tool_name: LOAD_CONTEXT,
		tool_use_id: 'toolu_1',
		tool_input: JSON.stringify({ key }),
		agent_id: 'a1',
		agent_type: SCANNER,
		...fields,
	};
}

/** `approved`, or the code of the refusal. */
function verdict(event: HookEvent, map: Parameters<typeof decideLoad>[1] = MAP, state = CLAUDE_CODE): string {
	const decision = decideLoad(event, map, state);
	return 'approve' in decision ? 'approved' : decision.refuse.code;
}

describe('who may load what', () => {
	test.each([
		['short', SCANNER, 'approved'],
		['short', 'reader', 'agent_not_listed'],
		['short', 'general-purpose', 'agent_not_listed'],
		['short', 'privacy-scanner', 'agent_not_listed'],
		['short', 'other:privacy-scanner', 'agent_not_listed'],
		['short', 'context-broker:other', 'agent_not_listed'],
		['short', 'Context-Broker:Privacy-Scanner', 'agent_not_listed'],
		['listed', 'reader', 'approved'],
		['listed', 'other:agent', 'approved'],
		['listed', 'pr\u00fcfer', 'approved'],
		['listed', 'pru\u0308fer', 'approved'],
		['listed', 'agent', 'agent_not_listed'],
		['listed', 'Reader', 'agent_not_listed'],
		['listed', SCANNER, 'agent_not_listed'],
		['none', SCANNER, 'unknown_key'],
		['constructor', SCANNER, 'unknown_key'],
		['none', 'reader', 'agent_not_listed'],
	])('%s for %s: %s', (key, agent_type, expected) => {
		for (const agent_id of ['a1', '']) expect(verdict(event(key, { agent_id, agent_type }))).toBe(expected);
	});

	test('the approval is for this key and agent', () => {
		expect(decideLoad(event('short'), MAP, CLAUDE_CODE)).toEqual({
			approve: {
				tool: LOAD_CONTEXT,
				key: 'short',
				cwd: '',
				caller: { session: 's1', agent: 'a1', type: SCANNER, transcript: '/p/s1.jsonl' },
			},
		});
	});

	test('an agent that does not come with the plugin gets the same answer whether or not the key exists', () => {
		const answers = ['short', 'none'].map((key) => decideLoad(event(key, { agent_type: 'reader' }), MAP, CLAUDE_CODE));
		expect(answers[0]).toEqual(answers[1]);
		expect(answers[0]).toMatchObject({ refuse: { message: expect.stringContaining('"reader"') } });
	});
});

test('a fault that can hide a key is told in place of "no such key", whether or not there is that key', () => {
	const map = { entries: ENTRIES, faults: [{ hides: [], place }, FAULT] };
	const told = (key: string, agent_type: string) => {
		const decision = decideLoad(event(key, { agent_type }), map, CLAUDE_CODE);
		return 'approve' in decision ? 'approved' : decision.refuse.message;
	};
	expect(told('short', SCANNER)).toBe('approved');
	expect(told('listed', 'reader')).toBe('approved');
	const invalid = 'The context map is not valid. Line 3, column 1: a path must be text in quotes.';
	for (const [key, agent] of [
		['none', SCANNER],
		['none', 'reader'],
		['short', 'reader'],
	] as const)
		expect(told(key, agent)).toBe(invalid);
	const [elsewhere] = map.faults;
	expect(verdict(event('none'), { entries: ENTRIES, faults: [elsewhere as typeof FAULT] })).toBe('unknown_key');
});

describe('the main thread', () => {
	const main = { agent_id: '', agent_type: '' };

	test('gets one answer, whatever the key, the arguments and the map are like', () => {
		const asked = [event('short', main), event('none', main), event('', { ...main, tool_input: 'no JSON' })];
		const broken = new BrokerError('config_invalid');
		for (const ask of asked) {
			for (const map of [MAP, { entries: new Map(), faults: [FAULT] }, broken]) {
				expect(decideLoad(ask, map, CLAUDE_CODE)).toEqual({ refuse: new BrokerError('agents_only') });
			}
		}
	});
});

test.each([
	['an agent id without a type', { agent_type: '' }],
	['no tool-use id', { tool_use_id: '' }],
])('%s proves nothing, and the next step is to try again', (_, fields) => {
	const decision = decideLoad(event('short', fields), MAP, CLAUDE_CODE);
	expect(decision).toMatchObject({
		refuse: { code: 'caller_unverified', next: expect.stringMatching(/^Call the tool once more\./) },
	});
});

test.each(['', 'no JSON', 'null', '[]', '"short"', '{}', '{"key":1}', '{"key":["short"]}'])(
	'arguments without a key are refused: %s',
	(tool_input) => {
		expect(verdict(event('short', { tool_input }))).toBe('invalid_arguments');
	},
);

test('why the map can not be read is told to an agent', () => {
	expect(verdict(event('short'), new BrokerError('config_missing'))).toBe('config_missing');
});

test('nobody is approved where Claude Code is too old, and both versions are told', () => {
	const old: LoadState = { kind: 'too_old', client: { name: 'claude-code', version: '2.1.125' } };
	expect(decideLoad(event('short'), MAP, old)).toMatchObject({
		refuse: { code: 'client_too_old', message: expect.stringMatching(/is 2\.1\.125; 2\.1\.126 or newer/) },
	});
});
