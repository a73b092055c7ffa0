import { setTimeout as delay } from 'node:timers/promises';
import { toolsInTranscript } from '../claude-code/known-tools.ts';
import { configuredServers, newestTranscripts } from '../claude-code/mcp-servers.ts';
import { clientPrefix } from '../claude-code/tool-names.ts';
import type { KnownTools } from '../cli/report.ts';
import { type IsolatedTools, unknownTools } from '../context-map/isolated-tools.ts';
import type { MapContent } from '../context-map/parse.ts';
import { nearest } from '../text/nearest.ts';
import type { Unreached } from '../upstreams/create-upstreams.ts';
import type { UpstreamState } from '../upstreams/upstream.ts';
import type { Plugin } from './claude-code.ts';
import type { DoctorContext } from './context.ts';
import { type Finding, failure, ok, warning } from './finding.ts';

/** For all servers together. */
const ANSWER_TIMEOUT_MS = 10_000;

const LATE = `has not answered within ${ANSWER_TIMEOUT_MS / 1_000} seconds.`;

const LATE_NEXT =
	'Start it, or correct its table in the map. If it is downloaded at its start, run this again in a minute.';

/** Checks that both instances of each server behind the broker can be reached. @returns their tools, too */
export async function checkServers(
	{ connect }: DoctorContext,
	content: MapContent,
): Promise<{ findings: Finding[]; known: KnownTools }> {
	if (content.servers.length === 0) return { findings: [], known: { tools: [], expected: [] } };
	const unreached: Unreached[] = [];
	const others: string[] = [];
	const upstreams = await connect(
		content,
		(sentence, what) => void (what ? unreached.push(what) : others.push(sentence)),
	);
	try {
		await Promise.race([upstreams.started(), delay(ANSWER_TIMEOUT_MS, undefined, { ref: false })]);
		const findings = upstreams.states().flatMap((state): Finding[] => {
			const check = `server ${state.name}`;
			const instances = unreached.filter(({ server }) => server === state.name);
			if (instances.length > 0) return instances.map((instance) => notReached(check, instance));
			if (!state.isReached) return [failure(check, `It ${LATE}`, LATE_NEXT)];
			if (state.isIsolatedReached === false) return [failure(check, `Its isolated instance ${LATE}`, LATE_NEXT)];
			return [ok(check, reached(state))];
		});
		const warnings = others.map((sentence) => warning('servers', sentence, 'Correct it in the map, or in the server.'));
		const known = { tools: upstreams.exposable(false), expected: upstreams.expected() };
		return { findings: [...findings, ...warnings], known };
	} finally {
		await upstreams.close();
	}
}

function notReached(check: string, { reason, next, printed }: Unreached): Finding {
	return { ...failure(check, reason, next), ...(printed.length === 0 ? {} : { excerpt: printed }) };
}

function reached({ tools, isIsolatedReached, unpassed }: UpstreamState): string {
	const instances = isIsolatedReached === undefined ? 'one instance' : 'both instances';
	const behind = unpassed.length === 0 ? '' : `; its ${unpassed.join(', ')} do not pass through the broker`;
	return `${tools === 1 ? '1 tool' : `${tools} tools`}, ${instances} reached${behind}`;
}

const MAX_SESSIONS = 5;

const CORRECT_NAME =
	'Correct the name in the map: until then, none of its tools is kept from the main agent. Ignore this if it is a connector, or given with --mcp-config.';

const CORRECT_TOOL = 'Correct it in the map: until then, that tool is not kept from the main agent.';

/** Checks that the servers in the map that Claude Code runs exist with their tools. */
export async function checkClientServers(
	context: DoctorContext,
	{ isolation }: MapContent,
	plugins: readonly Plugin[] = [],
): Promise<Finding[]> {
	const tables = isolation.filter(({ runByClient }) => runByClient);
	if (tables.length === 0) return [];
	const [servers, transcripts] = await Promise.all([
		configuredServers(context, plugins),
		newestTranscripts(context, MAX_SESSIONS),
	]);
	const tools = (await Promise.all(transcripts.map(toolsInTranscript))).flatMap((names) => names ?? []);
	return tables.flatMap((table) => checkTable(table, servers, tools));
}

function checkTable(table: IsolatedTools, servers: readonly string[], allTools: readonly string[]): Finding[] {
	const check = `server ${table.server}`;
	const prefix = clientPrefix(table.server);
	const tools = allTools.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
	if (tools.length === 0 && !servers.some((server) => clientPrefix(server) === prefix)) {
		const near = nearest(table.server, servers);
		const hint = near === undefined ? '' : `; the nearest is ${JSON.stringify(near)}`;
		return [warning(check, `The files of Claude Code name no server with this name${hint}.`, CORRECT_NAME)];
	}
	// Tools are known only if a session used the server.
	const unknown = tools.length === 0 ? [] : unknownTools(table, tools);
	if (unknown.length > 0) return unknown.map((sentence) => warning(check, sentence, CORRECT_TOOL));
	const which = table.tools === 'all' ? 'all its tools run' : `${table.tools.join(', ') || 'none of its tools'} run`;
	return [ok(check, `of Claude Code; ${which} only in a subagent, while the broker runs`)];
}
