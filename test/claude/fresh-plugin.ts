import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PLUGIN_ROOT } from '../support/paths.ts';

/** A copy of the plugin beside a home folder, as a person has it who fetched it just now: without packages. */
export async function freshPlugin(home: string, name: string): Promise<string> {
	const root = join(dirname(home), name);
	await mkdir(root);
	for (const part of [
		'.claude-plugin',
		'.mcp.json',
		'agents',
		'hooks',
		'server',
		'package.json',
		'package-lock.json',
	]) {
		await cp(join(PLUGIN_ROOT, part), join(root, part), { recursive: true });
	}
	return root;
}
