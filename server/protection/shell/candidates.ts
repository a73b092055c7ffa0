import { LONGEST_PATH } from '../limits.ts';
import type { Pattern } from '../pattern.ts';

/**
 * The paths that a word of a command can hold: the word, what stands before and behind each of `= : @ ,`, and what
 * follows the letter of an option.
 */
export function pathsIn(word: Pattern): Iterable<Pattern> {
	if (word.length > LONGEST_PATH || !/[=:@,]|^-/.test(word)) return [word];
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
