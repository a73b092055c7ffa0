import { setTimeout as delay } from 'node:timers/promises';
import type { KnownTools } from '../command-line/state.ts';
import type { MapContent } from '../context-map/parse.ts';
import { type Finding, failure, ok, warning } from './finding.ts';
import type { Patient } from './patient.ts';

/** The servers behind the broker: whether both instances of each can be reached. @returns with what is known of their tools */
export async function checkServers(
	{ connect }: Patient,
	content: MapContent,
): Promise<{ findings: Finding[]; known: KnownTools }> {
	if (content.servers.length === 0) return { findings: [], known: { tools: [], expected: [] } };
	const told: string[] = [];
	const upstreams = await connect(content, (sentence) => told.push(sentence));
	try {
		await Promise.race([upstreams.started(), delay(PATIENCE, undefined, { ref: false })]);
		const findings = upstreams.states().map(({ name, tools, isReached, isIsolatedReached }): Finding => {
			const check = `server ${name}`;
			const beginning = `[mcp_servers.${name}]: `;
			const reasons = told.filter((sentence) => sentence.startsWith(beginning) && sentence.includes(UNREACHED));
			if (!isReached || isIsolatedReached === false) {
				const late = `It has not answered within ${PATIENCE / 1_000} seconds.`;
				const [message = late, ...excerpt] = reasons.flatMap((reason) => reason.slice(beginning.length).split('\n'));
				const finding = failure(check, message, 'Start it, or correct its table in the map.');
				return excerpt.length === 0 ? finding : { ...finding, excerpt };
			}
			const instances = isIsolatedReached === undefined ? 'one instance' : 'both instances';
			return ok(check, `${tools === 1 ? '1 tool' : `${tools} tools`}, ${instances} reached`);
		});
		const others = told.filter((sentence) => !sentence.includes(UNREACHED));
		const warnings = others.map((sentence) => warning('servers', sentence, 'Correct it in the map, or in the server.'));
		const known = { tools: upstreams.exposable(false), expected: upstreams.expected() };
		return { findings: [...findings, ...warnings], known };
	} finally {
		await upstreams.close();
	}
}

/** Milliseconds that all servers together get to answer. */
const PATIENCE = 10_000;

/** What a sentence says of an instance that did not answer. */
const UNREACHED = 'can not be reached';
