import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the lines of a transcript say to the person through a hook, and no model gets. */
export function toldInTranscripts(home: string): string[] {
	const folder = join(home, '.claude', 'projects');
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
	const lines = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n')).filter(Boolean);
	return lines.flatMap((line) => {
		const { attachment } = JSON.parse(line) as { attachment?: { type: string; content: string } };
		return attachment?.type === 'hook_system_message' ? [attachment.content] : [];
	});
}
