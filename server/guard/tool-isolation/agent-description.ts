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
	// It becomes a part of a path.
	if (!/^[A-Za-z0-9_-]+$/.test(agent)) return undefined;
	const file = join(transcript.replace(/\.jsonl$/, ''), 'subagents', `agent-${agent}.meta.json`);
	for (let look = 1; ; look++) {
		const found = await read(file);
		if (found !== undefined || look === LOOKS.times) return found;
		await delay(LOOKS.every);
	}
}

async function read(file: string): Promise<string | undefined> {
	try {
		const { description } = Object(JSON.parse(await fs.readFile(file, 'utf8'))) as { description?: unknown };
		return typeof description === 'string' ? description : undefined;
	} catch {
		return undefined; // Not there yet, or not whole.
	}
}
