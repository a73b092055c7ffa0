import { type Pattern, rawText } from '../pattern.ts';

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
