import { expect, test } from 'vitest';
import { covers } from '../../../server/claude-code/hook-settings.ts';

const LOAD = 'mcp__plugin_context-broker_broker__load_context';

test.each([
	'Write|Edit',
	'Write, Edit',
	'Bash',
	'Age',
	'agent',
	'Agents',
	'mcp__other__.*',
	'mcp__plugin_context',
	'^(Write|Edit)$',
	`^(?!(Agent|Task|${LOAD})$)`,
	'(Agent',
])('the matcher %j covers neither agents nor loads', (matcher) => {
	expect(covers(matcher, ['Agent', 'Task', LOAD])).toBe(false);
});

test.each([
	[undefined, 'Bash'],
	['', 'Bash'],
	['*', 'Bash'],
	['.*', 'Bash'],
	['Agent', 'Agent'],
	['Bash|Agent', 'Agent'],
	// A list in 2.1.332.
	['Bash, Agent', 'Agent'],
	['^Ag', 'Agent'],
	['^(?!Bash$)', 'Agent'],
	[LOAD, LOAD],
	// A regular expression in 2.1.126, since it has a hyphen.
	['plugin_context-broker', LOAD],
	['mcp__.*', LOAD],
])('the matcher %j covers %s', (matcher, name) => {
	expect(covers(matcher, [name])).toBe(true);
});
