import { join } from 'node:path';
import { configFolder } from './folders.ts';
import { readJson, type SettingsOwner, settingsFiles } from './settings-files.ts';
import { AGENT_TOOLS } from './tools.ts';

/** A hook that is not this plugin's. */
export interface ForeignHook {
	readonly file: string;
	/** `plugin@marketplace`, if a plugin has it. */
	readonly plugin?: string;
	readonly event: string;
	readonly matcher?: unknown;
	/** A command, an address, a tool or a prompt. */
	readonly action: string;
	/** Whether its answer can replace a tool's result. */
	readonly answers: boolean;
	/** A permission rule that its calls have to match. */
	readonly condition?: unknown;
}

/** The types of hooks whose answer can replace a result. Measured: `prompt` and `agent` cannot. */
const ANSWERING = ['command', 'http', 'mcp_tool'];

const OWN = /^context-broker@/;

/** `unreadable` includes the files that are not JSON. */
export async function readHookSettings(
	owner: SettingsOwner,
): Promise<{ readonly hooks: readonly ForeignHook[]; readonly unreadable: readonly string[] }> {
	const unreadable: string[] = [];
	const read = async (file: string) =>
		await readJson(file).catch(() => {
			unreadable.push(file);
		});
	const files = await settingsFiles(owner);
	const settings = await Promise.all(files.map(async (file) => ({ file, content: await read(file) })));
	const enabled = Object.assign({}, ...settings.map(({ content }) => Object(Object(content).enabledPlugins)));
	const ids = Object.keys(enabled).filter((id) => enabled[id] !== false && !OWN.test(id));
	const hooks = [
		...settings.flatMap(({ file, content }) => hooksIn(content, { file })),
		...(ids.length > 0
			? await hooksOfPlugins(ids, join(configFolder(owner.environment, owner.home), 'plugins'), read)
			: []),
	];
	return { hooks, unreadable };
}

type Read = (file: string) => Promise<unknown>;

async function hooksOfPlugins(ids: readonly string[], folder: string, read: Read): Promise<ForeignHook[]> {
	const installed = Object(Object(await read(join(folder, 'installed_plugins.json'))).plugins);
	const marketplaces = Object(await read(join(folder, 'known_marketplaces.json')));
	const found = await Promise.all(
		ids.map(async (plugin) => {
			const [, name = '', marketplace = ''] = /^(.*)@(.*)$/.exec(plugin) ?? [];
			const location = String(Object(marketplaces[marketplace]).installLocation ?? '');
			const list = join(location, '.claude-plugin', 'marketplace.json');
			const plugins = location === '' ? [] : asArray(Object(await read(list)).plugins);
			const entry = Object(plugins.find((each) => Object(each).name === name));
			// If the marketplace is a folder, older versions read the copy, newer ones the folder.
			const roots = asArray(installed[plugin]).map((each) => String(Object(each).installPath ?? ''));
			if (typeof entry.source === 'string') roots.push(join(location, entry.source));
			const inRoots = roots.filter((root) => root !== '').map((root) => hooksOfPlugin(root, plugin, read));
			const all = [...hooksIn(entry, { file: list, plugin }), ...(await Promise.all(inRoots)).flat()];
			return [...new Map(all.map((hook) => [JSON.stringify({ ...hook, file: '' }), hook])).values()];
		}),
	);
	return found.flat();
}

async function hooksOfPlugin(root: string, plugin: string, read: Read): Promise<ForeignHook[]> {
	const manifest = join(root, '.claude-plugin', 'plugin.json');
	const named = [Object(await read(manifest)).hooks].flat();
	const files = ['hooks/hooks.json', ...named.filter((each) => typeof each === 'string')];
	const inFiles = [...new Set(files.map((name) => join(root, name)))].map(async (file) =>
		hooksIn(await read(file), { file, plugin }),
	);
	const inline = named.flatMap((hooks) => hooksIn(Object(hooks).hooks ? hooks : { hooks }, { file: manifest, plugin }));
	return [...inline, ...(await Promise.all(inFiles)).flat()];
}

/** The hooks in settings. Skips what Claude Code would not accept. */
function hooksIn(settings: unknown, source: Pick<ForeignHook, 'file' | 'plugin'>): ForeignHook[] {
	return Object.entries(Object(Object(settings).hooks)).flatMap(([event, groups]) =>
		asArray(groups).flatMap((group) => {
			const { matcher, hooks } = Object(group);
			return asArray(hooks).map((hook) => {
				const { type, command, url, server, tool, prompt, async, asyncRewake, if: condition } = Object(hook);
				const action = String(command ?? url ?? (tool === undefined ? prompt : `${server} ${tool}`) ?? '');
				const answers = ANSWERING.includes(type) && async !== true && asyncRewake !== true;
				return { ...source, event, matcher, action, answers, condition };
			});
		}),
	);
}

function asArray(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : [];
}

export function seesTool({ event, matcher, condition }: ForeignHook, tools: readonly string[]): boolean {
	if (event === 'PostToolBatch') return true; // Claude Code ignores matchers there.
	const isCovered = event === 'PostToolUse' && covers(matcher, tools);
	return isCovered && (typeof condition !== 'string' || tools.includes(condition.replace(/\(.*/s, '').trim()));
}

export function seesAnswers(hook: ForeignHook, agents: readonly string[]): boolean {
	return hook.event === 'SubagentStop' ? covers(hook.matcher, agents) : rewrites({ ...hook, answers: true });
}

/** Whether a hook can replace an agent's answer: the hook that ends last wins. */
export function rewrites(hook: ForeignHook): boolean {
	return hook.event === 'PostToolUse' && hook.answers && seesTool(hook, AGENT_TOOLS);
}

/** A matcher that is a list of names, in 2.1.332 and in 2.1.126. Any other is a regular expression. */
const NAMES = /^[\w|, -]+$/;
const OLD_NAMES = /^\w[\w|]*$/;

/** Whether a matcher covers a name in 2.1.126 or 2.1.332 (measured): none, `*`, names with `|` or commas, or a pattern. */
export function covers(matcher: unknown, names: readonly string[]): boolean {
	if (typeof matcher !== 'string' || matcher === '' || matcher === '*') return true;
	const listed = matcher.split(/[|,]/).map((name) => name.trim());
	if (NAMES.test(matcher) && names.some((name) => listed.includes(name))) return true;
	if (OLD_NAMES.test(matcher)) return false;
	try {
		const pattern = new RegExp(matcher);
		return names.some((name) => pattern.test(name));
	} catch {
		return false; // Claude Code does not run such a hook.
	}
}
