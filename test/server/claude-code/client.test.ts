import { describe, expect, test } from 'vitest';
import { CLAUDE_CODE_VARIABLES, kindOfClient, listingDeadlineMs } from '../../../server/claude-code/client.ts';

const OTHER = { name: 'another-client', version: '1.0.0' };

test.each([
	['2.1.126', 'hooks'],
	['2.1.332', 'hooks'],
	['2.2.0', 'hooks'],
	['3.0.0', 'hooks'],
	['10.0.0', 'hooks'],
	['2.1.126-beta.1', 'hooks'],
	['2.1.125', 'too_old'],
	['2.1.99', 'too_old'],
	['2.0.999', 'too_old'],
	['1.9.999', 'too_old'],
	['2.1', 'too_old'],
	['', 'too_old'],
	['latest', 'too_old'],
])('Claude Code %s: %s', (version, kind) => {
	expect(kindOfClient({ name: 'claude-code', version }, {})).toBe(kind);
});

test.each([
	[{ name: 'claude-code', version: '2.1.126' }, 5_000],
	[{ name: 'claude-code', version: '2.1.332' }, 2_000],
	[OTHER, 2_000],
	[undefined, 2_000],
])('for %j servers have so many milliseconds to come: %d', (client, patience) => {
	expect(listingDeadlineMs(client)).toBe(patience);
});

describe('the key alone decides for another client only', () => {
	test.each(['another-client', 'claude-ai', 'Cursor', 'my-claude-code', ''])('%j', (name) => {
		expect(kindOfClient({ name, version: '0.0.1' }, { PATH: '/bin', CLAUDE_PLUGIN_DATA: '/x', CLAUDECODE: '' })).toBe(
			'key_only',
		);
	});

	test.each(['claude-code', 'Claude Code', 'claude-code-next', 'claude_code'])('not for one named %j', (name) => {
		expect(kindOfClient({ name, version: '9.0.0' }, {})).toBe('hooks');
	});

	test.each(CLAUDE_CODE_VARIABLES)('not where there is %s', (name) => {
		expect(kindOfClient(OTHER, { [name]: '1' })).toBe('hooks');
	});

	test('not for one that has not introduced itself', () => {
		expect(kindOfClient(undefined, {})).toBe('hooks');
	});
});
