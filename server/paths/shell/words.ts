import { type Assignment, forEachChild, type SyntaxNode, type Word, type WordPart } from 'unbash';
import { literal, type Pattern, UNKNOWN } from '../pattern.ts';
import { expandBraces } from '../wildcards.ts';
import type { State } from './state.ts';

const MAX_VALUES = 16;

/** What a word can stand for when its command runs. */
export function expandWord(word: Word, state: State): Pattern[] {
	return valuesOfWord(word, state).flatMap((value) => expandBraces(value));
}

/** What stands behind `NAME=`; of an array each element. */
export function expandAssigned({ value, index }: Assignment, state: State): Pattern[] {
	if (index !== undefined) runScriptsIn(index, state);
	if (value.type === 'Word') return valuesOfWord(value, state);
	return value.elements.flatMap((element) => expandWord(element, state));
}

function valuesOfWord(word: Word, state: State): Pattern[] {
	if (word.parts !== undefined) return valuesOfParts(word.parts, state);
	state.touches.spend(word.text.length);
	return [unquoted(word.text)];
}

/** @param isQuoted whether they stand in double quotes */
export function valuesOfParts(parts: readonly WordPart[], state: State, isQuoted = false): Pattern[] {
	let starts = [''];
	for (const part of parts) {
		let values = isQuoted && part.type === 'Literal' ? [literal(part.value)] : valuesOfPart(part, state);
		if (starts.length * values.length > MAX_VALUES) values = [UNKNOWN];
		for (const value of values) state.touches.spend((10 + value.length) * starts.length);
		starts = starts.flatMap((start) => values.map((value) => start + value));
	}
	return starts;
}

function valuesOfPart(part: WordPart, state: State): readonly Pattern[] {
	switch (part.type) {
		case 'Literal':
			return [unquoted(part.text)];
		case 'SingleQuoted':
		case 'AnsiCQuoted':
			return [literal(part.value)];
		case 'DoubleQuoted':
		case 'LocaleString':
			return valuesOfParts(part.parts, state, true);
		case 'Glob':
			runScriptsIn(part, state);
			return [part.kind === 'bracket' ? part.value : part.text];
		case 'BraceExpansion':
			if (part.parts === undefined) return [unquoted(part.text)];
			return valuesOfParts(part.parts, state).map((value) => `{${value}}`);
		case 'ExtendedGlob':
			runScriptsIn(part, state);
			return ['*'];
		case 'SimpleExpansion':
			return state.valuesOf(part.text.slice(1)) ?? [UNKNOWN];
		case 'CommandExpansion':
			state.substitute(part.script);
			// The one substitution whose output is known.
			return /^(?:\$\(|`)\s*pwd\s*[)`]$/.test(part.text) ? state.folders : [UNKNOWN];
		case 'ParameterExpansion': {
			const { parameter, prefix, operation } = part;
			const values = prefix === undefined ? state.valuesOf(parameter) : undefined;
			if (operation?.type === 'Default') {
				const operand = valuesOfWord(operation.operand, state);
				return operation.operator.endsWith('+') ? operand : (values ?? [UNKNOWN, ...operand]);
			}
			// The parser ends the pattern of `${x/$(cat a/b)/c}` at the first `/`.
			if (operation?.type === 'Replace' && /\$\([^)]*$|`[^`]*$/.test(operation.pattern.text)) state.isBroken = true;
			runScriptsIn(part, state);
			return (operation === undefined && values) || [UNKNOWN];
		}
		default:
			runScriptsIn(part, state);
			return [UNKNOWN];
	}
}

/** Goes through the scripts that stand anywhere in something. */
function runScriptsIn(node: SyntaxNode, state: State): void {
	forEachChild(node, (child) => (child.type === 'Script' ? state.substitute(child) : runScriptsIn(child, state)));
}

/** What is written without quotes, as a pattern. */
function unquoted(text: string): Pattern {
	return text.includes('\\')
		? text.replace(/\\([\s\S])/g, (_, escaped: string) => (escaped === '\n' ? '' : literal(escaped)))
		: text;
}
