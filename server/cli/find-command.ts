import { nearest } from '../text/nearest.ts';
import { quote } from '../text/quote.ts';
import { COMMANDS, type Command } from './commands.ts';
import { UsageError } from './usage-error.ts';

/** A command, and the words after it. */
export interface FoundCommand {
	readonly command: Command;
	readonly operands: readonly string[];
}

const TOOLS = 'tools ';

/** @returns undefined where the words begin with no command */
export function findCommand([first = '', ...rest]: readonly string[]): FoundCommand | undefined {
	const isBelow = first === 'tools';
	const wanted = first === 'list-tools' ? 'tools list' : isBelow ? `${TOOLS}${rest[0]}` : first;
	const command = COMMANDS.find(({ name }) => name === wanted);
	return command && { command, operands: isBelow ? rest.slice(1) : rest };
}

/** What to say of words that begin with no command: the nearest one. */
export function unknownCommand([first = '', second]: readonly string[]): UsageError {
	const names = COMMANDS.map(({ name }) => name);
	const ofTools = names.filter((name) => name.startsWith(TOOLS));
	if (first === 'tools' && second === undefined) {
		return new UsageError(`Say what to do: "${ofTools.join('", "')}".`);
	}
	const others = ['tools', 'list-tools', ...names.filter((name) => !name.startsWith(TOOLS)), 'prepare', 'help'];
	const [known, word] = first === 'tools' ? ['"tools" has', second ?? ''] : ['There is', first];
	// Also the words that belong below `tools`: who writes `context-broker enable` has forgotten it.
	const candidates = [...(first === 'tools' ? [] : others), ...ofTools.map((name) => name.slice(TOOLS.length))];
	const closest = nearest(word, candidates) ?? '';
	const name = ofTools.includes(TOOLS + closest) ? TOOLS + closest : closest;
	return new UsageError(`${known} no command ${quote(word)}; the nearest is "${name}".`);
}
