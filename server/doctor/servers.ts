import { setTimeout as delay } from 'node:timers/promises';
import type { KnownTools } from '../cli/report.ts';
import type { MapContent } from '../context-map/parse.ts';
import type { Unreached } from '../upstreams/create-upstreams.ts';
import type { UpstreamState } from '../upstreams/upstream.ts';
import { type Finding, failure, ok, warning } from './finding.ts';
import type { Patient } from './patient.ts';

/** The servers behind the broker: whether both instances of each can be reached. @returns with what is known of their tools */
export async function checkServers(
	{ connect }: Patient,
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
		await Promise.race([upstreams.started(), delay(PATIENCE, undefined, { ref: false })]);
		const findings = upstreams.states().flatMap((state): Finding[] => {
			const check = `server ${state.name}`;
			const ofIt = unreached.filter(({ server }) => server === state.name);
			if (ofIt.length > 0) return ofIt.map((instance) => notReached(check, instance));
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

/** Milliseconds that all servers together get to answer. */
const PATIENCE = 10_000;

const LATE = `has not answered within ${PATIENCE / 1_000} seconds.`;

const LATE_NEXT =
	'Start it, or correct its table in the map. If it is downloaded when it is started, look again in a minute.';

function notReached(check: string, { reason, next, printed }: Unreached): Finding {
	const finding = failure(check, reason, next);
	return printed.length === 0 ? finding : { ...finding, excerpt: printed };
}

function reached({ tools, isIsolatedReached, unpassed }: UpstreamState): string {
	const instances = isIsolatedReached === undefined ? 'one instance' : 'both instances';
	const behind = unpassed.length === 0 ? '' : `; its ${unpassed.join(', ')} do not pass through the broker`;
	return `${tools === 1 ? '1 tool' : `${tools} tools`}, ${instances} reached${behind}`;
}
