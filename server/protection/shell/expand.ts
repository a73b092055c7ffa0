import { expandBraces } from '../braces.ts';
import { COSTS } from '../limits.ts';
import { type Pattern, UNKNOWN } from '../pattern.ts';
import type { RunSubstitution, State } from './state.ts';
import type { Part, Word } from './syntax.ts';

const MOST = 16;

/**
 * What a word can stand for when its command runs.
 *
 * @param run told of each script that the word holds
 */
export function expandWord(word: Word, state: State, run: RunSubstitution): Pattern[] {
	const values = valuesOfWord(word, state, run);
	// PowerShell has no braces in words.
	return state.dialect === 'powershell' ? values : values.flatMap((value) => expandBraces(value));
}

function valuesOfWord(word: Word, state: State, run: RunSubstitution): Pattern[] {
	let starts = [''];
	for (const part of word) {
		let values = valuesOfPart(part, state, run);
		if (starts.length * values.length > MOST) values = [UNKNOWN];
		for (const value of values) state.inspection.spend((COSTS.part + value.length) * starts.length);
		starts = starts.flatMap((start) => values.map((value) => start + value));
	}
	return starts;
}

function valuesOfPart(part: Part, state: State, run: RunSubstitution): readonly Pattern[] {
	if (typeof part === 'string') return [part];
	if (part.kind === 'substitution') {
		run(part.script, state);
		return isPwd(part.script.items) ? state.folders : [UNKNOWN];
	}
	const values = state.valuesOf(part.name);
	if (part.operator === '') return values ?? [UNKNOWN];
	const operand = valuesOfWord(part.operand, state, run);
	if (part.operator === '-') return values ?? [UNKNOWN, ...operand];
	if (part.operator === '+') return operand;
	return [UNKNOWN];
}

/** `$(pwd)`: the one substitution whose output is known. */
function isPwd(items: readonly { readonly kind: string; readonly words?: readonly Word[] }[]): boolean {
	const [item] = items;
	return items.length === 1 && item?.words?.[0]?.join('') === 'pwd';
}
