import type { MapContent } from '../context-map/parse.ts';
import { checkAgents } from './agents.ts';
import { checkClaudeCode, installedPlugins } from './claude-code.ts';
import type { DoctorContext } from './context.ts';
import { type Finding, failure, ok } from './finding.ts';
import { checkForeignHooks } from './foreign-hooks.ts';
import { checkDataFolder, checkIsolation, checkPrograms, checkTools } from './installation.ts';
import { checkKeys } from './keys.ts';
import { checkMap, checkSessionMap } from './map.ts';
import { checkSandbox } from './sandbox.ts';
import { checkClientServers, checkServers } from './servers.ts';
import { checkTraces } from './traces.ts';

/** Always shown as a hint, because the broker cannot check it. */
const EDITOR = 'text that you select in an editor connected to Claude Code is sent with your prompt: no hook checks it';

/** Checks everything that the broker needs, in the order in which to fix it. */
export async function examine(context: DoctorContext): Promise<Finding[]> {
	const { findings: map, content } = await checkMap(context);
	const plugins = installedPlugins(context);
	const servers = content && checkServers(context, content);
	const withMap = async (check: (content: MapContent) => Promise<Finding[]>) => (content ? await check(content) : []);
	const found = await Promise.all([
		guarded('Node.js', checkPrograms(context)),
		guarded('data folder', checkDataFolder(context)),
		guarded(
			'Claude Code',
			plugins.then((list) => checkClaudeCode(context, list)),
		),
		guarded('other hooks', checkForeignHooks(context, content)),
		map,
		guarded('map', checkSessionMap(context)),
		guarded(
			'keys',
			withMap((map) => checkKeys(context, map)),
		),
		guarded(
			'sandbox',
			withMap((map) => checkSandbox(context, map)),
		),
		content && content.entries.size > 0 ? [ok('editor', EDITOR)] : [],
		guarded(
			'agents',
			withMap(async (map) => checkAgents(context, map, await plugins)),
		),
		guarded(
			'servers',
			withMap(async (map) => checkClientServers(context, map, await plugins)),
		),
		guarded(
			'servers',
			withMap(async () => (await servers)?.findings ?? []),
		),
		guarded('tools', (async () => checkTools(context, (await servers)?.known ?? { tools: [], expected: [] }))()),
		guarded('isolation', checkIsolation(context, content)),
		guarded('traces', checkTraces(context, content)),
	]);
	return found.flat();
}

/** Turns an unexpected error of a check into a finding, so that the other checks go on. */
async function guarded(check: string, findings: Promise<Finding[]>): Promise<Finding[]> {
	return await findings.catch(({ code, name }: NodeJS.ErrnoException) => [
		failure(check, `The check failed (${code ?? name}).`, 'Run this again. If it fails again, report it.'),
	]);
}
