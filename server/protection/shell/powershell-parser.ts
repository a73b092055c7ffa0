import { COSTS, requireDepth } from '../limits.ts';
import { literal, UNKNOWN } from '../pattern.ts';
import { Cursor } from './cursor.ts';
import { Parts } from './parts.ts';
import type { Item, Parsed, Part, Word } from './syntax.ts';

const OPERATOR = /&&|\|\||[;|\n]|&/y;
const PLAIN = /[^\s;|&(){}<>,'"`$]+/y;
const QUOTED_PLAIN = /[^"`$]+/y;

/**
 * Reads a script of PowerShell, roughly: as commands of words. What stands in parentheses or braces is taken for
 * commands of its own.
 *
 * @param spend told of the work, see `LIMITS`
 * @throws TooComplexError
 */
export function parsePowerShell(text: string, depth: number, spend: (work: number) => void): Parsed {
	requireDepth(depth);
	const cursor = new Cursor(text, (inner, innerDepth) => parsePowerShell(inner, innerDepth, spend), spend);
	const items: Item[] = [];
	let words: Word[] = [];
	let before = '';
	const finish = (after: string) => {
		spend(COSTS.command + COSTS.word * words.length);
		if (words.length > 0) items.push({ kind: 'command', words, redirections: [], heredocs: [], before, after });
		else if (items.at(-1)?.kind === 'close') items[items.length - 1] = { kind: 'close', after };
		words = [];
		before = after;
	};
	while (!cursor.isAtEnd) {
		if (cursor.take(/(?:[^\S\n]|`\r?\n)+/y) !== undefined) continue;
		if (cursor.isAt('#')) cursor.take(/[^\n]+/y);
		const operator = cursor.take(OPERATOR);
		if (operator !== undefined) finish(operator);
		else if (cursor.take(/[@$]?\(|@?\{/y) !== undefined) {
			finish('(');
			items.push({ kind: 'open' });
		} else if (cursor.take(/[)}]/y) !== undefined) {
			finish(')');
			items.push({ kind: 'close', after: '' });
		} else if (cursor.take(/[<>,]+/y) === undefined) {
			const word = readWord(cursor, depth);
			if (word.length > 0) words.push(word);
			else cursor.skip(1);
		}
	}
	finish('');
	return { script: { items }, isBroken: cursor.isBroken };
}

function readWord(cursor: Cursor, depth: number): Word {
	const parts = new Parts();
	while (!cursor.isAtEnd) {
		const plain = cursor.take(PLAIN);
		// Its own wildcards have no braces, and `\` divides or is a plain character.
		if (plain !== undefined) parts.add(plain.replaceAll('\\', '\\\\'));
		else if (cursor.takeText("'")) parts.add(literal(cursor.takeUntil("'")));
		else if (cursor.takeText('"')) for (const part of readQuoted(cursor, depth)) parts.add(part);
		else if (cursor.takeText('`')) parts.add(literal(cursor.takeAny(1)));
		else if (cursor.isAt('$(')) return parts.word.length === 0 ? parts.word : [...parts.word, UNKNOWN];
		else if (cursor.takeText('$')) parts.add(readVariable(cursor));
		else return parts.word;
	}
	return parts.word;
}

function readQuoted(cursor: Cursor, depth: number): Word {
	const parts = new Parts('');
	while (!cursor.isAtEnd) {
		const plain = cursor.take(QUOTED_PLAIN);
		if (plain !== undefined) parts.add(literal(plain));
		else if (cursor.takeText('"')) return parts.word;
		else if (cursor.takeText('`')) parts.add(literal(cursor.takeAny(1)));
		else if (cursor.takeText('$(')) {
			// Up to the next `)`: what is nested deeper is looked at as text of the rest.
			parts.add({ kind: 'substitution', script: cursor.parse(cursor.takeUntil(')'), depth + 1) });
		} else {
			cursor.skip(1);
			parts.add(readVariable(cursor));
		}
	}
	cursor.isBroken = true;
	return parts.word;
}

/** What follows a `$`. Names have no case; `$env:NAME` is `NAME`. */
function readVariable(cursor: Cursor): Part {
	const name = cursor.take(/\{[^{}\n]{1,200}\}|(?:env:)?\w+/iy)?.replace(/^\{|\}$/g, '');
	if (name === undefined) return '$';
	return { kind: 'variable', name: name.toUpperCase(), operator: '', operand: [] };
}
