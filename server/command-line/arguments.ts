import { parseArgs } from 'node:util';
import { quote } from './quote.ts';
import { UsageError } from './usage-error.ts';

/** The command line, taken apart. */
export interface Arguments {
	/** The command and its tools. */
	readonly words: readonly string[];
	/** The options as written, with their dashes. */
	readonly options: readonly string[];
	/** What those of them say that take a value. */
	readonly values: ReadonlyMap<string, string>;
}

/**
 * Not strict, since which options there are depends on the command, and since Node's own messages are none for a person.
 *
 * @param valued the options of all commands that take a value: `--name value` or `--name=value`
 * @throws UsageError where one of them is given none or two, or another one is given a value
 */
export function parseArguments(args: readonly string[], valued: readonly string[]): Arguments {
	const known = Object.fromEntries(valued.map((option) => [option.slice(2), { type: 'string' } as const]));
	const { tokens } = parseArgs({
		args: [...args],
		options: known,
		strict: false,
		allowPositionals: true,
		tokens: true,
	});
	const words: string[] = [];
	const options: string[] = [];
	const values = new Map<string, string>();
	for (const token of tokens) {
		if (token.kind === 'positional') words.push(token.value);
		if (token.kind !== 'option') continue;
		const { rawName: option, value } = token;
		if (valued.includes(option)) {
			// `--session --json` forgets one; a value that begins so can be given as `--session=-x`.
			const isForgotten = !value || (!token.inlineValue && value.startsWith('-'));
			if (isForgotten) throw new UsageError(`The option ${quote(option)} needs a value.`);
			if (values.has(option)) throw new UsageError(`The option ${quote(option)} is given twice.`);
			values.set(option, value);
		} else if (value !== undefined) throw new UsageError(`The option ${quote(option)} takes no value.`);
		options.push(option);
	}
	return { words, options, values };
}

/**
 * @param known the options that the command has
 * @param command how it is called
 * @throws UsageError for the first option that the command does not have
 */
export function checkOptions(options: readonly string[], known: readonly string[], command: string): void {
	const unknown = options.find((option) => !known.includes(option));
	if (unknown === undefined) return;
	const own = new Intl.ListFormat('en').format(known);
	throw new UsageError(`"${command}" has no option ${quote(unknown)}; it has ${own}.`);
}
