import { expect, test } from 'vitest';
import { BrokerError, type Evidence } from '../../../server/errors.ts';
import { refusalForPerson, replacementForPerson, tellPerson } from '../../../server/policy/for-person.ts';

const MAP = '/home/jo/.config/context-broker/context-map.toml';
const OFF = `To switch this protection off: files = false under [guard] in ${MAP}`;
const BASH = { hook_event_name: 'PreToolUse', tool_name: 'Bash', agent_type: '' };

const withEvidence = (evidence: Evidence) =>
	refusalForPerson(BASH, new BrokerError('protected_file', { evidence }), MAP);

const PRIVATE = { path: '/home/jo/private/a.md', kind: 'private_file' } as const;

test.each<[Evidence, string]>([
	[
		{ ...PRIVATE, how: 'named', word: '~/private/a.md' },
		'"~/private/a.md" names /home/jo/private/a.md, a private file.',
	],
	[
		{ ...PRIVATE, how: 'link', word: 'notes' },
		'"notes" leads through a link to /home/jo/private/a.md, a private file.',
	],
	[{ ...PRIVATE, how: 'pattern', word: '*.md' }, '"*.md" can match /home/jo/private/a.md, a private file.'],
	[
		{ ...PRIVATE, how: 'search', word: '/home/jo' },
		'"/home/jo" leads to a search of a folder that contains /home/jo/private/a.md, a private file.',
	],
	[
		{ ...PRIVATE, how: 'too_complex', word: '' },
		'the call is too long or too deeply nested to be checked, and could reach /home/jo/private/a.md, a private file.',
	],
	[{ path: MAP, kind: 'map', how: 'named', word: 'x' }, `"x" names ${MAP}, the context map.`],
])('a person is told how a call reaches what is protected: %j', (evidence, why) => {
	expect(withEvidence(evidence)).toBe(`Context Broker refused Bash (protected_file): ${why} ${OFF}`);
});

test('a word of a call can not draw on the screen, nor fill it', () => {
	const text = withEvidence({ ...PRIVATE, how: 'named', word: `\u001b[2J\n\u009b2J\u202e${'x'.repeat(1_000)}` });
	expect(text).toContain(String.raw`"\u001b[2J\n?2J?xxx`);
	expect(text.length).toBeLessThan(500);
});

test.each([
	['outward_tool', '"WebFetch" in the list allow_tools under [private_data]'],
	['do_not_quote', 'quoting = false under [guard]'],
	['do_not_resume', 'resuming = false under [guard]'],
] as const)('%s names the line that switches it off', (code, line) => {
	const event = { ...BASH, tool_name: 'WebFetch', agent_type: 'reader' };
	const { message } = new BrokerError(code);
	expect(refusalForPerson(event, new BrokerError(code), MAP)).toBe(
		`Context Broker refused WebFetch of reader (${code}): ${message} To switch this protection off: ${line} in ${MAP}`,
	);
});

test('a load in a workflow names both protections that refuse it', () => {
	const text = refusalForPerson(BASH, new BrokerError('unchecked_background'), MAP);
	expect(text).toContain('quoting = false (in a workflow also files = false) under [guard]');
});

test('what can not be switched off has no such line', () => {
	expect(refusalForPerson(BASH, new BrokerError('agents_only'), MAP)).not.toContain('switch');
});

test('messages come after one another', () => {
	const off = replacementForPerson('Something is withheld.', MAP);
	expect(off).toBe(
		`Context Broker: Something is withheld. To switch this protection off: quoting = false under [guard] in ${MAP}`,
	);
	expect(tellPerson({ systemMessage: 'One.' }, 'Two.')).toEqual({ systemMessage: 'One.\nTwo.' });
});
