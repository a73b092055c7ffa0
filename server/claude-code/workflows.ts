import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sessionFolder } from './session-files.ts';

/** Claude Code writes the transcript at about the agent's start, so it can be missing. */
const POLLING = { intervalMs: 40, attempts: 10 };

/**
 * Whether a workflow started a subagent, and not the tool `Agent` or a skill. No hook reports it, but the transcript's
 * path shows it: `subagents/workflows/<run>/agent-<id>.jsonl` (2.1.332).
 *
 * @param transcript the main thread's
 * @param canBe the result if no transcript of either kind appears; only if true, one is awaited
 */
export async function isStartedByWorkflow(transcript: string, agent: string, canBe: boolean): Promise<boolean> {
	const subagents = join(sessionFolder(transcript), 'subagents');
	const names = [`agent-${agent}.jsonl`, `agent-${agent}.meta.json`];
	const isIn = async (folder: string) => (await namesIn(folder)).some((name) => names.includes(name));
	for (let look = 1; ; look++) {
		if (await isIn(subagents)) return false;
		const runs = (await namesIn(join(subagents, 'workflows'))).map((run) => join(subagents, 'workflows', run));
		if ((await Promise.all(runs.map(isIn))).includes(true)) return true;
		if (!canBe || look === POLLING.attempts) return canBe;
		await delay(POLLING.intervalMs);
	}
}

async function namesIn(folder: string): Promise<string[]> {
	return await fs.readdir(folder).catch(() => []);
}
