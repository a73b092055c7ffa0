import { dirname, join } from 'node:path';
import { foldersUp, markdownBelow, readText } from './instructions.ts';

/** Where Claude Code looks for what a name stands for. */
export interface PromptPlaces {
	readonly cwd: string;
	/** The user's own folder. */
	readonly config: string;
}

/** A skill or a command with its frontmatter. */
export interface Body {
	readonly file: string;
	readonly text: string;
}

/** The skills and commands that a name can stand for: of the user, of the project, and of a plugin as `plugin:name`. */
export async function bodiesOf(name: string, places: PromptPlaces): Promise<Body[]> {
	const path = name.replace(/^\//, '').split(':');
	if (path.some((part) => part === '' || part === '..' || /[/\\\0]/.test(part))) return [];
	const [plugin = '', ...inPlugin] = path;
	const folders = (await placesOf(places, inPlugin.length > 0 ? plugin : undefined)).flatMap(({ folder, isPlugin }) => {
		const parts = isPlugin ? inPlugin : path;
		return [join(folder, 'skills', ...parts, 'SKILL.md'), `${join(folder, 'commands', ...parts)}.md`];
	});
	const read = await Promise.all(folders.map(async (file) => ({ file, text: await readText(file) })));
	return read.flatMap(({ file, text }) => (text === undefined ? [] : [{ file, text }]));
}

/** The skills that an agent begins with, by the `skills:` in the frontmatter of the files that its type can stand for. */
export async function skillsOf(type: string, places: PromptPlaces): Promise<string[]> {
	const [plugin = '', inPlugin] = type.split(':');
	const found = await placesOf(places, inPlugin === undefined ? undefined : plugin);
	const files = await Promise.all(found.map(async ({ folder }) => await markdownBelow(join(folder, 'agents'))));
	const texts = await Promise.all(files.flat().map(readText));
	return texts.flatMap((text) => {
		const [, frontmatter] = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text ?? '') ?? [];
		const [, name] = /^name:\s*["']?([^"'\r\n]+?)["']?\s*$/m.exec(frontmatter ?? '') ?? [];
		if (frontmatter === undefined || name !== (inPlugin ?? type)) return [];
		const [, line = '', list = ''] = /^skills:[ \t]*(.*)((?:\r?\n[ \t]*-.*)*)/m.exec(frontmatter) ?? [];
		return `${line}\n${list}`.match(/[^\s,[\]"'-][^\s,[\]"']*/g) ?? [];
	});
}

/** @param plugin the one whose folders are looked into, too */
async function placesOf(
	{ cwd, config }: PromptPlaces,
	plugin: string | undefined,
): Promise<{ folder: string; isPlugin: boolean }[]> {
	const own = [config, ...foldersUp(cwd).map((folder) => join(folder, '.claude'))];
	const installed = plugin === undefined ? [] : await pluginFolders(plugin, config);
	return [
		...[...new Set(own)].map((folder) => ({ folder, isPlugin: false })),
		...installed.map((folder) => ({ folder, isPlugin: true })),
	];
}

/** Where the installed plugins of a name lie, whatever marketplace they are from. */
async function pluginFolders(name: string, config: string): Promise<string[]> {
	try {
		const text = await readText(join(config, 'plugins', 'installed_plugins.json'));
		const { plugins } = JSON.parse(text ?? '{}') as { plugins?: Record<string, { installPath?: unknown }[]> };
		const named = Object.entries(plugins ?? {}).filter(([id]) => id.split('@')[0] === name);
		return named.flatMap(([, versions]) => versions.map(({ installPath }) => installPath)).filter(isText);
	} catch {
		return []; // Another format: then nobody knows where they lie.
	}
}

function isText(value: unknown): value is string {
	return typeof value === 'string';
}

/** A body with what Claude Code puts in for its arguments, and for where it lies. */
export function withArguments({ file, text }: Body, args: string): string {
	const words = args.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
	return text
		.replace(/\$\{CLAUDE_SKILL_DIR\}/g, () => dirname(file))
		.replace(/\$ARGUMENTS\[(\d+)\]|\$(\d+)/g, (_, index?: string, number?: string) => {
			return (words[Number(index ?? number)] ?? '').replace(/^["']|["']$/g, '');
		})
		.replace(/\$ARGUMENTS/g, () => args);
}
