import type { LoadedFile } from '../record/agents.ts';
import type { PreparedFile } from '../redaction/passages.ts';
import type { Redaction } from '../redaction/redact.ts';

/** What texts repeat of private files. */
export class Quotations {
	readonly #prepared = new WeakMap<LoadedFile, Promise<PreparedFile>>();

	/** What a text repeats of files, as the agents got them. */
	async check(text: string, files: readonly LoadedFile[]): Promise<Redaction> {
		return (await this.redactor(files))(text);
	}

	/** What puts references into a text in the place of all that repeats the files. */
	async redactor(files: readonly LoadedFile[]): Promise<(text: string) => Redaction> {
		const { redact } = await quoting();
		const prepared = await Promise.all(files.map((file) => this.prepare(file)));
		return (text) => redact(text, prepared);
	}

	/** @param known what may be repeated of the files, since it is there already */
	async areIn(text: string, files: readonly LoadedFile[], known = ''): Promise<boolean> {
		const found = await this.check(`${text}\n${withoutEscapes(text)}`, files);
		if (found.passages === 0 || known === '') return found.passages > 0;
		const { lines } = await this.check(`${known}\n${withoutEscapes(known)}`, files);
		return found.lines.some((line) => !lines.includes(line));
	}

	/** Makes a file ready, once: 170 ms for the longest. */
	async prepare(file: LoadedFile): Promise<PreparedFile> {
		const prepared = this.#prepared.get(file) ?? quoting().then(({ prepareFile }) => prepareFile(file.text));
		this.#prepared.set(file, prepared);
		return await prepared;
	}
}

/** JSON with what its escapes stand for, also those of JSON or a script within it: `Jane\nDoe` are two words. */
export function withoutEscapes(json: string): string {
	// From the first of a run on, else a long one takes time by its square.
	return json.replace(/(?<!\\)\\+(?:u([\da-f]{4})|[bfnrt])/gi, (_, code?: string) =>
		code === undefined ? ' ' : String.fromCharCode(Number.parseInt(code, 16)),
	);
}

/** No part of a start. */
async function quoting(): Promise<typeof import('../redaction/quoting.ts')> {
	return await import('../redaction/quoting.ts');
}
