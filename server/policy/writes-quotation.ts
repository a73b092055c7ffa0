import { promises as fs } from 'node:fs';
import { resolve } from 'node:path';
import { type HookEvent, parseInput } from '../claude-code/hooks.ts';
import type { LoadedFile } from '../record/agents.ts';
import type { Quotations } from './quotations.ts';

/** A file to be written is compared with what is there, up to so many bytes. */
const MAX_COMPARED_BYTES = 4 * 1024 * 1024;

/** Whether a call writes something of private files into a file that the file does not hold already. */
export async function writesQuotation(
	{ tool_input, cwd }: HookEvent,
	files: readonly LoadedFile[],
	quotations: Quotations,
): Promise<boolean> {
	const input = parseInput(tool_input);
	const edits = Array.isArray(input.edits) ? input.edits.map(Object) : [input];
	const path = String(input.file_path ?? input.notebook_path ?? '');
	for (const { content, new_string, new_source, old_string = '' } of edits) {
		const added = content ?? new_string ?? new_source;
		if (typeof added !== 'string' || !(await quotations.areIn(added, files, String(old_string)))) continue;
		const known = `${old_string}\n${await readText(resolve(cwd, path))}`;
		if (await quotations.areIn(added, files, known)) return true;
	}
	return false;
}

/** The text of a file; empty if there is none, or it cannot be compared. */
async function readText(path: string): Promise<string> {
	try {
		const stats = await fs.stat(path);
		// A pipe or a device may never end.
		return stats.isFile() && stats.size <= MAX_COMPARED_BYTES ? await fs.readFile(path, 'utf8') : '';
	} catch {
		return ''; // Nothing there that may stay.
	}
}
