import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import { sessionFolder } from './protected-files.ts';

/**
 * Whether a subagent was started by a workflow, and not by the tool `Agent` or a skill. No hook tells it; where Claude
 * Code keeps the agent's transcript does: `subagents/workflows/<run>/agent-<id>.jsonl` (2.1.332).
 *
 * @param transcript the one of the session's main thread
 * @param canBe what counts where it has no transcript of either kind yet
 */
export async function isOfWorkflow(transcript: string, agent: string, canBe: boolean): Promise<boolean> {
	const subagents = join(sessionFolder(transcript), 'subagents');
	const names = [`agent-${agent}.jsonl`, `agent-${agent}.meta.json`];
	const isIn = async (folder: string) => (await namesIn(folder)).some((name) => names.includes(name));
	if (await isIn(subagents)) return false;
	if (canBe) return true;
	const runs = (await namesIn(join(subagents, 'workflows'))).map((run) => join(subagents, 'workflows', run));
	return (await Promise.all(runs.map(isIn))).includes(true);
}

async function namesIn(folder: string): Promise<string[]> {
	return await fs.readdir(folder).catch(() => []);
}
