import { checkAgents } from './agents.ts';
import { checkClaudeCode, installedPlugins } from './claude-code.ts';
import { checkClientServers } from './client-servers.ts';
import { checkDataFolder } from './data-folder.ts';
import { type Finding, failure, ok } from './finding.ts';
import { checkForeignHooks } from './foreign-hooks.ts';
import { checkIsolation } from './isolation.ts';
import { checkKeys } from './keys.ts';
import { checkMap, checkSessionMap } from './map.ts';
import type { Patient } from './patient.ts';
import { checkPrograms } from './programs.ts';
import { checkServers } from './servers.ts';
import { checkTools } from './tools.ts';

/** What nobody can look at. */
const EDITOR =
	'what you select in an editor connected to Claude Code goes along with your prompt: no hook sees it first';

/** Looks at all that has to be right for the broker to work, in the order in which it is to be put right. */
export async function examine(patient: Patient): Promise<Finding[]> {
	const { findings: map, content } = await checkMap(patient);
	const plugins = installedPlugins(patient);
	const servers = content && checkServers(patient, content);
	const found = await Promise.all([
		whole('Node.js', checkPrograms(patient)),
		whole('data folder', checkDataFolder(patient)),
		whole(
			'Claude Code',
			plugins.then((list) => checkClaudeCode(patient, list)),
		),
		whole('other hooks', checkForeignHooks(patient, content)),
		map,
		whole('map', checkSessionMap(patient)),
		content ? whole('keys', checkKeys(patient, content)) : [],
		content && content.entries.size > 0 ? [ok('editor', EDITOR)] : [],
		content
			? whole(
					'agents',
					plugins.then((list) => checkAgents(patient, content, list)),
				)
			: [],
		content
			? whole(
					'servers',
					plugins.then((list) => checkClientServers(patient, content, list)),
				)
			: [],
		whole(
			'servers',
			servers?.then(({ findings }) => findings),
		),
		whole(
			'tools',
			Promise.resolve(servers).then((found) => checkTools(patient, found?.known ?? { tools: [], expected: [] })),
		),
		whole('isolation', checkIsolation(patient, content)),
	]);
	return found.flat();
}

/** A check that fails in a way that nobody has foreseen is told, and does not take the others along. */
async function whole(check: string, findings: Promise<Finding[]> = Promise.resolve([])): Promise<Finding[]> {
	return await findings.catch((error: NodeJS.ErrnoException) => [
		failure(
			check,
			`It could not be looked at (${error.code ?? error.name}).`,
			'Run this again; if it stays, report it.',
		),
	]);
}
