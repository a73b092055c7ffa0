import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CHECKOUT_PACKAGES, LINK_PACKAGES } from '../support/installation.ts';
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

/**
 * Variables with which `npm ci` takes no time.
 *
 * @param commands of a shell, to run before it
 */
export async function withLinkedPackages(
	home: string,
	commands = '',
): Promise<{ PATH: string; CHECKOUT_PACKAGES: string }> {
	const folder = join(dirname(home), 'bin');
	await mkdir(folder);
	const script = `#!/bin/sh\nif [ "$1" = ci ]; then\n${commands}\n${LINK_PACKAGES}\nfi\nPATH="\${PATH#*:}"\nexec npm "$@"\n`;
	await writeFile(join(folder, 'npm'), script, { mode: 0o755 });
	return { PATH: `${folder}:${process.env.PATH}`, CHECKOUT_PACKAGES };
}
