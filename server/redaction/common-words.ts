import { PhraseTable } from './phrase-table.ts';
import { RangeHashes } from './range-hashes.ts';
import lists from './words.json' with { type: 'json' };

/**
 * Whether a word is one of the most frequent of English, or names a field of a form: a run of nothing but such words
 * (`on the way to the`, `the e-mail address of the customer`) tells nothing, and anybody writes it.
 *
 * @param hash of the range, from `RangeHashes`
 */
export function isCommonWord(stream: Uint16Array, start: number, end: number, hash: number): boolean {
	common ??= tableOf([...lists.frequent, ...lists.fields].join(' ').split(' '));
	return common.lineOf(stream, start, end, hash) !== undefined;
}

/** Built when first asked for. */
let common: PhraseTable | undefined;

function tableOf(words: readonly string[]): PhraseTable {
	const stream = Uint16Array.from(words.join(''), (letter) => letter.charCodeAt(0));
	const hashes = new RangeHashes(stream);
	const table = new PhraseTable(stream);
	let start = 0;
	for (const word of words) {
		table.add(start, start + word.length, hashes.of(start, start + word.length), 0);
		start += word.length;
	}
	return table;
}
