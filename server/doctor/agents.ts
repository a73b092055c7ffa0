import { hasNotificationHook } from '../claude-code/client.ts';
import { configFolder, ownFolder } from '../claude-code/folders.ts';
import { type AgentFile, agentsIn, isInBackground } from '../claude-code/prompt-files.ts';
import type { MapContent } from '../context-map/parse.ts';
import { mayLoad } from '../policy/entitlement.ts';
import { editDistance, nearest } from '../text/nearest.ts';
import type { Plugin } from './claude-code.ts';
import type { DoctorContext } from './context.ts';
import { type Finding, ok, warning } from './finding.ts';
import { shortened } from './keys.ts';

const BUILT_IN = ['general-purpose', 'Explore', 'Plan', 'statusline-setup', 'output-style-setup', 'claude-code-guide'];

/** Checks that agents named in the map exist, and that keys in agents' bodies are in the map. */
export async function checkAgents(
	context: DoctorContext,
	{ entries, faults }: MapContent,
	plugins: readonly Plugin[] = [],
): Promise<Finding[]> {
	const agents = await agentsOf(context, plugins);
	const names = [...agents.map(({ name }) => name), ...BUILT_IN];
	const findings: Finding[] = [];
	for (const [key, { agents: listed = [] }] of entries) {
		for (const name of listed.filter((each) => !names.includes(each))) {
			const closest = nearest(name, names);
			const hint = closest === undefined ? '' : `; the nearest is "${closest}"`;
			const next = 'Correct the name in the map, or ignore this if the agent belongs to another project.';
			findings.push(
				warning(`key ${shortened(key)}`, `It names the agent "${name}", which was not found${hint}.`, next),
			);
		}
	}
	// If some keys could not be read, a missing key may be one of them.
	const isWhole = !faults.some(({ hides }) => hides.includes('keys'));
	for (const { name, body } of isWhole ? agents : []) {
		for (const key of keysIn(body).filter((each) => !entries.has(each))) {
			const next = isMistyped(key, entries)
				? 'The map has a key that is nearly the same. Compare the two, character by character.'
				: 'Add the key to the map, below [keys], with the path of its file.';
			findings.push(
				warning(`agent ${name}`, `Its body names the key ${shortened(key)}, which is not in the map.`, next),
			);
		}
	}
	const unchecked = agents.filter((agent) => isInBackground(agent) && mayLoad(agent.name, entries));
	if (unchecked.length > 0) {
		const version = (await context.run('claude', ['--version']))?.text ?? '';
		for (const { name } of hasNotificationHook({ name: 'claude-code', version }) ? [] : unchecked) {
			const message =
				'Its file says "background: true". With this version of Claude Code its answers cannot be checked, so it can load nothing.';
			findings.push(warning(`agent ${name}`, message, 'Remove that line from its file, or update Claude Code.'));
		}
	}
	const loading = agents.filter(({ body }) => keysIn(body).length > 0).map(({ name }) => name);
	const list = loading.length === 0 ? 'none names a key' : `with a key in the body: ${loading.join(', ')}`;
	return findings.length > 0 ? findings : [ok('agents', list)];
}

function isMistyped(key: string, entries: MapContent['entries']): boolean {
	const closest = nearest(key, [...entries.keys()]);
	return closest !== undefined && editDistance(key.slice(0, 100), closest.slice(0, 100)) <= 2;
}

/** Agents of the user, of the project, and of enabled plugins: `agent` or `plugin:agent`. */
async function agentsOf(
	{ environment, home, project }: DoctorContext,
	plugins: readonly Plugin[],
): Promise<AgentFile[]> {
	// In the home folder, the user's and the project's folder are the same.
	const own = [...new Set([configFolder(environment, home), ownFolder(project)])].map((folder) => ({
		folder,
		prefix: '',
	}));
	const enabled = plugins.filter((plugin) => plugin.enabled !== false);
	const ofPlugins = enabled.map(({ id, installPath = '', readFromFolder = installPath }) => {
		return { folder: readFromFolder, prefix: `${id.replace(/@[^@]*$/, '')}:` };
	});
	const found = [...own, ...ofPlugins].map(async ({ folder, prefix }) =>
		(await agentsIn(folder)).map((agent) => ({ ...agent, name: `${prefix}${agent.name}`.normalize() })),
	);
	return (await Promise.all(found)).flat();
}

/** The keys in a body that calls `load_context`: text in code marks behind the word "key". */
export function keysIn(body: string): string[] {
	if (!body.includes('load_context')) return [];
	const keys = [...body.matchAll(/\bkey\b[^`\n]{0,40}`([^`\s]+)`/gi)].map(([, key = '']) => key);
	return [...new Set(keys)].filter((key) => !/^[\w]+$/.test(key) || /\d/.test(key));
}
