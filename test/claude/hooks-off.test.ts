import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LOAD_CONTEXT } from '../../server/claude-code/tools.ts';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { type BrokerSession, LOAD, mainSession, scanSession, userWithKey } from './broker-session.ts';
import { freshPlugin } from './fresh-plugin.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { leaks } from './markers.ts';

/** Neither the scanner nor the main agent gets anything, and both are told why. */
async function expectNothing(session: BrokerSession): Promise<void> {
	const { scan, model } = await scanSession({ ...session, keys: ['k'] });
	const main = await mainSession(session, [LOAD]);
	const reason = /^caller_unverified: .*: hooks are off, or those of the plugin were removed\. .* disableAllHooks/;
	for (const results of [scan.resultsOf(), main.results]) {
		expect(results).toMatchObject([{ isError: true, text: expect.stringMatching(reason) }]);
	}
	expect(leaks([...model.requests, ...main.model.requests])).toEqual([]);
}

/** Else the client itself refuses the call, before it comes to the broker. */
const ALLOWED = ['--plugin-dir', PLUGIN_ROOT, '--allowedTools', LOAD_CONTEXT];

const canMount = spawnSync('unshare', ['--map-root-user', '--mount', 'true']).status === 0;

describe.each(clientVersions())('Claude Code %s loads nothing', (version) => {
	test('when the hook was removed, also where everything is allowed', async () => {
		const user = await userWithKey();
		const args = ['--plugin-dir', await pluginWithoutGuardHook(user.home), '--dangerously-skip-permissions'];
		await expectNothing({ version, ...user, args, env: { IS_SANDBOX: '1' } });
	});

	test.each(['home', 'project'] as const)('when the settings in the %s switch hooks off', async (place) => {
		const user = await userWithKey();
		await mkdir(join(user[place], '.claude'), { recursive: true });
		await writeFile(join(user[place], '.claude', 'settings.json'), '{"disableAllHooks":true}');
		await expectNothing({ version, ...user, args: ALLOWED });
	});

	test('with the words of Claude Code, where the tool was not allowed either; docs/errors.md has them', async () => {
		const user = await userWithKey();
		await mkdir(join(user.home, '.claude'), { recursive: true });
		await writeFile(join(user.home, '.claude', 'settings.json'), '{"disableAllHooks":true}');
		const { scan, model } = await scanSession({ version, ...user, keys: ['k'] });
		const [result] = scan.resultsOf();
		const words = /Claude requested permissions to use (\S+), but you haven't granted it yet/.exec(result?.text ?? '');
		expect(words?.[1]).toBe(LOAD_CONTEXT);
		expect(await readFile(join(PLUGIN_ROOT, 'docs', 'errors.md'), 'utf8')).toContain(words?.[0]);
		expect(leaks(model.requests)).toEqual([]);
	});

	test.for(['allowManagedHooksOnly', 'disableAllHooks'])(
		'when the administrator has set %s',
		async (setting, { skip }) => {
			skip(!canMount, 'this account may make no namespaces');
			const user = await userWithKey();
			const within = await machineWithManagedSettings(dirname(user.home), JSON.stringify({ [setting]: true }));
			await expectNothing({ version, ...user, args: ALLOWED, within });
		},
	);
});

/** A copy of the plugin, with packages, whose hooks leave out the guard. */
async function pluginWithoutGuardHook(home: string): Promise<string> {
	const root = await freshPlugin(home, 'plugin');
	await symlink(join(PLUGIN_ROOT, 'node_modules'), join(root, 'node_modules'));
	const file = join(root, 'hooks', 'hooks.json');
	const { PreToolUse, ...hooks } = JSON.parse(await readFile(file, 'utf8')).hooks;
	expect(PreToolUse).toHaveLength(1);
	await writeFile(file, JSON.stringify({ hooks }));
	return root;
}

/** @returns a command that runs another one where /etc has an administrator's settings for Claude Code in it */
async function machineWithManagedSettings(folder: string, settings: string): Promise<string[]> {
	const etc = join(folder, 'etc');
	execFileSync('cp', ['--archive', '/etc', etc]);
	await mkdir(join(etc, 'claude-code'));
	await writeFile(join(etc, 'claude-code', 'managed-settings.json'), settings);
	const script = 'mount --bind "$0" /etc && exec "$@"';
	return ['unshare', '--map-root-user', '--mount', 'sh', '-c', script, etc];
}
