import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sessionFolder } from './session-files.ts';

/** Claude Code writes a transcript about when the agent starts; so often it is looked for, in milliseconds. */
const LOOKS = { every: 40, times: 10 };

/**
 * Whether a subagent was started by a workflow, and not by the tool `Agent` or a skill. No hook tells it; where Claude
 * Code keeps the agent's transcript does: `subagents/workflows/<run>/agent-<id>.jsonl` (2.1.332).
 *
 * @param transcript the one of the session's main thread
 * @param canBe what counts where it has no transcript of either kind; a little later it can have one
 */
export async function isOfWorkflow(transcript: string, agent: string, canBe: boolean): Promise<boolean> {
	const subagents = join(sessionFolder(transcript), 'subagents');
	const names = [`agent-${agent}.jsonl`, `agent-${agent}.meta.json`];
	const isIn = async (folder: string) => (await namesIn(folder)).some((name) => names.includes(name));
	for (let look = 1; ; look++) {
		if (await isIn(subagents)) return false;
		const runs = (await namesIn(join(subagents, 'workflows'))).map((run) => join(subagents, 'workflows', run));
		if ((await Promise.all(runs.map(isIn))).includes(true)) return true;
		if (!canBe || look === LOOKS.times) return canBe;
		await delay(LOOKS.every);
	}
}

async function namesIn(folder: string): Promise<string[]> {
	return await fs.readdir(folder).catch(() => []);
}
