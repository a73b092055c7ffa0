import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 40;
const MAX_POLLS = 10;

/**
 * Read from Claude Code's file beside the main thread's transcript, since no hook has the description. The file exists
 * before the agent's first call in 2.1.126 and 2.1.332.
 */
export async function agentDescription(transcript: string, agent: string): Promise<string | undefined> {
	for (let poll = 1; ; poll++) {
		const description = await readField(transcript, agent, 'description');
		if (description !== undefined || poll === MAX_POLLS) return description;
		await delay(POLL_MS);
	}
}

/** `plugin:agent` or `agent`, also of an agent of an earlier process. */
export async function agentType(transcript: string, agent: string): Promise<string | undefined> {
	return await readField(transcript, agent, 'agentType');
}

/** Given by the starter of the agent (2.1.332). */
export async function agentName(transcript: string, agent: string): Promise<string | undefined> {
	return await readField(transcript, agent, 'name');
}

async function readField(transcript: string, agent: string, field: string): Promise<string | undefined> {
	// The id becomes a part of a path.
	if (!/^[A-Za-z0-9_-]+$/.test(agent)) return undefined;
	const file = join(transcript.replace(/\.jsonl$/, ''), 'subagents', `agent-${agent}.meta.json`);
	try {
		const value: unknown = Object(JSON.parse(await fs.readFile(file, 'utf8')))[field];
		return typeof value === 'string' ? value : undefined;
	} catch {
		return undefined; // Not there yet, or incomplete.
	}
}
