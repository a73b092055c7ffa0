import { requireDepth } from '../limits.ts';
import { literal, UNKNOWN } from '../pattern.ts';
import type { Cursor } from './cursor.ts';
import { Parts } from './parts.ts';
import type { Part, Script, Word } from './syntax.ts';

/** Reads a script to the `)` that ends it. */
export type ReadScript = (cursor: Cursor, depth: number) => Script;

/** What a word is read up to. */
const PLAIN = /[^\s;&|()<>\\'"`$}]+/y;
const QUOTED_PLAIN = /[^\\"`$}]+/y;

/** Patterns that extend those of every shell: `@(a|b)`, and qualifiers of zsh, `*(D)`. */
const EXTENDED = /\([^()]{0,1000}\)/y;

/** Reads words, each to its end, whatever the text. */
export class WordReader {
	readonly #cursor: Cursor;
	readonly #readScript: ReadScript;
	/** Of scripts and operands around the word. */
	readonly #depth: number;

	constructor(cursor: Cursor, depth: number, readScript: ReadScript) {
		requireDepth(depth);
		this.#cursor = cursor;
		this.#depth = depth;
		this.#readScript = readScript;
	}

	/** @param isOperand whether it stands in `${…}` and ends with the `}` */
	readWord(isOperand = false): Word {
		const cursor = this.#cursor;
		const parts = new Parts();
		while (!cursor.isAtEnd) {
			const plain = cursor.take(PLAIN);
			if (plain !== undefined) {
				const isExtended = !isOperand && /[?*+@!]$/.test(plain) && plain !== '!' && cursor.take(EXTENDED) !== undefined;
				parts.add(isExtended ? `${plain.slice(0, -1)}*` : plain);
			} else if (cursor.isAt('<(') || cursor.isAt('>(')) {
				cursor.skip(2);
				parts.add(this.#substitution());
			} else if (cursor.takeText('}')) {
				if (isOperand) return parts.word;
				parts.add('}');
			} else if (cursor.takeText("'")) {
				parts.add(literal(cursor.takeUntil("'")));
			} else if (cursor.takeText('"')) {
				for (const part of this.readQuoted('"')) parts.add(part);
			} else if (cursor.takeText('\\')) {
				const escaped = cursor.takeAny(1);
				if (escaped !== '\n') parts.add(literal(escaped));
			} else if (cursor.isAt('$') || cursor.isAt('`')) {
				for (const part of this.#expansion()) parts.add(part);
			} else if (isOperand) {
				parts.add(literal(cursor.takeAny(1)));
			} else return parts.word;
		}
		if (isOperand) cursor.isBroken = true;
		return parts.word;
	}

	/** @param end `"`, or nothing for a heredoc, which goes to the end of the text */
	readQuoted(end: '"' | ''): Word {
		const cursor = this.#cursor;
		const parts = new Parts('');
		while (!cursor.isAtEnd) {
			const plain = cursor.take(QUOTED_PLAIN);
			if (plain !== undefined) parts.add(literal(plain));
			else if (end !== '' && cursor.takeText(end)) return parts.word;
			else if (cursor.takeText('\\')) {
				const escaped = cursor.takeAny(1);
				if (escaped !== '\n') parts.add(literal(/[$`"\\]/.test(escaped) ? escaped : `\\${escaped}`));
			} else if (cursor.isAt('$') || cursor.isAt('`')) for (const part of this.#expansion(true)) parts.add(part);
			else parts.add(literal(cursor.takeAny(1)));
		}
		if (end !== '') cursor.isBroken = true;
		return parts.word;
	}

	#expansion(isQuoted = false): Part[] {
		const cursor = this.#cursor;
		if (cursor.takeText('`')) {
			const inner = cursor.takeUntilUnescaped('`').replace(/\\([`\\$])/g, '$1');
			return [{ kind: 'substitution', script: cursor.parse(inner, this.#depth + 1) }];
		}
		cursor.skip(1);
		if (cursor.takeText('(')) return [this.#substitution()];
		if (cursor.takeText('{')) return [this.#parameter()];
		if (!isQuoted && cursor.takeText("'")) return [literal(unescaped(cursor.takeUntilUnescaped("'")))];
		if (!isQuoted && cursor.takeText('"')) return [...this.readQuoted('"')];
		const name = cursor.take(/[A-Za-z_]\w*/y);
		if (name !== undefined) return [{ kind: 'variable', name, operator: '', operand: [] }];
		return [cursor.take(/[0-9@*#?$!-]/y) === undefined ? '$' : UNKNOWN];
	}

	#substitution(): Part {
		requireDepth(this.#depth + 1);
		return { kind: 'substitution', script: this.#readScript(this.#cursor, this.#depth + 1) };
	}

	/** What follows `${`. */
	#parameter(): Part {
		const cursor = this.#cursor;
		const name = cursor.take(/[A-Za-z_]\w*/y) ?? '';
		if (name !== '' && cursor.takeText('}')) return { kind: 'variable', name, operator: '', operand: [] };
		const sign = name === '' ? undefined : cursor.take(/:?[-=+]/y)?.at(-1);
		const operand = new WordReader(cursor, this.#depth + 1, this.#readScript).readWord(true);
		const operator = sign === undefined ? 'other' : sign === '+' ? '+' : '-';
		return { kind: 'variable', name, operator, operand };
	}
}

const NAMED_ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', e: '\x1b' };

/** What stands in `$'…'`. */
function unescaped(text: string): string {
	return text.replace(
		/\\(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([0-7]{1,3})|(.))/gs,
		(_, x?: string, u?: string, wide?: string, octal?: string, other?: string) => {
			if (other !== undefined) return NAMED_ESCAPES[other] ?? other;
			const code = octal === undefined ? Number.parseInt(x ?? u ?? wide ?? '', 16) : Number.parseInt(octal, 8);
			return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
		},
	);
}
