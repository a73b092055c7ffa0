import { expect, test } from 'vitest';
import { callerOf } from '../../../server/policy/caller.ts';

test.each([
	['a1', 'reader', { kind: 'subagent', agent: 'reader' }],
	['', 'reader', { kind: 'main_as_agent', agent: 'reader' }],
	['', '', { kind: 'main' }],
	['a1', '', { kind: 'unverified' }],
])('agent_id %j and agent_type %j', (agent_id, agent_type, caller) => {
	expect(callerOf({ agent_id, agent_type })).toEqual(caller);
});
