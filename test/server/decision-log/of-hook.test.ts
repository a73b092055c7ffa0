import { expect, test } from 'vitest';
import { decisionOf } from '../../../server/decision-log/of-hook.ts';
import { BrokerError, ERROR_CODES } from '../../../server/errors.ts';
import {
	addContext,
	allowCall,
	changeInput,
	changeOutput,
	denyCall,
	goOn,
	mergeAnswers,
	withholdPrompt,
} from '../../../server/guard/hook.ts';
import { WITHHELD } from '../../../server/guard/outgoing-texts.ts';
import { hookEvent, loadEvent, SCANNER } from '../../support/guard.ts';

const main = { agent_id: '', agent_type: '' };
const agent = hookEvent('PostToolUse', { ...main, tool_name: 'Agent' });

test('an approval of a load names the agent and the key', () => {
	expect(decisionOf(loadEvent('1', 'k'), allowCall('yes'))).toEqual({
		...{ session: 's1', agent: 'a1', type: SCANNER, tool: 'load_context', outcome: 'approved', key: 'k' },
	});
});

test.each(ERROR_CODES)('a refusal has the code of its error as the reason: %s', (code) => {
	const read = hookEvent('PreToolUse', { ...main, tool_name: 'Read', tool_input: '{"file_path":"/private"}' });
	expect(decisionOf(read, denyCall(new BrokerError(code)))).toEqual({
		...{ session: 's1', agent: '', type: '', tool: 'Read', outcome: 'refused', reason: code },
	});
});

test.each(['{}', '{"key":1}', 'null', 'no JSON'])('a load without a key has none: %s', (tool_input) => {
	const decision = decisionOf({ ...loadEvent('1', 'k'), tool_input }, denyCall(new BrokerError('invalid_arguments')));
	expect(decision).toMatchObject({ outcome: 'refused' });
	expect(decision).not.toHaveProperty('key');
});

test.each([
	['a load in the foreground', agent, changeInput({ subagent_type: SCANNER }), 'changed', 'foreground'],
	['an executor', agent, changeInput({ subagent_type: 'context-broker:mcp-executor' }), 'delegated', 'executor'],
	['references', agent, changeOutput({ content: '[context:L1]' }), 'changed', 'quotation'],
	['an answer kept back', agent, changeOutput([{ text: WITHHELD }]), 'withheld', 'answer_withheld'],
	[
		'references, beside receipts',
		agent,
		mergeAnswers(changeOutput({ content: '[context:L1]' }), addContext('PostToolUse', 'receipts')),
		'changed',
		'quotation',
	],
	[
		'a part of a long result',
		hookEvent('PostToolUse', { tool_name: 'mcp__db__query' }),
		changeOutput('part'),
		'changed',
		'shortened',
	],
	['another answer, please', hookEvent('SubagentStop'), goOn('Answer again'), 'withheld', 'asked_again'],
	[
		'a notification kept back',
		hookEvent('UserPromptSubmit', main),
		withholdPrompt(new BrokerError('answer_withheld').text),
		'withheld',
		'answer_withheld',
	],
])('%s', (_, event, answer, outcome, reason) => {
	expect(decisionOf(event, answer)).toMatchObject({ outcome, reason });
});

test('where nothing is decided there is nothing to log', () => {
	expect(decisionOf(agent, {})).toBeUndefined();
	expect(decisionOf(agent, addContext('PostToolUse', 'receipts'))).toBeUndefined();
});
