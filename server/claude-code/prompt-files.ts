import { promises as fs } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { markdownBelow, readText } from './instructions.ts';
import { readJson } from './settings-files.ts';

const MAX_SKILLS = 500;

export interface PromptPlaces {
	/** Folders that can have a `.claude`: the project, those above it, and those below in which an agent read or wrote. */
	readonly folders: readonly string[];
	readonly config: string;
}

export interface Body {
	readonly file: string;
	readonly text: string;
}

/** The user's, the project's and a plugin's (`plugin:name`) files. A skill has its folder's name and its frontmatter's. */
export async function bodiesOf(name: string, places: PromptPlaces): Promise<Body[]> {
	const path = name.replace(/^\//, '').split(':');
	if (path.some((part) => part === '' || part === '..' || /[/\\\0]/.test(part))) return [];
	const [plugin = '', ...inPlugin] = path;
	const found = await placesOf(places, inPlugin.length > 0 ? plugin : undefined);
	const bodies = found.map(async ({ folder, isPlugin }) => {
		const parts = isPlugin ? inPlugin : path;
		const own = [join(folder, 'skills', ...parts, 'SKILL.md'), `${join(folder, 'commands', ...parts)}.md`];
		const [first, others] = await Promise.all([read(own), read(await skillsIn(join(folder, 'skills')))]);
		const named = others.filter(({ file, text }) => parse(text).name === parts.join(':') && !own.includes(file));
		return [...first, ...named];
	});
	return (await Promise.all(bodies)).flat();
}

async function skillsIn(folder: string): Promise<string[]> {
	const names = await fs.readdir(folder).catch(() => []);
	return names.slice(0, MAX_SKILLS).map((name) => join(folder, name, 'SKILL.md'));
}

async function read(files: readonly string[]): Promise<Body[]> {
	const texts = await Promise.all(files.map(async (file) => ({ file, text: await readText(file) })));
	return texts.flatMap(({ file, text }) => (text === undefined ? [] : [{ file, text }]));
}

function parse(text: string): { readonly head: string; readonly body: string; readonly name: string | undefined } {
	const [, head = '', body = ''] = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---(?:\r?\n([\s\S]*))?/.exec(text) ?? [];
	return { head, body, name: /^name:[ \t]*(["']?)(.+?)\1[ \t]*$/m.exec(head)?.[2] };
}

/** The skills that an agent begins with: `skills:` in the frontmatter of all files that its type can mean. */
export async function skillsOf(type: string, places: PromptPlaces): Promise<string[]> {
	const [plugin = '', inPlugin] = type.split(':');
	const found = await placesOf(places, inPlugin === undefined ? undefined : plugin);
	const agents = (await Promise.all(found.map(async ({ folder }) => await agentsIn(folder)))).flat();
	return agents.flatMap(({ name, head }) => {
		if (name !== (inPlugin ?? type)) return [];
		const [, line = '', list = ''] = /^skills:[ \t]*(.*)((?:\r?\n[ \t]*-.*)*)/m.exec(head) ?? [];
		return `${line}\n${list}`.match(/[^\s,[\]"'-][^\s,[\]"']*/g) ?? [];
	});
}

export interface AgentFile {
	readonly name: string;
	/** The frontmatter. */
	readonly head: string;
	readonly body: string;
}

/** The agents of a user, a project or a plugin. */
export async function agentsIn(folder: string): Promise<AgentFile[]> {
	const files = await read(await markdownBelow(join(folder, 'agents')));
	return files.map(({ file, text }) => {
		const { head, body, name = basename(file, '.md') } = parse(text);
		return { name, head, body };
	});
}

/** Whether an agent's file makes it run in the background, whatever the call that starts it asks for. */
export function isInBackground({ head }: AgentFile): boolean {
	return /^background:[ \t]*["']?true\b/im.test(head);
}

/** @param plugin the plugin whose folders count as well */
async function placesOf(
	{ folders, config }: PromptPlaces,
	plugin: string | undefined,
): Promise<{ folder: string; isPlugin: boolean }[]> {
	const own = [config, ...folders.map((folder) => join(folder, '.claude'))];
	const installed = plugin === undefined ? [] : await pluginFolders(plugin, config);
	return [
		...[...new Set(own)].map((folder) => ({ folder, isPlugin: false })),
		...installed.map((folder) => ({ folder, isPlugin: true })),
	];
}

/** The folders of the installed plugins with this name, from any marketplace. */
async function pluginFolders(name: string, config: string): Promise<string[]> {
	const file = await readJson(join(config, 'plugins', 'installed_plugins.json')).catch(() => undefined);
	const installed = Object.entries<unknown>(Object(Object(file).plugins)).filter(([id]) => id.split('@')[0] === name);
	const paths = installed.flatMap(([, versions]) => [versions].flat().map((version) => Object(version).installPath));
	return paths.filter((path) => typeof path === 'string');
}

/** A body with its arguments and its folder inserted, as Claude Code does. */
export function withArguments({ file, text }: Body, args: string): string {
	const words = args.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
	return text
		.replace(/\$\{CLAUDE_SKILL_DIR\}/g, () => dirname(file))
		.replace(/\$ARGUMENTS\[(\d+)\]|\$(\d+)/g, (_, index?: string, number?: string) => {
			return (words[Number(index ?? number)] ?? '').replace(/^["']|["']$/g, '');
		})
		.replace(/\$ARGUMENTS/g, () => args);
}
