import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stateFolder } from '../../../server/record/state-folder.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test('a command in a terminal looks at the data folder of the plugin in Claude Code, the one used last', async () => {
	const home = await temporaryFolder();
	expect(stateFolder('/own', {}, home)).toBe('/own');
	const folder = join(home, '.claude', 'plugins', 'data');
	const [one, other] = [join(folder, 'context-broker-context-broker'), join(folder, 'context-broker-inline')];
	for (const each of [one, other, join(folder, 'another-plugin')]) {
		await mkdir(each, { recursive: true });
		await utimes(each, 1_000, 1_000);
	}
	await utimes(join(folder, 'another-plugin'), 3_000, 3_000);
	await utimes(one, 2_000, 2_000);
	expect(stateFolder('/own', {}, home)).toBe(one);
	await writeFile(join(other, 'last-session.json'), '{}');
	await utimes(other, 1_000, 1_000);
	expect(stateFolder('/own', {}, home)).toBe(other);
});

test('what Claude Code itself says counts before all, and its other folder for settings', async () => {
	const home = await temporaryFolder();
	const folder = join(home, 'elsewhere', 'plugins', 'data', 'context-broker-m');
	await mkdir(folder, { recursive: true });
	const environment = { CLAUDE_CONFIG_DIR: join(home, 'elsewhere') };
	expect(stateFolder('/own', environment, home)).toBe(folder);
	expect(stateFolder('/own', { ...environment, CLAUDE_PLUGIN_DATA: '/own' }, home)).toBe('/own');
});
