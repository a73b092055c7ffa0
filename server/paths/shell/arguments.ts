import { MAX_PATH_LENGTH, type Pattern, rawText } from '../pattern.ts';

/** Options of programs that search, whose value is the argument behind them. */
const WITH_VALUE =
	/^(?:-[a-zA-Z]*[ABCmefgtTdDjM]|--(?:max-depth|max-count|context|(?:after|before)-context|i?glob|type|type-not|regexp|file|include|exclude|exclude-dir|colou?r|sort|threads|replace|encoding|engine))$/;

/** What is neither an option nor the value of one. */
export function operandsOf(given: readonly Pattern[], withValue = /^$/): Pattern[] {
	const operands: Pattern[] = [];
	let isValue = false;
	for (const [index, argument] of given.entries()) {
		if (argument === '--') return [...operands, ...given.slice(index + 1)];
		if (argument.startsWith('-') && argument !== '-') isValue = withValue.test(argument);
		else if (isValue) isValue = false;
		else operands.push(argument);
	}
	return operands;
}

/** The operands of a program that searches, without what it searches for. */
export function searchedFolders(given: readonly Pattern[]): Pattern[] {
	const operands = operandsOf(given, WITH_VALUE);
	const hasPattern = given.some((argument) => /^(?:-[ef]|--(?:regexp|file)\b|--files$)/.test(argument));
	return hasPattern ? operands : operands.slice(1);
}

/** Whether one of these options is given: letters, alone or in a row, or long names. */
export function hasOption(given: readonly Pattern[], letters: string, long = /^$/): boolean {
	const short = new RegExp(`^-[a-zA-Z]*[${letters}]`);
	return given.some((argument) => short.test(argument) || (argument.startsWith('--') && long.test(argument)));
}

/** The values of an option, `--name=value` or `-n value`, as globs. */
export function globsOf(given: readonly Pattern[], name: RegExp): Pattern[] {
	const globs: Pattern[] = [];
	for (const [index, argument] of given.entries()) {
		const [option = '', ...value] = argument.split('=');
		if (!name.test(option)) continue;
		const glob = value.length > 0 ? value.join('=') : given[index + 1];
		if (glob !== undefined) globs.push(rawText(glob));
	}
	return globs;
}

/**
 * The paths that a word of a command can hold: the word, what stands before and behind each of `= : @ ,`, and what
 * follows the letter of an option.
 */
export function pathsIn(word: Pattern): Iterable<Pattern> {
	if (word.length > MAX_PATH_LENGTH || !/[=:@,]|^-/.test(word)) return [word];
	const paths = new Set([word]);
	for (const piece of word.split(/[=:@,]/)) paths.add(piece);
	let from = 0;
	// Of names that hold such a character, only the first few are found whole.
	for (let count = 0; count < 4; count++) {
		const length = word.slice(from).search(/[=:@,]/);
		if (length < 0) break;
		from += length + 1;
		paths.add(word.slice(from));
	}
	if (word.startsWith('-')) {
		paths.add(word.slice(2));
		const start = word.search(/[/~]/);
		if (start > 0) paths.add(word.slice(start));
	}
	paths.delete('');
	return paths;
}
