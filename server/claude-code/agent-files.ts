import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds between two looks, and how many there are: the file is written when the agent is started. */
const LOOKS = { every: 40, times: 10 };

/**
 * The description with which a subagent was started, from what Claude Code keeps beside its transcript. No hook tells
 * it; the file is there before the agent's first call in 2.1.126 and 2.1.332.
 *
 * @param transcript the one of the session's main thread
 * @returns undefined where there is no such file
 */
export async function agentDescription(transcript: string, agent: string): Promise<string | undefined> {
	for (let look = 1; ; look++) {
		const { description } = await read(transcript, agent);
		if (typeof description === 'string') return description;
		if (look === LOOKS.times) return undefined;
		await delay(LOOKS.every);
	}
}

/**
 * What a subagent is, `plugin:agent` or `agent`, also one of an earlier process; from the same place.
 *
 * @returns undefined where there is no such file
 */
export async function agentType(transcript: string, agent: string): Promise<string | undefined> {
	const { agentType: type } = await read(transcript, agent);
	return typeof type === 'string' ? type : undefined;
}

/**
 * What a subagent was called by whoever started it (2.1.332), also one of an earlier process; from the same place.
 *
 * @returns undefined where it has no name, or there is no such file
 */
export async function agentName(transcript: string, agent: string): Promise<string | undefined> {
	const { name } = await read(transcript, agent);
	return typeof name === 'string' ? name : undefined;
}

/** What Claude Code keeps of an agent, as far as it is of use here. */
interface Kept {
	readonly description?: unknown;
	readonly agentType?: unknown;
	readonly name?: unknown;
}

async function read(transcript: string, agent: string): Promise<Kept> {
	// It becomes a part of a path.
	if (!/^[A-Za-z0-9_-]+$/.test(agent)) return {};
	const file = join(transcript.replace(/\.jsonl$/, ''), 'subagents', `agent-${agent}.meta.json`);
	try {
		return Object(JSON.parse(await fs.readFile(file, 'utf8')));
	} catch {
		return {}; // Not there yet, or not whole.
	}
}
