import type { PreparedFile } from '../quoting/passages.ts';
import type { Redaction } from '../quoting/redact.ts';

/** A private file, as an agent has got it. */
export interface LoadedFile {
	readonly path: string;
	readonly text: string;
}

/** What a check of an answer found. */
export type Verdict =
	| { readonly kind: 'clean' }
	/** `text` has references in the place of all that repeats private files, at the given lines of them. */
	| { readonly kind: 'quotes'; readonly text: string; readonly passages: number; readonly lines: readonly number[] }
	/** A file is gone, or not any more what the agent got. */
	| { readonly kind: 'unverifiable' };

/** Stands in the place of an answer that could not be checked. */
export const WITHHELD =
	'[Context Broker withheld this answer: the private file that the agent loaded was changed, moved or removed in the meantime, so the answer could not be checked for quotations. Start the agent anew.]';

/** Which files each agent has loaded, and what their answers repeat of them. */
export class Answers {
	/** By agent id; "" for a main thread that was started as an agent. */
	readonly #files = new Map<string, LoadedFile[]>();
	readonly #prepared = new WeakMap<LoadedFile, Promise<PreparedFile>>();
	readonly #read: (path: string) => Promise<string>;
	readonly #later: (work: () => void) => void;

	/**
	 * @param read the text of a Markdown file, now
	 * @param later does work when nobody waits for the broker
	 */
	constructor(read: (path: string) => Promise<string>, later: (work: () => void) => void) {
		this.#read = read;
		this.#later = later;
	}

	/** Notes that an agent has got a file. */
	add(agent: string, path: string, text: string): void {
		const files = this.#files.get(agent) ?? [];
		this.#files.set(agent, files);
		const isSame = (file: LoadedFile) => file.path === path && file.text === text;
		if (files.some(isSame)) return;
		// One object for one version, since preparing it takes time and memory.
		const file = [...this.#files.values()].flat().find(isSame) ?? { path, text };
		files.push(file);
		// Whoever needs it gets the error.
		this.#later(() => void this.#prepare(file).catch(() => {}));
	}

	/** The subagents that have loaded something. */
	agents(): string[] {
		return [...this.#files.keys()].filter((agent) => agent !== '');
	}

	/** What the given agents have loaded, each file once. */
	filesOf(agents: readonly string[]): LoadedFile[] {
		return [...new Set(agents.flatMap((agent) => this.#files.get(agent) ?? []))];
	}

	/** What a text repeats of files. */
	async check(text: string, files: readonly LoadedFile[]): Promise<Verdict> {
		if (!(await this.areUnchanged(files))) return { kind: 'unverifiable' };
		const redaction = (await this.redactor(files))(text);
		return redaction.passages === 0 ? { kind: 'clean' } : { kind: 'quotes', ...redaction };
	}

	/** What puts references into a text in the place of all that repeats the files. */
	async redactor(files: readonly LoadedFile[]): Promise<(text: string) => Redaction> {
		const { redact } = await quoting();
		const prepared = await Promise.all(files.map((file) => this.#prepare(file)));
		return (text) => redact(text, prepared);
	}

	/** 170 ms for the longest file. */
	#prepare(file: LoadedFile): Promise<PreparedFile> {
		const prepared = this.#prepared.get(file) ?? quoting().then(({ prepareFile }) => prepareFile(file.text));
		this.#prepared.set(file, prepared);
		return prepared;
	}

	/** Whether each file is still what the agent got. */
	async areUnchanged(files: readonly LoadedFile[]): Promise<boolean> {
		const checks = files.map(async ({ path, text }) => {
			try {
				return (await this.#read(path)) === text;
			} catch {
				return false; // Whatever keeps it from being read: it can't be compared.
			}
		});
		return (await Promise.all(checks)).every(Boolean);
	}
}

/** No part of a start. */
async function quoting(): Promise<typeof import('../quoting/quoting.ts')> {
	return await import('../quoting/quoting.ts');
}
