import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { mainSession, userWithKey } from './broker-session.ts';
import { runConversation } from './harness/conversation.ts';
import type { Home } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { startModel } from './harness/model.ts';
import { mentions } from './harness/request.ts';
import { leaks } from './markers.ts';

const BYPASS = { extraArgs: ['--dangerously-skip-permissions'], env: { IS_SANDBOX: '1' } };

/** Paths of the private file; on Windows also with slashes, in another case, and without the limits of old programs. */
function spellings({ home, project }: Home): string[] {
	const catalog = join(home, '.config', 'context-broker', 'catalog.md');
	const everywhere = [catalog, `${dirname(catalog)}${sep}.${sep}catalog.md`, relative(project, catalog)];
	if (process.platform !== 'win32') return everywhere;
	const slashes = catalog.replaceAll(sep, '/');
	return [
		...everywhere,
		slashes,
		`${slashes[0]?.toLowerCase()}${slashes.slice(1)}`,
		catalog.toUpperCase(),
		`\\\\?\\${catalog}`,
	];
}

describe.each(clientVersions())('Claude Code %s: however the path of a private file is spelled', (version) => {
	test('it is refused to the main agent, and another file of its name is not', async () => {
		const user = await userWithKey();
		const other = join(user.project, 'private', 'catalog.md');
		await mkdir(dirname(other));
		await writeFile(other, 'a line of the project');
		const calls = [...spellings(user), other].map((file_path) => ({ tool: 'Read', input: { file_path } }));
		const { results, model } = await mainSession({ version, ...user, ...BYPASS }, calls);
		expect(results).toMatchObject([
			...spellings(user).map(() => ({ isError: true, text: expect.stringContaining('protected_file: ') })),
			{ isError: false, text: expect.stringContaining('a line of the project') },
		]);
		expect(leaks(model.requests)).toEqual([]);
	});

	test('it is not attached to a prompt', async () => {
		const user = await userWithKey();
		const model = await startModel(() => ({ text: 'Done.' }));
		onTestFinished(() => model.close());
		await runConversation({
			...{ version, home: user.home, cwd: user.project, model },
			prompts: [...spellings(user).map((path) => `Look at @${path} now.`), 'The last one.'],
			args: ['--plugin-dir', PLUGIN_ROOT],
		});
		expect(leaks(model.requests)).toEqual([]);
		expect(model.requests.some((request) => mentions(request, 'Look at'))).toBe(false);
		expect(model.requests.some((request) => mentions(request, 'The last one.'))).toBe(true);
	});
});
