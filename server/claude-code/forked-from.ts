import { execFile } from 'node:child_process';
import { promises as fs } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** How many of the newest sessions a copy can come from, if its command line names none. */
const MAX_CANDIDATES = 20;

/** The same with `--continue`, which copies the newest session that Claude Code can read. */
const MAX_CANDIDATES_WHEN_CONTINUED = 3;

/**
 * The transcripts that a session can be a copy of (`--fork-session`). At its first prompt it has no transcript yet, and no
 * event names the original (2.1.126 and 2.1.332). So Claude Code's command line is read.
 *
 * @param transcript of the session itself
 * @param commandLine of Claude Code
 */
export async function forkedFrom(transcript: string, commandLine: readonly string[]): Promise<string[]> {
	if (!commandLine.includes('--fork-session')) return [];
	const folder = dirname(transcript);
	const named = commandLine.flatMap((word) => /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/i.exec(word)?.[0] ?? []);
	if (named.length > 0) return named.map((id) => join(folder, `${id}.jsonl`));
	const names = await fs.readdir(folder).catch(() => []);
	const others = names.filter((name) => name.endsWith('.jsonl') && name !== basename(transcript));
	const dated = await Promise.all(
		others.map(async (name) => {
			const stats = await fs.stat(join(folder, name)).catch(() => undefined);
			return { file: join(folder, name), time: stats?.mtimeMs ?? 0 };
		}),
	);
	const isContinued = commandLine.includes('--continue') || commandLine.includes('-c');
	const newest = dated
		.sort((a, b) => b.time - a.time)
		.slice(0, isContinued ? MAX_CANDIDATES_WHEN_CONTINUED : MAX_CANDIDATES);
	return newest.map(({ file }) => file);
}

/** The words of a process's command line; none if the system does not show it. */
export async function commandLineOf(pid: number, platform: NodeJS.Platform): Promise<string[]> {
	try {
		if (platform === 'linux') return (await fs.readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
		if (platform === 'win32') return [];
		const { stdout } = await promisify(execFile)('/bin/ps', ['-ww', '-o', 'args=', '-p', String(pid)], {
			timeout: 1_000,
		});
		return stdout.trim().split(/\s+/);
	} catch {
		return [];
	}
}
