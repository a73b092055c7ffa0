import type { Pattern } from '../pattern.ts';

/** A word of a command, in pieces: what is written, and what is put in when the command runs. */
export type Word = readonly Part[];
export type Part = Pattern | Variable | Substitution;

export interface Variable {
	readonly kind: 'variable';
	readonly name: string;
	/** `-` gives the operand where there is no value, `+` where there is one; any other changes the value somehow. */
	readonly operator: '' | '-' | '+' | 'other';
	readonly operand: Word;
}

/** `$(…)`, backticks, `<(…)`. */
export interface Substitution {
	readonly kind: 'substitution';
	readonly script: Script;
}

/** What stands between two operators. */
export interface Command {
	readonly kind: 'command';
	readonly words: readonly Word[];
	/** Files that are read or written. */
	readonly redirections: readonly Word[];
	readonly heredocs: readonly Heredoc[];
	/** The operator before and the one behind: `&&`, `||`, `|`, `;`, `&`, a line feed, or nothing. */
	readonly before: string;
	readonly after: string;
}

export interface Heredoc {
	readonly body: string;
	/** The body with what is put in. */
	readonly word: Word;
}

export type Item = Command | { readonly kind: 'open' } | { readonly kind: 'close'; readonly after: string };

export interface Script {
	readonly items: readonly Item[];
}

/** A script, and whether it could be read to its end. */
export interface Parsed {
	readonly script: Script;
	readonly isBroken: boolean;
}

export type Parse = (text: string, depth: number) => Parsed;
