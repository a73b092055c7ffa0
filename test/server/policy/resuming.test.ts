import { expect, test } from 'vitest';
import { isAddressed } from '../../../server/policy/resuming.ts';
import { createGuard, hookEvent } from '../../support/guard.ts';

const PRIVATE = [
	{ agent: 'a0b1c2d3e4f5', type: 'context-broker:privacy-scanner', name: 'Helper' },
	{ agent: '', type: '' },
];
const OTHERS = new Set(['a9999']);

test.each([
	'a0b1c2d3e4f5',
	' A0B1C2D3E4F5 ',
	'@a0b1c2d3e4f5',
	'#71dd4d',
	'71dd4d',
	'privacy-scanner',
	'Context-Broker:Privacy-Scanner',
	'helper',
	' @HELPER ',
	'helper [7c9b7e]',
	'privacy-scanner [7c9b7e]',
	'[7c9b7e]',
])('%j can be a private agent', (to) => {
	expect(isAddressed(to, PRIVATE, OTHERS)).toBe(true);
});

test.each(['a9999', 'main', 'researcher', 'researcher [7c9b7e]', 'helper2', '[]', '*', '', undefined, 5, null])(
	'%j is none',
	(to) => {
		expect(isAddressed(to, PRIVATE, OTHERS)).toBe(false);
	},
);

test('where nobody has loaded anything, every message passes', () => {
	for (const to of ['a0b1c2d3e4f5', '71dd4d']) expect(isAddressed(to, [], OTHERS)).toBe(false);
});

test.each([
	['reader', 's1', 'let pass'],
	['another', 's1', 'withheld'],
	['', 's1', 'withheld'],
	['another', 's2', 'let pass'],
])('a prompt to the main agent "%s" in %s, where the main agent "reader" has loaded in s1, is %s', async (...of) => {
	const [agent_type, session_id, outcome] = of;
	const { guard, loads } = createGuard({ entries: new Map(), off: [], allowTools: [], isolation: [] });
	loads.push({ session: 's1', agent: '', type: 'reader', transcript: '/t.jsonl', since: 0, isPrivate: true });
	const prompt = hookEvent('UserPromptSubmit', { prompt: 'Go on.', agent_id: '', agent_type, session_id });
	const client = { name: 'claude-code', version: '2.1.332' };
	const { decision } = await guard.answer(prompt, { client, toolUseId: undefined });
	expect(decision === 'block' ? 'withheld' : 'let pass').toBe(outcome);
});
