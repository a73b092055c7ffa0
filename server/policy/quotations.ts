import { promises as fs } from 'node:fs';
import { resolve } from 'node:path';
import { type HookEvent, parseInput } from '../claude-code/hooks.ts';
import type { LoadedFile } from '../record/agents.ts';
import type { PreparedFile } from '../redaction/passages.ts';
import type { Redaction } from '../redaction/redact.ts';

/** A longer file counts as empty when a call writes into it. */
const MAX_COMPARED_BYTES = 4 * 1024 * 1024;

export class Quotations {
	readonly #prepared = new WeakMap<LoadedFile, Promise<PreparedFile>>();

	async check(text: string, files: readonly LoadedFile[]): Promise<Redaction> {
		return (await this.redactor(files))(text);
	}

	/** Replaces the quotations in a text with references. */
	async redactor(files: readonly LoadedFile[]): Promise<(text: string) => Redaction> {
		const { redact } = await quoting();
		const prepared = await Promise.all(files.map((file) => this.prepare(file)));
		return (text) => redact(text, prepared);
	}

	/** @param known a text whose quotations may be repeated */
	async areIn(text: string, files: readonly LoadedFile[], known = ''): Promise<boolean> {
		const found = await this.check(text, files);
		if (found.passages === 0 || known === '') return found.passages > 0;
		// `check` gives adjacent passages one reference, but here each line counts.
		const { linesIn } = await quoting();
		const prepared = await Promise.all(files.map((file) => this.prepare(file)));
		return prepared.some((file) => {
			const lines = new Set(linesIn(known, file).map(({ line }) => line));
			return linesIn(text, file).some(({ line }) => !lines.has(line));
		});
	}

	/** Whether a call writes quotations into a file that does not hold them yet. */
	async areWritten({ tool_input, cwd }: HookEvent, files: readonly LoadedFile[]): Promise<boolean> {
		const input = parseInput(tool_input);
		const edits = Array.isArray(input.edits) ? input.edits.map(Object) : [input];
		const path = String(input.file_path ?? input.notebook_path ?? '');
		for (const { content, new_string, new_source, old_string = '' } of edits) {
			const added = content ?? new_string ?? new_source;
			if (typeof added !== 'string' || !(await this.areIn(added, files, String(old_string)))) continue;
			if (await this.areIn(added, files, `${old_string}\n${await readText(resolve(cwd, path))}`)) return true;
		}
		return false;
	}

	/** Prepares a file once, since that takes 300 ms for the longest. */
	async prepare(file: LoadedFile): Promise<PreparedFile> {
		const prepared = this.#prepared.get(file) ?? quoting().then(({ prepareFile }) => prepareFile(file.text));
		this.#prepared.set(file, prepared);
		return await prepared;
	}
}

async function readText(path: string): Promise<string> {
	try {
		const stats = await fs.stat(path);
		// A pipe or a device may never end.
		return stats.isFile() && stats.size <= MAX_COMPARED_BYTES ? await fs.readFile(path, 'utf8') : '';
	} catch {
		return '';
	}
}

/** Imported on first use to keep the start fast. */
async function quoting(): Promise<typeof import('../redaction/quoting.ts')> {
	return await import('../redaction/quoting.ts');
}
