import { nearest } from '../text/nearest.ts';
import { quote } from '../text/quote.ts';
import { COMMANDS, type Command } from './commands.ts';
import { UsageError } from './usage-error.ts';

/** A command, and the words after it. */
export interface FoundCommand {
	readonly command: Command;
	readonly operands: readonly string[];
}

const BELOW_TOOLS = 'tools ';

/** The commands below `tools`, by the word that each has there. */
const OF_TOOLS: ReadonlyMap<string, Command> = new Map(
	COMMANDS.filter(({ name }) => name.startsWith(BELOW_TOOLS)).map((command) => [
		command.name.slice(BELOW_TOOLS.length),
		command,
	]),
);

/** All others, by their names. */
const OTHERS: ReadonlyMap<string, Command> = new Map(
	COMMANDS.filter(({ name }) => !name.startsWith(BELOW_TOOLS)).map((command) => [command.name, command]),
);

/** @returns undefined where the words begin with no command */
export function findCommand(words: readonly string[]): FoundCommand | undefined {
	const [first, second, ...rest] = words;
	const other = OTHERS.get(first ?? '');
	if (other !== undefined) return { command: other, operands: words.slice(1) };
	const isAlias = first === 'list-tools';
	const command = isAlias ? OF_TOOLS.get('list') : first === 'tools' ? OF_TOOLS.get(second ?? '') : undefined;
	if (command === undefined) return undefined;
	return { command, operands: isAlias && second !== undefined ? [second, ...rest] : rest };
}

/** What to say of words that begin with no command: the nearest one. */
export function unknownCommand([first = '', second]: readonly string[]): UsageError {
	const ofTools = [...OF_TOOLS].map(([word, { name }]) => [word, name] as const);
	if (first === 'tools' && second === undefined) {
		return new UsageError(`Say what to do: "${ofTools.map(([, name]) => name).join('", "')}".`);
	}
	const ofAll = ['tools', 'list-tools', ...OTHERS.keys(), 'prepare', 'help'].map((word) => [word, word] as const);
	// Also the words that belong below `tools`: who writes `context-broker enable` has forgotten it.
	const candidates = new Map(first === 'tools' ? ofTools : [...ofAll, ...ofTools]);
	const [known, word] = first === 'tools' ? ['"tools" has', second ?? ''] : ['There is', first];
	const closest = candidates.get(nearest(word, [...candidates.keys()]) ?? '');
	return new UsageError(`${known} no command ${quote(word)}; the nearest is "${closest}".`);
}
