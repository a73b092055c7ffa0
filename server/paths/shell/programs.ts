import { literal, type Pattern, textOf, UNKNOWN } from '../pattern.ts';

const SHELLS = /^(?:(?:ba|z|da|k|a|fi|c|tc)?sh|su|ssh|parallel)(?:\.exe)?$/;

/** They run the script, or the file with one, that follows; elsewhere than at the start they are ordinary words. */
const RUNNING = /^(?:eval|source|\.|trap|watch|script|flock)$/;

/** Programs that run what they are given in a language of their own. */
const INTERPRETERS =
	/^(?:python|pypy|node|nodejs|deno|bun|tsx|ts-node|perl|ruby|irb|php|lua|luajit|julia|Rscript|osascript|tclsh|awk|gawk|mawk|sqlite3|vim?|nvim|ed|ex|emacs|pwsh|powershell|cmd)[\d.]*(?:\.exe)?$/i;

/** Programs that run the command that follows. */
const WRAPPERS =
	/^(?:sudo|doas|env|nohup|nice|ionice|time|timeout|xargs|command|builtin|exec|stdbuf|setsid|unbuffer|caffeinate|busybox)$/;

/** Programs whose arguments have a meaning here. */
const PASSED_ON =
	/^(?:[ez]?grep|rg|rgrep|ag|ack|find|fd|ls|tree|cp|scp|mv|ln|rsync|rm|chmod|chown|tar|zip|7z|git|diff|cd|eval|(?:ba|z|da)?sh)$/;

/** Their arguments are texts for people, in which a path is only mentioned. */
const MENTIONING = /^(?:echo|printf|:|true|git|gh|glab|jira|say|logger|notify-send)$/;

/** What they pass on of the names that they are given can be read by people, but not by programs. */
const FILTERS = /^(?:head|tail|wc|sort|uniq|[ef]?grep|cut|tr|nl|less|more|column|sed|cat|tac|rev)$/;

/** Whether its arguments are scripts, or the files of some. */
export const isRunning = (name: string): boolean => RUNNING.test(name) || SHELLS.test(name);
export const isShell = (name: string): boolean => SHELLS.test(name);
export const isInterpreter = (name: string): boolean => INTERPRETERS.test(name);
export const isMentioning = (name: string): boolean => MENTIONING.test(name);
export const isFilter = (name: string): boolean => FILTERS.test(name);

/** A program that a command runs. */
export interface Invocation {
	/** '' if it can't be worked out. */
	readonly name: string;
	readonly given: readonly Pattern[];
}

/**
 * What a command runs, behind programs such as `sudo` that run another.
 *
 * @param words what each word can stand for
 */
export function invocationOf(words: readonly (readonly Pattern[])[]): Invocation {
	const isWrapper = (word: readonly Pattern[] | undefined) => WRAPPERS.test(nameOf(word));
	let start = 0;
	// `command -v rg` only tells where it is.
	if (nameOf(words[0]) === 'command' && /^-[vV]/.test(words[1]?.[0] ?? '')) return { name: '', given: [] };
	if (isWrapper(words[0])) {
		const isOption = (word: readonly Pattern[]) => /^(?:-|\w+=|\d)/.test(word[0] ?? '');
		start = words.findIndex((word, index) => index > 0 && !isOption(word) && !isWrapper(word));
		// `sudo -u name cat`: what stands behind an option can be its value.
		const known = words.findIndex((word, index) => index > start && start > 0 && PASSED_ON.test(nameOf(word)));
		if (known > 0 && /^-/.test(words[start - 1]?.[0] ?? '')) start = known;
	}
	return start < 0 ? { name: '', given: [] } : { name: nameOf(words[start]), given: words.slice(start + 1).flat() };
}

/** The name of the program that a word names. */
export function nameOf(word: readonly Pattern[] | undefined): string {
	const text = textOf(word?.[0] ?? '') ?? '';
	return text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1);
}

/** Puts UNKNOWN in the place of the marks of programs that put something else there: `find -exec cat {}`. */
export function withMarks(words: readonly (readonly Pattern[])[]): readonly (readonly Pattern[])[] {
	if (!words.some((word) => /^(?:xargs|find|fd|fdfind|parallel)$/.test(nameOf(word)))) return words;
	const at = words.findIndex(([word = '']) => word.startsWith('-I'));
	const mark = at < 0 ? undefined : words[at]?.[0]?.slice(2) || words[at + 1]?.[0];
	const marks = ['{}', literal('{}'), ...(mark === undefined ? [] : [mark])];
	return words.map((word, index) =>
		index <= at + 1 && at >= 0
			? word
			: word.map((value) => marks.reduce((text, each) => text.replaceAll(each, UNKNOWN), value)),
	);
}
