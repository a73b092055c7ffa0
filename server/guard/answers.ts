import { type PreparedFile, prepareFile } from '../quoting/passages.ts';
import { redact } from '../quoting/redact.ts';

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
	readonly #prepared = new WeakMap<LoadedFile, PreparedFile>();
	readonly #read: (path: string) => Promise<string>;

	/** @param read the text of a Markdown file, now */
	constructor(read: (path: string) => Promise<string>) {
		this.#read = read;
	}

	/** Notes that an agent has got a file. */
	add(agent: string, path: string, text: string): void {
		const files = this.#files.get(agent) ?? [];
		this.#files.set(agent, files);
		const isSame = (file: LoadedFile) => file.path === path && file.text === text;
		if (files.some(isSame)) return;
		// One object for one version, since preparing it takes time and memory.
		files.push([...this.#files.values()].flat().find(isSame) ?? { path, text });
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
		const redaction = this.redact(text, files);
		return redaction.passages === 0 ? { kind: 'clean' } : { kind: 'quotes', ...redaction };
	}

	/** The text with references in the place of what repeats the files. */
	redact(text: string, files: readonly LoadedFile[]): ReturnType<typeof redact> {
		return redact(
			text,
			files.map((file) => {
				const prepared = this.#prepared.get(file) ?? prepareFile(file.text);
				this.#prepared.set(file, prepared);
				return prepared;
			}),
		);
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
