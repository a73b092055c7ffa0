import type { Random } from '../../random.ts';

/** Without vowels: no text of the broker has six of these in a row. */
const LETTERS = [...'bcdfghjklmnpqrstvwxz'];

/** What stands for the user's own text in a map: words that occur nowhere else, kept so that they can be looked for. */
export class Markers {
	readonly #random: Random;
	readonly #all: string[] = [];

	constructor(random: Random) {
		this.#random = random;
	}

	/** Those given out, in lower case. */
	get all(): readonly string[] {
		return this.#all;
	}

	/** A word that is a bare key of TOML as well. */
	next(): string {
		const word = Array.from({ length: 12 }, () => this.#random.pick(LETTERS)).join('');
		this.#all.push(word);
		return this.#random.chance(0.1) ? word.toUpperCase() : word;
	}
}

/** Names that mean something to JavaScript, TOML or file systems, as they stand in a quoted key without escapes. */
export const HOSTILE_NAMES = [
	'__proto__',
	'constructor',
	'prototype',
	'toString',
	'hasOwnProperty',
	'valueOf',
	'then',
	'length',
	'',
	' ',
	'.',
	'..',
	'*',
	'a.b',
	'[keys]',
	'#',
	'=',
	'é',
	'e\u0301',
	'\u202egnp.exe',
	'\u200b',
	'\ufeff',
	'\ufffd',
	'\u{1f600}',
	'true',
	'1979-05-27',
	'inf',
	'nan',
	'-1',
	'\\u0000',
	'\\ud800',
	'\\n',
	'\\U0010ffff',
	'\\U00110000',
	'\\x41',
	'plugin_context-broker_broker',
] as const;
