import { toolsInTranscript } from '../claude-code/known-tools.ts';
import { configuredServers, newestTranscripts } from '../claude-code/mcp-servers.ts';
import { clientPrefix } from '../claude-code/tool-names.ts';
import { type IsolatedTools, unknownTools } from '../context-map/isolated-tools.ts';
import type { MapContent } from '../context-map/parse.ts';
import { nearest } from '../text/nearest.ts';
import type { Plugin } from './claude-code.ts';
import { type Finding, ok, warning } from './finding.ts';
import type { Patient } from './patient.ts';

/** How many sessions are looked at for the tools of servers. */
const MOST_SESSIONS = 5;

/** The tables about servers that Claude Code runs: whether there is such a server, and whether it has such tools. */
export async function checkClientServers(
	patient: Patient,
	{ isolation }: MapContent,
	plugins: readonly Plugin[] = [],
): Promise<Finding[]> {
	const tables = isolation.filter(({ ofClient }) => ofClient);
	if (tables.length === 0) return [];
	const [servers, transcripts] = await Promise.all([
		configuredServers(patient, plugins),
		newestTranscripts(patient, MOST_SESSIONS),
	]);
	const tools = (await Promise.all(transcripts.map(toolsInTranscript))).flatMap((names) => names ?? []);
	return tables.flatMap((table) => checkTable(table, servers, tools));
}

function checkTable(table: IsolatedTools, servers: readonly string[], allTools: readonly string[]): Finding[] {
	const check = `server ${table.server}`;
	const prefix = clientPrefix(table.server);
	const tools = allTools.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
	const isThere = tools.length > 0 || servers.some((server) => clientPrefix(server) === prefix);
	if (!isThere) {
		const near = nearest(table.server, servers);
		const hint = near === undefined ? '' : `; the nearest is ${JSON.stringify(near)}`;
		return [warning(check, `The files of Claude Code name no server that is called so${hint}.`, OTHERWISE)];
	}
	// Which tools it has, only a session knows.
	const unknown = tools.length === 0 ? [] : unknownTools(table, tools);
	if (unknown.length > 0) return unknown.map((sentence) => warning(check, sentence, CORRECT));
	const which = table.tools === 'all' ? 'all its tools run' : `${table.tools.join(', ') || 'none of its tools'} run`;
	return [ok(check, `of Claude Code; ${which} in a subagent only, as long as the broker runs`)];
}

const OTHERWISE =
	'Correct the name in the map: as long as it is wrong, none of its tools is kept from the main agent. If it is a connector, or given with --mcp-config, ignore this.';

const CORRECT = 'Correct it in the map: as long as it is wrong, that tool is not kept from the main agent.';
