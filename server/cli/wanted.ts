import type { ExposableTool } from '../exposure/policy.ts';
import { matches, namesOf, parseSelectors, type Selector } from '../exposure/selectors.ts';
import { unknownSelectors } from '../exposure/warnings.ts';
import { quote } from '../text/quote.ts';
import type { Command } from './commands.ts';
import type { KnownTools } from './state.ts';
import { UsageError } from './usage-error.ts';

/** The options that stand in the place of tools, and what each stands for. */
const STANDS_FOR: Readonly<Record<string, string>> = { '--all': 'all', '--none': 'none', '--clear': '' };

/**
 * Which tools a command is to be applied to.
 *
 * @returns no selector only for `--clear`, and for a command that takes none
 * @throws UsageError where it is told none, or in two ways, or a name that no tool has or can have
 */
export function wantedSelectors(
	command: Command,
	operands: readonly string[],
	options: readonly string[],
	{ tools, expected }: KnownTools,
): Selector[] {
	const named = parseSelectors(operands.join(' '));
	if (!command.takesTools) {
		const [extra] = operands;
		if (extra === undefined) return [];
		throw new UsageError(`"${command.name}" takes no tool: leave out ${quote(extra)}.`);
	}
	const isInPlace = (option: string) => Object.hasOwn(STANDS_FOR, option);
	const [option, ...others] = new Set(options.filter(isInPlace));
	if (option === undefined && named.length === 0) {
		const ways = ['a tool', ...command.options.filter(isInPlace)];
		throw new UsageError(`"${command.name}" needs ${new Intl.ListFormat('en', { type: 'disjunction' }).format(ways)}.`);
	}
	const second = others[0] ?? (named.length > 0 ? 'tools' : undefined);
	if (option !== undefined && second !== undefined) {
		throw new UsageError(`"${command.name}" takes either ${option} or ${second}: leave out one.`);
	}
	if (option !== undefined) return parseSelectors(STANDS_FOR[option] ?? '');
	checkNames(named, { tools, expected });
	return named.map((selector) => ({ ...selector, text: canonicalText(selector, tools) }));
}

function checkNames(selectors: readonly Selector[], { tools, expected }: KnownTools): void {
	const unknown = unknownSelectors(selectors, tools, expected);
	if (unknown.length === 0) return;
	const sentences = unknown.map(
		(word) => `There is no tool ${quote(word.text)}; the nearest valid word is "${word.nearest}".`,
	);
	throw new UsageError(`${sentences.join(' ')} Nothing was written.`);
}

/** A selector as it is written into the env file: a group by its one word, a name as the tool itself has it. */
function canonicalText(selector: Selector, tools: readonly ExposableTool[]): string {
	const { kind, text } = selector;
	if (kind !== 'name' && kind !== 'prefix') return kind;
	const stem = kind === 'prefix' ? text.slice(0, -1) : text;
	const names = tools.flatMap((tool) => namesOf(tool).map((name) => ({ ...tool, name, origin: name })));
	const covered = names.filter((named) => matches(selector, named)).map(({ name }) => name.slice(0, stem.length));
	const name = covered.find((start) => start === stem) ?? covered[0] ?? stem;
	return kind === 'prefix' ? `${name}*` : name;
}
