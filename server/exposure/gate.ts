import { withoutRepeats } from '../memoize.ts';
import { type ExposableTool, exposureOf } from './policy.ts';
import { settingsOf } from './settings.ts';
import { warningsOf } from './warnings.ts';

export interface ExposureGateOptions {
	readonly environment: NodeJS.ProcessEnv;
	/** The env file's current variables: the same object until they change. Rejects if the file cannot be read. */
	readonly readVariables: () => Promise<ReadonlyMap<string, string>>;
	readonly tools: () => readonly ExposableTool[];
	/** Name prefixes of tools not listed yet. A word that can mean one of them is not reported as unknown. */
	readonly expected: () => readonly string[];
	/** Called once for each sentence. */
	readonly warn: (sentence: string) => void;
}

/** Decides which tools are shown, for listings, calls and hooks. Reads the env file each time, so an edit counts at once. */
export class ExposureGate {
	readonly #options: ExposureGateOptions;
	readonly #warn: (sentence: string) => void;
	#last: { readonly from: readonly unknown[]; readonly shown: ReadonlySet<string> } | undefined;

	constructor(options: ExposureGateOptions) {
		this.#options = options;
		this.#warn = withoutRepeats(options.warn);
	}

	get existing(): string[] {
		return this.#options.tools().map(({ name }) => name);
	}

	/** The names of the shown tools. None if the env file cannot be read, since it could deny any of them. */
	async shown(): Promise<ReadonlySet<string>> {
		const { environment } = this.#options;
		let variables: ReadonlyMap<string, string>;
		try {
			variables = await this.#options.readVariables();
		} catch (error) {
			const reason = error instanceof Error ? error.message : error;
			this.#warn(`The env file cannot be read, so no tool is shown: ${reason}`);
			return new Set();
		}
		// Together: a server can be listed while the file is read.
		const [tools, expected] = [this.#options.tools(), this.#options.expected()];
		const from = [variables, ...expected, ...tools.flatMap(({ name, exposure, origin }) => [name, exposure, origin])];
		if (this.#last?.from.length === from.length && this.#last.from.every((value, at) => value === from[at]))
			return this.#last.shown;
		const settings = settingsOf(environment, variables);
		const names = [...Object.keys(environment), ...variables.keys()];
		for (const sentence of warningsOf(tools, settings, names, expected)) this.#warn(sentence);
		const shown = new Set(exposureOf(tools, settings).flatMap((tool) => (tool.shown ? [tool.name] : [])));
		this.#last = { from, shown };
		return shown;
	}
}

/** Calls `onChange` when the shown tools change. @param onEdit calls back after a possible edit of the env file */
export async function followExposure(
	gate: ExposureGate,
	onEdit: (listener: () => void) => void,
	onChange: () => void,
): Promise<void> {
	const state = async () => {
		const shown = await gate.shown();
		return JSON.stringify([gate.existing, [...shown]]);
	};
	let before = await state();
	onEdit(async () => {
		const now = await state();
		if (now === before) return;
		before = now;
		onChange();
	});
}
