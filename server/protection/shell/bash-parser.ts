import { COSTS } from '../limits.ts';
import { WordReader } from './bash-word.ts';
import { Cursor } from './cursor.ts';
import type { Heredoc, Item, Parse, Parsed, Script, Word } from './syntax.ts';

/** In the order in which they are tried. */
const OPERATOR = /&&|\|\||\|&|;;&?|;&|[;&|\n]/y;
const REDIRECTION = /(?:\d+|\{\w+\})?(?:&>>?|<<<|<>|<&|>&|>>|>\||<(?![<(])|>(?!\())/y;
const HEREDOC = /\d*<<-?/y;

/**
 * Reads a script of a POSIX shell, bash or zsh, roughly: reserved words are left as words, and what can't be read is
 * taken word by word.
 *
 * @param spend told of the work, see `LIMITS`
 * @throws TooComplexError
 */
export function parseBash(text: string, depth: number, spend: (work: number) => void): Parsed {
	const parse: Parse = (inner, innerDepth) => parseBash(inner, innerDepth, spend);
	const cursor = new Cursor(text, parse, spend);
	const items: Item[] = [];
	// What follows a `)` that nothing opened is looked at as well.
	while (!cursor.isAtEnd) for (const item of readItems(cursor, depth, false)) items.push(item);
	return { script: { items }, isBroken: cursor.isBroken };
}

function readScript(cursor: Cursor, depth: number): Script {
	return { items: readItems(cursor, depth, true) };
}

/** Reads to the `)` that ends the script, or to the end. */
function readItems(cursor: Cursor, depth: number, isNested: boolean): Item[] {
	const reader = new WordReader(cursor, depth, readScript);
	const items: Item[] = [];
	let open = 0;
	let [words, redirections, heredocs]: [Word[], Word[], Heredoc[]] = [[], [], []];
	const awaited: { end: string; isLiteral: boolean; into: Heredoc[] }[] = [];
	let before = '';
	const finish = (after: string) => {
		cursor.spend(COSTS.command + COSTS.word * words.length);
		if (words.length + redirections.length + heredocs.length + awaited.length > 0) {
			items.push({ kind: 'command', words, redirections, heredocs, before, after });
			[words, redirections, heredocs] = [[], [], []];
		} else if (items.at(-1)?.kind === 'close') items[items.length - 1] = { kind: 'close', after };
		before = after;
	};

	while (!cursor.isAtEnd) {
		if (cursor.take(/(?:[^\S\n]|\\\n)+/y) !== undefined) continue;
		if (cursor.isAt('#')) cursor.take(/[^\n]+/y);
		const operator = cursor.take(OPERATOR);
		if (operator !== undefined) {
			finish(operator);
			if (operator === '\n')
				for (const { end, isLiteral, into } of awaited.splice(0)) into.push(readHeredoc(cursor, end, isLiteral, depth));
		} else if (cursor.takeText('(')) {
			finish('(');
			items.push({ kind: 'open' });
			open++;
		} else if (cursor.takeText(')')) {
			finish(')');
			if (open-- === 0) return items;
			items.push({ kind: 'close', after: '' });
		} else if (cursor.take(REDIRECTION) !== undefined) {
			cursor.take(/[^\S\n]+/y);
			redirections.push(reader.readWord());
		} else {
			const heredoc = cursor.take(HEREDOC);
			if (heredoc === undefined) {
				const word = reader.readWord();
				if (word.length > 0) words.push(word);
				else cursor.skip(1);
			} else {
				const end = cursor.take(/[^\S\n]*[^\s;&|()<>]+/y)?.trim() ?? '';
				awaited.push({ end: end.replace(/['"\\]/g, ''), isLiteral: /['"\\]/.test(end), into: heredocs });
			}
		}
	}
	finish('');
	if (isNested) cursor.isBroken = true;
	return items;
}

/** What stands up to the line that ends it, or all the rest. */
function readHeredoc(cursor: Cursor, end: string, isLiteral: boolean, depth: number): Heredoc {
	const lines: string[] = [];
	while (!cursor.isAtEnd) {
		const line = cursor.takeLine();
		if (line.replace(/^\t+/, '') === end) break;
		lines.push(line);
	}
	const body = lines.join('\n');
	const parse: Parse = (text, innerDepth) => ({ script: cursor.parse(text, innerDepth), isBroken: false });
	const word = isLiteral
		? []
		: new WordReader(new Cursor(body, parse, cursor.spend), depth + 1, readScript).readQuoted('');
	return { body, word };
}
