import { join } from 'node:path';

/** Settings with one hook, a command unless told otherwise. */
export function hook(event: string, matcher: string | undefined, one: object): object {
	return { hooks: { [event]: [{ matcher, hooks: [{ type: 'command', ...one }] }] } };
}

/** Installs a plugin as Claude Code does. @param write a file below the folder of `home` @returns the plugin's folder */
export async function installPlugin(
	write: (path: string, content: unknown) => Promise<string>,
	id: string,
	hooks?: object,
	manifest: object = {},
): Promise<string> {
	const root = join('home', '.claude', 'plugins', 'cache', id);
	const file = await write(join(root, '.claude-plugin', 'plugin.json'), { name: id.split('@')[0], ...manifest });
	if (hooks !== undefined) await write(join(root, 'hooks', 'hooks.json'), hooks);
	const installPath = join(file, '..', '..');
	const installed = { version: 2, plugins: { [id]: [{ scope: 'user', installPath }] } };
	await write(join('home', '.claude', 'plugins', 'installed_plugins.json'), installed);
	return root;
}
