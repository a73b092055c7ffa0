import { foldName } from '../claude-code/agent-names.ts';
import { configInvalid } from '../context-map/map-fault.ts';
import type { Entry, PrivateContent } from '../context-map/parse.ts';
import { BrokerError } from '../errors.ts';

/** The plugin's own agents that may load, by the names that Claude Code gives them. */
export const BUNDLED_AGENTS: readonly string[] = ['context-broker:privacy-scanner'];

/** The entry or an error. Only the plugin's own agents learn which keys exist. @param agent undefined if the key decides */
export function entryFor(
	agent: string | undefined,
	key: string,
	{ entries, faults }: Pick<PrivateContent, 'entries' | 'faults'>,
): Entry | BrokerError {
	const entry = entries.get(key);
	const agents = entry?.agents ?? BUNDLED_AGENTS;
	const isListed = agent === undefined || agents.includes(agent.normalize());
	if (entry !== undefined && isListed) return entry;
	const fault = faults.find(({ hides }) => hides.includes('keys'));
	if (fault !== undefined) return configInvalid(fault);
	if (isListed) return new BrokerError('unknown_key');
	return new BrokerError('agent_not_listed', { detail: `The name of this agent is ${JSON.stringify(agent)}.` });
}

/** Whether an agent may load: one of the plugin's, or one in the map. @param agent in any spelling that starts it */
export function mayLoad(agent: string, entries: PrivateContent['entries']): boolean {
	const name = foldName(agent);
	const isIt = (one: string) => foldName(one) === name;
	return BUNDLED_AGENTS.some(isIt) || [...entries.values()].some(({ agents }) => agents?.some(isIt));
}
