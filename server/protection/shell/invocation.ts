import { literal, type Pattern, textOf } from '../pattern.ts';
import { isWrapper } from './programs.ts';
import type { Dialect } from './state.ts';

/** A program that a command runs. */
export interface Invocation {
	/** '' where it can't be worked out. */
	readonly name: string;
	readonly given: readonly Pattern[];
}

/** Names in PowerShell, by that of the program that does the same. */
const POWERSHELL_NAMES: ReadonlyMap<string, string> = new Map([
	...named('ls', 'dir gci get-childitem'),
	...named('cp', 'copy cpi copy-item'),
	...named('mv', 'move mi move-item'),
	...named('rm', 'del erase rd rmdir ri remove-item'),
	...named('zip', 'compress-archive'),
	...named('rsync', 'robocopy xcopy'),
	...named('cd', 'chdir sl set-location'),
	...named('pushd', 'push-location'),
	...named('popd', 'pop-location'),
	...named('eval', 'iex invoke-expression'),
]);

function named(name: string, others: string): [string, string][] {
	return others.split(' ').map((other) => [other, name]);
}

/**
 * What a command runs, behind programs such as `sudo` that run another.
 *
 * @param words what each word can stand for
 */
export function invocationOf(words: readonly (readonly Pattern[])[], dialect: Dialect): Invocation {
	let start = 0;
	if (isWrapper(nameOf(words[0]))) {
		const isOption = (word: readonly Pattern[]) => /^(?:-|\w+=|\d)/.test(word[0] ?? '');
		start = words.findIndex((word, index) => index > 0 && !isOption(word) && !isWrapper(nameOf(word)));
		// `sudo -u name cat`: what stands behind an option can be its value.
		const known = words.findIndex((word, index) => index > start && start > 0 && PASSED_ON.test(nameOf(word)));
		if (known > 0 && /^-/.test(words[start - 1]?.[0] ?? '')) start = known;
	}
	const given = start < 0 ? [] : words.slice(start + 1).flat();
	const name = start < 0 ? '' : nameOf(words[start]);
	if (dialect === 'bash') return { name, given };
	const own = name.toLowerCase().replace(/\.exe$/, '');
	return {
		name: POWERSHELL_NAMES.get(own) ?? own,
		given: given.map((argument) => (/^-r(?:ec\w*)?$/i.test(argument) ? '-R' : argument)),
	};
}

/** Programs whose arguments have a meaning here. */
const PASSED_ON =
	/^(?:[ez]?grep|rg|rgrep|ag|ack|find|fd|ls|tree|cp|scp|mv|ln|rsync|rm|chmod|chown|tar|zip|7z|git|diff|cd|eval|(?:ba|z|da)?sh)$/;

/** The name of the program that a word names. */
export function nameOf(word: readonly Pattern[] | undefined): string {
	const text = textOf(word?.[0] ?? '') ?? '';
	return text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1);
}

/** The arguments of programs that put something in the place of a mark, with what they put there unknown. */
export function withMarks(words: readonly (readonly Pattern[])[], unknown: Pattern): Pattern[][] {
	const names = words.map(nameOf);
	if (!names.some((name) => /^(?:xargs|find|fd|fdfind|parallel)$/.test(name))) return words.map((word) => [...word]);
	const at = words.findIndex(([word = '']) => /^-I/.test(word));
	const mark = at < 0 ? undefined : words[at]?.[0]?.slice(2) || words[at + 1]?.[0];
	const marks = ['{}', literal('{}'), ...(mark === undefined ? [] : [mark])];
	return words.map((word, index) =>
		word.map((value) =>
			index <= at + 1 && at >= 0 ? value : marks.reduce((text, each) => text.replaceAll(each, unknown), value),
		),
	);
}
