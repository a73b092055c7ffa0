import { expect, test } from 'vitest';
import type { ExposableTool } from '../../../server/exposure/policy.ts';
import { settingsOf } from '../../../server/exposure/settings.ts';
import { warningsOf } from '../../../server/exposure/warnings.ts';

const TOOLS: readonly ExposableTool[] = [
	{ name: 'load_context', exposure: 'safe' },
	{ name: 'run_shell_command', exposure: 'named' },
];

function warnings(environment: Record<string, string>, file: Record<string, string> = {}): string[] {
	const inFile = new Map(Object.entries(file));
	const names = [...Object.keys(environment), ...inFile.keys()];
	return warningsOf(TOOLS, settingsOf(environment, inFile), names);
}

test('the environment counts before the env file, variable by variable, and an empty one is not set', () => {
	const file = new Map([
		['CONTEXT_BROKER_ENABLED_TOOLS', 'all'],
		['CONTEXT_BROKER_DISABLED_TOOLS', 'load_context'],
	]);
	expect(settingsOf({ CONTEXT_BROKER_ENABLED_TOOLS: 'none' }, file)).toEqual({
		enabled: { text: 'none', source: 'environment' },
		disabled: { text: 'load_context', source: 'env_file' },
	});
	expect(settingsOf({ CONTEXT_BROKER_ENABLED_TOOLS: '' }, new Map())).toEqual({
		enabled: undefined,
		disabled: undefined,
	});
});

test('nothing is said where all is well', () => {
	expect(warnings({ PATH: '/bin', CONTEXT_BROKER_ENV_FILE: '/x/.env' })).toEqual([]);
	expect(
		warnings({ CONTEXT_BROKER_ENABLED_TOOLS: 'safe, run-shell-command, load*', CONTEXT_BROKER_DISABLED_TOOLS: 'none' }),
	).toEqual([]);
});

test('a word for a tool that is still to come is not told', () => {
	const settings = settingsOf({ CONTEXT_BROKER_DISABLED_TOOLS: 'docs__x doc-s__*, docs-__y other__z' }, new Map());
	const told = (expected: readonly string[]) =>
		warningsOf(TOOLS, settings, [], expected).map((sentence) => /has "([^"]+)"/.exec(sentence)?.[1]);
	expect(told([])).toEqual(['docs__x', 'doc-s__*', 'docs-__y', 'other__z']);
	expect(told(['docs__'])).toEqual(['doc-s__*', 'other__z']);
	expect(told([''])).toEqual([]);
	const short = settingsOf({ CONTEXT_BROKER_DISABLED_TOOLS: 'do* doc' }, new Map());
	expect(warningsOf(TOOLS, short, [], ['docs__'])).toEqual([expect.stringContaining('"doc"')]);
});

test('a word that is no tool is told with its place and the nearest valid word', () => {
	expect(
		warnings(
			{ CONTEXT_BROKER_ENABLED_TOOLS: 'default lode_context' },
			{ CONTEXT_BROKER_DISABLED_TOOLS: 'run_*,al,read_only-true' },
		),
	).toEqual([
		'CONTEXT_BROKER_ENABLED_TOOLS (environment) has "lode_context", which is not a tool; the nearest valid word is "load_context".',
		'CONTEXT_BROKER_DISABLED_TOOLS (env file) has "al", which is not a tool; the nearest valid word is "all".',
		expect.stringMatching(/^CONTEXT_BROKER_DISABLED_TOOLS \(env file\) has "read_only-true", which is not a tool; /),
	]);
});

test('for the beginning of a name, that is the nearest beginning', () => {
	expect(warnings({ CONTEXT_BROKER_DISABLED_TOOLS: 'lode_*' })).toEqual([
		'CONTEXT_BROKER_DISABLED_TOOLS (environment) has "lode_*", which is not a tool; the nearest valid word is "load_*".',
	]);
});

test.each([
	[',', / CONTEXT_BROKER_ENABLED_TOOLS is set, but names no tool\.$/],
	['  ', / is set, but names no tool\.$/],
	['none', /^No tool of the broker is shown\.$/],
	['nothing_of_ours', /^No tool of the broker is shown\.$/],
])('an allowlist of %j shows nothing, which is told', (text, sentence) => {
	expect(warnings({ CONTEXT_BROKER_ENABLED_TOOLS: text }).at(-1)).toMatch(sentence);
});

test('a variable that does not exist is told with the nearest one', () => {
	expect(
		warnings({ CONTEXT_BROKER_ENABLE_TOOL: 'all' }, { context_broker_disabled_tools: 'all', CONTEXT_BROKERS: 'x' }),
	).toEqual([
		'There is no variable "CONTEXT_BROKER_ENABLE_TOOL"; the nearest is "CONTEXT_BROKER_ENABLED_TOOLS".',
		'There is no variable "context_broker_disabled_tools"; the nearest is "CONTEXT_BROKER_DISABLED_TOOLS".',
	]);
});

test('a broker that runs in a command of another one does not warn of what that has set', () => {
	expect(warnings({ CONTEXT_BROKER: '1', CONTEXT_BROKER_COMMAND: 'c1', CONTEXT_BROKER_NETWORK: 'none' })).toEqual([]);
});

test('a long word is cut, and stays on one line', () => {
	const [sentence = ''] = warnings({ CONTEXT_BROKER_DISABLED_TOOLS: 'x'.repeat(10_000) });
	expect(sentence.length).toBeLessThan(250);
});
