import { foldName } from '../fold.ts';
import { LONGEST_PATH } from '../limits.ts';
import { textOf } from '../pattern.ts';
import { programNamesPath, searchable } from '../plain-search.ts';
import { withoutParents } from '../readings.ts';
import type { State } from './state.ts';

/**
 * Takes note of what the whole command names, read as no language in particular, seen from the folders that it is in.
 *
 * @throws TooComplexError
 */
export function searchProgram(state: State): void {
	const { inspection, text, folders } = state;
	const { platform } = inspection.place;
	const unsearched = folders.filter((folder) => !state.searched.has(folder));
	if (unsearched.length === 0) return;
	inspection.spend(text.length);
	const parts = unsearched.flatMap((folder) => {
		const known = textOf(folder);
		return known === undefined ? [] : [withoutParents(known.split('/')).map((part) => foldName(part, platform))];
	});
	const prepared = searchable(text, platform);
	inspection.note((target) => {
		const word = programNamesPath(prepared, target, parts);
		return word === undefined ? undefined : { word, how: 'named' };
	});
	for (const folder of unsearched) {
		state.searched.add(folder);
		// A program has its paths, and its globs, between quotes.
		for (const piece of text.split(/['"`\n]/)) {
			if (piece.length > LONGEST_PATH || !/[/*]/.test(piece) || /\s\S*\s/.test(piece)) continue;
			inspection.look(piece, folder, { coversHidden: true });
		}
	}
}
