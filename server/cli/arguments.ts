import { parseArgs } from 'node:util';
import { quote } from '../text/quote.ts';
import { UsageError } from './usage-error.ts';

/** The command line, taken apart. */
export interface Arguments {
	/** The command and its tools. */
	readonly words: readonly string[];
	/** The options as written, with their dashes. */
	readonly options: readonly string[];
}

/**
 * Not strict, since which options there are depends on the command, and since Node's own messages are none for a person.
 *
 * @throws UsageError where an option is given a value
 */
export function parseArguments(args: readonly string[]): Arguments {
	const { tokens } = parseArgs({ args: [...args], strict: false, allowPositionals: true, tokens: true });
	const words: string[] = [];
	const options: string[] = [];
	for (const token of tokens) {
		if (token.kind === 'positional') words.push(token.value);
		if (token.kind !== 'option') continue;
		if (token.value !== undefined) throw new UsageError(`The option ${quote(token.rawName)} takes no value.`);
		options.push(token.rawName);
	}
	return { words, options };
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
