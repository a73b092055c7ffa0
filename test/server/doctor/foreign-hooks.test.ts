import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { styleFor } from '../../../server/cli/style.ts';
import { findingLines } from '../../../server/doctor/finding.ts';
import { hook } from '../claude-code/settings.ts';
import { createContext } from './context.ts';

const LOAD = 'mcp__plugin_context-broker_broker__load_context';

/** What is found where the user's settings are these. */
async function findingsFor(settings: unknown, map = '') {
	const { user, findings } = await createContext();
	const file = join(user.home, '.claude', 'settings.json');
	await mkdir(dirname(file), { recursive: true });
	await writeFile(file, typeof settings === 'string' ? settings : JSON.stringify(settings));
	if (map !== '') await user.writeMap(map);
	return { file, found: await findings('other hooks') };
}

test.each([
	['a hook on Write and Edit', hook('PostToolUse', 'Write|Edit', { command: 'prettier' })],
	['a hook that sees inputs', hook('PreToolUse', '*', { command: 'log' })],
	['a hook on prompts', hook('UserPromptSubmit', undefined, { command: 'log' })],
	['a sound at the end', hook('Stop', undefined, { command: 'say done' })],
	['one of other agents', hook('SubagentStop', 'Explore', { command: 'log' })],
	['one that leaves out what is ours', hook('PostToolUse', `^(?!(Agent|Task|${LOAD})$)`, { command: 'log' })],
	['none', {}],
])('there is no warning for %s', async (_, settings) => {
	expect((await findingsFor(settings)).found).toEqual([]);
});

test.each([
	[
		'PostToolUse',
		'*',
		'gets the text that agents load, gets the answers of agents before quotations are replaced and can put the quotations back.',
	],
	[
		'PostToolUse',
		'Agent',
		'gets the answers of agents before quotations are replaced and can put the quotations back.',
	],
	['PostToolUse', 'mcp__.*', 'gets the text that agents load.'],
	['SubagentStop', 'context-broker:privacy-scanner', 'gets the answers of agents before quotations are replaced.'],
	['PostToolBatch', 'Bash', 'gets the text that agents load.'],
])('a hook on %s %j is named, with what to do', async (event, matcher, what) => {
	const { file, found } = await findingsFor(hook(event, matcher, { command: 'tee -a log' }));
	const message = `${event} "${matcher}" in ${file}: tee -a log. It ${what}`;
	expect(found).toMatchObject([{ status: 'warning', message }]);
	const suggested = /: "(.*)"\./.exec(found[0]?.next ?? '')?.[1];
	if (event !== 'PostToolBatch') {
		expect((await findingsFor(hook(event, suggested, { command: 'tee -a log' }))).found).toEqual([]);
	}
});

test('agents that the map lists count, too', async () => {
	const { found } = await findingsFor(
		hook('SubagentStop', 'reader', { command: 'log' }),
		'[keys.k]\npath = "a.md"\nagents = ["reader"]\n',
	);
	expect(found).toHaveLength(1);
});

test('settings that are no JSON are told', async () => {
	const { file, found } = await findingsFor('{"hooks":');
	expect(found.map(({ message }) => message)).toEqual([`${file} cannot be read as JSON, so its hooks are unknown.`]);
});

test('a long command is cut short, and means nothing to a terminal', async () => {
	const command = `\u001b[31mcurl ${'x'.repeat(100)}`;
	const { found } = await findingsFor(hook('PostToolUse', '*', { command }));
	const text = findingLines(found, '1.2.3', styleFor({ isTTY: false }, {}));
	expect(text).toContain('\ufffd[31mcurl xxx');
	expect(text).not.toContain('\u001b');
	expect(text).not.toContain(`curl ${'x'.repeat(40)}`);
});
