import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkForeignHooks } from '../../server/doctor/foreign-hooks.ts';
import { scanSession, userWithKey } from './broker-session.ts';
import type { Home } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { CATALOG } from './markers.ts';

/** What hooks write down that the user has put on these events, each with a matcher. @returns by event, and the matchers that the doctor advises */
async function scanWithHooks(version: string, user: Home, matchers: Readonly<Record<string, string>>) {
	const events = Object.entries(matchers).map(([event, matcher]) => {
		const command = `cat >>"$HOME/${event}"`;
		return [event, [{ matcher, hooks: [{ type: 'command', command }] }]];
	});
	await mkdir(join(user.home, '.claude'), { recursive: true });
	const settings = JSON.stringify({ hooks: Object.fromEntries(events) });
	await writeFile(join(user.home, '.claude', 'settings.json'), settings);
	const { scan } = await scanSession({ version, ...user, keys: ['k'] });
	expect(scan.resultsOf()).toMatchObject([{ isError: false }]);
	const found = await checkForeignHooks({ ...user, environment: {} }, undefined);
	const advised = found.flatMap(({ message, next = '' }) => {
		const [event = ''] = message.split(' ');
		return [[event, /: "(.*)"\./.exec(next)?.[1] ?? '']];
	});
	return { advised: Object.fromEntries(advised) as Record<string, string> };
}

async function written(user: Home, event: string): Promise<string> {
	return await readFile(join(user.home, event), 'utf8').catch(() => '');
}

describe.each(clientVersions())('hooks of the user in Claude Code %s', (version) => {
	const catalog = JSON.stringify(CATALOG).slice(1, -1);

	test('get what the doctor says: the loaded text, and the answer', async () => {
		const user = await userWithKey();
		const all = { PostToolUse: '*', PostToolBatch: 'Bash', SubagentStop: '' };
		const { advised } = await scanWithHooks(version, user, all);
		expect(Object.keys(advised).sort()).toEqual(Object.keys(all).sort());
		expect(await written(user, 'PostToolUse')).toContain(catalog);
		expect(await written(user, 'PostToolBatch')).toContain(catalog);
		expect(await written(user, 'SubagentStop')).toContain('Nothing found.');

		const other = await userWithKey();
		const { PostToolUse = '', SubagentStop = '' } = advised;
		await scanWithHooks(version, other, { PostToolUse, SubagentStop, PreToolUse: '*', UserPromptSubmit: '' });
		expect(await written(other, 'PostToolUse')).toBe('');
		expect(await written(other, 'SubagentStop')).toBe('');
		expect(await written(other, 'PreToolUse')).not.toContain(catalog);
		expect(await written(other, 'UserPromptSubmit')).not.toContain(catalog);
	});
});
