import { absolutePattern } from '../absolute.ts';
import { literalPath, type Pattern, UNKNOWN } from '../pattern.ts';
import { operandsOf } from './arguments.ts';
import type { Invocation } from './invocation.ts';
import type { State } from './state.ts';

/** Other folders that the words of a command can be seen from: `tar -C folder`, `env -C folder cat`. */
export function foldersGiven(words: readonly Pattern[], state: State): Pattern[] {
	return words.flatMap((word, index) => {
		const [, joined] = /^(?:-C|--(?:directory|chdir|cwd|wd|working-directory|prefix)(?:=|$))(.*)$/s.exec(word) ?? [];
		const folder = joined === '' ? words[index + 1] : joined;
		if (folder === undefined) return [];
		return state.folders.map((from) => absolutePattern(folder, from, state.inspection.place));
	});
}

/**
 * Goes where `cd` and its like go.
 *
 * @param isSure see `State.enter`
 */
export function enter({ name, given }: Invocation, state: State, isSure: boolean): void {
	const { place } = state.inspection;
	if (name === 'pushd') state.remember();
	const [operand] = operandsOf(given);
	let folders: readonly Pattern[] = [UNKNOWN];
	if (name === 'popd') folders = state.recall();
	else if (operand === undefined) folders = [literalPath(place.home, place.platform)];
	// With `-` back to where it was, which is not followed.
	else if (operand !== '-') {
		folders = operandsOf(given).flatMap((each) => state.folders.map((from) => absolutePattern(each, from, place)));
	}
	state.enter(folders, isSure);
}
