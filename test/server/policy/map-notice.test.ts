import { beforeEach, expect, test } from 'vitest';
import type { HookAnswer } from '../../../server/claude-code/hooks.ts';
import { parseContextMap } from '../../../server/context-map/parse.ts';
import { BrokerError } from '../../../server/errors.ts';
import { MapNotice } from '../../../server/policy/map-notice.ts';
import { hookEvent } from '../../support/guard.ts';

const FILE = '/home/jo/.config/context-broker/context-map.toml';
const read = (text: string) => parseContextMap(Buffer.from(text));
const map: { -readonly [Field in keyof MapInTest]: MapInTest[Field] } = {
	outcome: undefined,
	elsewhere: undefined,
	wasRead: false,
};

type MapInTest = ConstructorParameters<typeof MapNotice>[1];

let notice: MapNotice;
beforeEach(() => {
	notice = new MapNotice(FILE, map);
	Object.assign(map, { outcome: undefined, elsewhere: undefined, wasRead: false });
});

const told = (event = 'UserPromptSubmit', session_id = 's1', answer: HookAnswer = {}) =>
	notice.addTo(answer, hookEvent(event, { session_id }));

function syntaxError(): BrokerError {
	try {
		read('[keys]\nsecret-key = "~/secret.md"\nb = ~/secret.md');
	} catch (error) {
		return error as BrokerError;
	}
	throw new Error('it is valid');
}

test('nothing is said of a map that is valid, or that is nowhere', () => {
	expect(told()).toEqual({});
	map.outcome = read('[keys]\na = "a.md"\n');
	expect(told()).toEqual({});
	map.outcome = new BrokerError('config_missing');
	expect(told()).toEqual({});
});

test('a fault is said once a session, with its place', () => {
	map.outcome = read('[keys]\nsecret-key = "~/secret.md"\n[gaurd]\n[shel]\n');
	const { systemMessage } = told();
	expect(systemMessage).toBe(
		`Context Broker: The map is not valid: ${FILE}, line 3, column 1: there is no such table; the nearest valid one is "guard". It has 2 faults in all. The rest of it applies, and what it protects stays protected. To see what is wrong: context-broker doctor`,
	);
	expect(told()).toEqual({});
	expect(told('PreToolUse')).toEqual({});
	expect(told('UserPromptSubmit', 's2')).toEqual({ systemMessage });
});

test('another fault is said again, and the same after it was gone', () => {
	map.outcome = read('[keys]\n[gaurd]\n');
	const first = told();
	map.outcome = read('[keys]\n\n[gaurd]\n');
	expect(told().systemMessage).toContain('line 3');
	expect(told('UserPromptSubmit', 's2').systemMessage).not.toContain('faults in all');
	map.outcome = read('[keys]\n');
	expect(told()).toEqual({});
	map.outcome = read('[keys]\n[gaurd]\n');
	expect(told()).toEqual(first);
});

test('while the map is being typed, calls say it once, and the next prompt says how it is then', () => {
	map.outcome = read('[keys]\n');
	expect(told('PreToolUse')).toEqual({});
	const texts = ['[keys]\n[g]', '[keys]\n[gu]', '[keys]\n[gua]', '[keys]\n\n[gua]'];
	const answers = texts.map((text) => {
		map.outcome = read(text);
		return told('PreToolUse');
	});
	expect(answers).toEqual([{ systemMessage: expect.any(String) }, {}, {}, {}]);
	expect(told().systemMessage).toContain('line 3');
	expect(told()).toEqual({});
});

test('what is no TOML is said without any text of it', () => {
	map.outcome = syntaxError();
	const { systemMessage = '' } = told();
	expect(systemMessage).toContain(`${FILE}, line 3, column 5: this is not valid TOML. None of its keys is served.`);
	expect(systemMessage).not.toContain('secret');
});

test.each([
	[false, 'The files that it names are not protected, and no tool is isolated.'],
	[true, 'Its earlier content still applies.'],
])('one that can not be read is said; it was read before: %s', (wasRead, sentence) => {
	Object.assign(map, { outcome: new BrokerError('config_unreadable'), wasRead });
	expect(told().systemMessage).toContain(`${FILE}. ${sentence}`);
});

test('one that is elsewhere is said, with both places', () => {
	map.outcome = new BrokerError('config_missing');
	Object.assign(map, { elsewhere: { file: '/snap/map.toml', paths: [] } });
	const { systemMessage } = told();
	for (const part of [FILE, '/snap/map.toml', 'XDG_CONFIG_HOME']) expect(systemMessage).toContain(part);
});

test('it comes beside what else is answered, with an answer that the person is shown', () => {
	map.outcome = read('[keys]\n[gaurd]\n');
	expect(told('SubagentStop')).toEqual({});
	expect(told('PostToolUse')).toEqual({});
	const deny = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } } as const;
	expect(told('PreToolUse', 's1', { ...deny, systemMessage: 'Refused.' })).toEqual({
		...deny,
		systemMessage: expect.stringMatching(/^Refused\.\nContext Broker: The map is not valid: /),
	});
});
