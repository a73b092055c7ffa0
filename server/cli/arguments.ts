import { parseArgs } from 'node:util';
import type { ExposableTool } from '../exposure/policy.ts';
import { matches, namesOf, parseSelectors, type Selector } from '../exposure/policy.ts';
import { unknownSelectors } from '../exposure/warnings.ts';
import { nearest } from '../text/nearest.ts';
import { quote } from '../text/terminal.ts';
import { COMMANDS, type Command } from './commands.ts';
import type { KnownTools } from './report.ts';

/** Wrong use. The message is one line for the user: what is wrong, and what to do. */
export class UsageError extends Error {
	/** @param message ends with a full stop; a hint at the help is appended */
	constructor(message: string) {
		super(`${message} See "context-broker help".`);
	}
}

export interface Arguments {
	/** The command's words, then its tools. */
	readonly words: readonly string[];
	readonly options: readonly string[];
	/** The value of `--key`. */
	readonly key: string | undefined;
}

/** Not strict: options depend on the command, and Node's messages are not written for users. @throws UsageError */
export function parseArguments(args: readonly string[]): Arguments {
	const { tokens } = parseArgs({
		args: [...args],
		options: { key: { type: 'string' } },
		...{ strict: false, allowPositionals: true, tokens: true },
	});
	let key: string | undefined;
	const words: string[] = [];
	const options: string[] = [];
	for (const token of tokens) {
		if (token.kind === 'positional') words.push(token.value);
		if (token.kind !== 'option') continue;
		if (token.name === 'key') {
			if (token.value === undefined) throw new UsageError('The option "--key" needs a key.');
			key = token.value;
		} else if (token.value !== undefined) throw new UsageError(`The option ${quote(token.rawName)} takes no value.`);
		options.push(token.rawName);
	}
	return { words, options, key };
}

export function checkOptions(options: readonly string[], known: readonly string[], command: string): void {
	const unknown = options.find((option) => !known.includes(option));
	if (unknown === undefined) return;
	const own = new Intl.ListFormat('en').format(known);
	throw new UsageError(`"${command}" has no option ${quote(unknown)}; it has ${own}.`);
}

export interface FoundCommand {
	readonly command: Command;
	readonly operands: readonly string[];
}

const TOOLS = 'tools ';

/** @returns undefined if the words do not begin with a command */
export function findCommand([first = '', ...rest]: readonly string[]): FoundCommand | undefined {
	const isBelow = first === 'tools';
	const wanted = first === 'list-tools' ? 'tools list' : isBelow ? `${TOOLS}${rest[0]}` : first;
	const command = COMMANDS.find(({ name }) => name === wanted);
	return command && { command, operands: isBelow ? rest.slice(1) : rest };
}

/** The error for an unknown command; it suggests the nearest one. */
export function unknownCommand([first = '', second]: readonly string[]): UsageError {
	const names = COMMANDS.map(({ name }) => name);
	const ofTools = names.filter((name) => name.startsWith(TOOLS));
	if (first === 'tools' && second === undefined) {
		return new UsageError(`Say what to do: "${ofTools.join('", "')}".`);
	}
	const others = ['tools', 'list-tools', ...names.filter((name) => !name.startsWith(TOOLS)), 'prepare', 'help'];
	const [known, word] = first === 'tools' ? ['"tools" has', second ?? ''] : ['There is', first];
	// Also the subcommands of `tools`: users write `context-broker enable` and forget the word.
	const candidates = [...(first === 'tools' ? [] : others), ...ofTools.map((name) => name.slice(TOOLS.length))];
	const closest = nearest(word, candidates) ?? '';
	const name = ofTools.includes(TOOLS + closest) ? TOOLS + closest : closest;
	return new UsageError(`${known} no command ${quote(word)}; the nearest is "${name}".`);
}

/** Options that take the place of tools, and the list that each stands for. */
const STANDS_FOR: Readonly<Record<string, string>> = { '--all': 'all', '--none': 'none', '--clear': '' };

/** An empty result means `--clear`, or a command that takes no tools. @throws UsageError */
export function wantedSelectors(
	{ name: command, inPlaceOfTools }: Command,
	operands: readonly string[],
	options: readonly string[],
	{ tools, expected }: KnownTools,
): Selector[] {
	if (inPlaceOfTools === undefined) {
		const [extra] = operands;
		if (extra === undefined) return [];
		throw new UsageError(`"${command}" takes no tool: leave out ${quote(extra)}.`);
	}
	const named = parseSelectors(operands.join(' '));
	const [option, ...others] = new Set(options.filter((each) => inPlaceOfTools.includes(each)));
	if (option !== undefined) {
		const second = others[0] ?? (named.length > 0 ? 'tools' : undefined);
		if (second === undefined) return parseSelectors(STANDS_FOR[option] ?? '');
		throw new UsageError(`"${command}" takes either ${option} or ${second}: leave out one.`);
	}
	if (named.length === 0) {
		const ways = new Intl.ListFormat('en', { type: 'disjunction' }).format(['a tool', ...inPlaceOfTools]);
		throw new UsageError(`"${command}" needs ${ways}.`);
	}
	const unknown = unknownSelectors(named, tools, expected).map(
		(word) => `There is no tool ${quote(word.text)}; the nearest valid word is "${word.nearest}".`,
	);
	if (unknown.length > 0) throw new UsageError(`${unknown.join(' ')} Nothing was written.`);
	return named.map((selector) => ({ ...selector, text: canonicalText(selector, tools) }));
}

/** A selector as it is written to the env file: a group by its one word, a name in the tool's own spelling. */
function canonicalText(selector: Selector, tools: readonly ExposableTool[]): string {
	const { kind, text } = selector;
	if (kind !== 'name' && kind !== 'prefix') return kind;
	const stem = kind === 'prefix' ? text.slice(0, -1) : text;
	const names = tools.flatMap((tool) => namesOf(tool).map((name) => ({ ...tool, name, origin: name })));
	const covered = names.filter((named) => matches(selector, named)).map(({ name }) => name.slice(0, stem.length));
	const name = covered.find((start) => start === stem) ?? covered[0] ?? stem;
	return kind === 'prefix' ? `${name}*` : name;
}
