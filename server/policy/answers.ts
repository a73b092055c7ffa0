import type { PreparedFile } from '../redaction/passages.ts';
import type { Redaction } from '../redaction/redact.ts';

/** A private file, as an agent has got it. */
export interface LoadedFile {
	readonly path: string;
	readonly text: string;
}

/** Which files each agent has loaded, and what their answers repeat of them. */
export class Answers {
	/** By agent id; "" for a main thread that was started as an agent. */
	readonly #files = new Map<string, LoadedFile[]>();
	readonly #prepared = new WeakMap<LoadedFile, Promise<PreparedFile>>();
	readonly #later: (work: () => void) => void;

	/** @param later does work when nobody waits for the broker */
	constructor(later: (work: () => void) => void) {
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

	get isEmpty(): boolean {
		return this.#files.size === 0;
	}

	/** The subagents that have loaded something. */
	agents(): string[] {
		return [...this.#files.keys()].filter((agent) => agent !== '');
	}

	/** What the given agents have loaded, each file once. */
	filesOf(agents: readonly string[]): LoadedFile[] {
		return [...new Set(agents.flatMap((agent) => this.#files.get(agent) ?? []))];
	}

	/** What a text repeats of files, as the agents got them. */
	async check(text: string, files: readonly LoadedFile[]): Promise<Redaction> {
		return (await this.redactor(files))(text);
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
}

/** No part of a start. */
async function quoting(): Promise<typeof import('../redaction/quoting.ts')> {
	return await import('../redaction/quoting.ts');
}
