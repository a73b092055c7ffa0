import type { Inspection } from './inspection.ts';
import { LONGEST_PATH } from './limits.ts';
import { pathsIn } from './shell/candidates.ts';

/** A word, or what stands in quotes. `\` keeps a blank in it, as in a shell. */
const WORD = /@?"[^"]*"|@?'[^']*'|(?:\\.|[^\s\\])+/gs;

/** What can be a path, or stands behind an `@`, which makes it one. */
const PATH_LIKE = /[/~.@*?[]/;

/** What a path can end with, as it is found in a sentence. */
const LAST = /[\p{L}\p{N}_*/\]]/u;

/**
 * Takes note of the paths that a text mentions as words of their own: `see @notes.md#L3-9, and ~/notes.md.`
 *
 * @throws TooComplexError
 */
export function judgeMentions(text: string, inspection: Inspection): void {
	inspection.spend(text.length);
	for (const [written] of text.matchAll(WORD)) {
		if (written.length > LONGEST_PATH) continue;
		const whole = written.replace(/["']/g, '');
		const [part = ''] = whole.split('#', 1);
		for (const mention of new Set([whole, part, withoutPunctuation(part)])) {
			if (!PATH_LIKE.test(mention)) continue;
			for (const path of pathsIn(mention)) inspection.look(path, inspection.cwd, { coversHidden: true });
		}
	}
}

/** What ends a sentence or closes a bracket belongs to no path. */
function withoutPunctuation(word: string): string {
	let end = word.length;
	while (end > 0 && !LAST.test(word.charAt(end - 1))) end--;
	return word.slice(0, end);
}
