import { expect, test } from 'vitest';
import { inForeground } from '../../../server/policy/call-facts.ts';

const ENTRIES = new Map([
	['a', { path: 'a.md', agents: undefined }],
	['b', { path: 'b.md', agents: ['reader', 'plugin:agent'] }],
]);

test.each([
	...['context-broker:privacy-scanner', 'reader', 'plugin:agent'],
	...['Context-Broker:Privacy-Scanner', 'READER', 'plugin agent'],
])('%s is started in the foreground', (type) => {
	const input = { subagent_type: type, prompt: 'x', description: 'y' };
	for (const run_in_background of [true, undefined, 'true', null]) {
		expect(inForeground('Agent', { ...input, run_in_background }, ENTRIES)).toEqual({
			...input,
			run_in_background: false,
		});
	}
});

test.each([
	[{ subagent_type: 'reader', run_in_background: false }],
	[{ subagent_type: 'general-purpose', run_in_background: true }],
	[{ subagent_type: 'agent' }],
	[{ subagent_type: 5 }],
	[{}],
])('%j stays as it is', (input) => {
	expect(inForeground('Task', input, ENTRIES)).toBeUndefined();
});

test('no other tool starts one', () => {
	expect(inForeground('Bash', { subagent_type: 'reader' }, ENTRIES)).toBeUndefined();
});
