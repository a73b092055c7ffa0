import { type Pattern, UNKNOWN } from '../pattern.ts';
import { nameOf } from './invocation.ts';
import type { State } from './state.ts';
import type { Command } from './syntax.ts';

/**
 * Takes note of the values that a command gives to variables.
 *
 * @returns where the command starts, behind `NAME=value`
 */
export function assign(words: readonly (readonly Pattern[])[], start: number, state: State): number {
	let at = start;
	const first = nameOf(words[start]);
	if (first === 'for' || first === 'select') {
		state.assign(nameOf(words[start + 1]), words.slice(start + 3).flat());
		return words.length;
	}
	if (first === 'read') for (const word of words.slice(start + 1)) state.assign(nameOf(word), [UNKNOWN]);
	const isDeclaring = /^(?:export|declare|local|readonly|typeset|env)$/.test(first);
	for (const [index, word] of words.slice(start).entries()) {
		const [, name, plus] = /^([A-Za-z_]\w*)(\+?)=/.exec(word[0] ?? '') ?? [];
		if (name === undefined && !isDeclaring) break;
		if (name === undefined) continue;
		if (!isDeclaring) at = start + index + 1;
		const values = word.map((value) => value.slice(value.indexOf('=') + 1));
		const before = plus === '+' ? (state.valuesOf(name) ?? [UNKNOWN]) : [''];
		state.assign(
			name,
			before.flatMap((value) => values.map((next) => value + next)),
		);
	}
	return at;
}

/** `$name = value`. */
export function assignInPowerShell({ words }: Command, expanded: readonly (readonly Pattern[])[], state: State): void {
	const [part] = words[0] ?? [];
	if (state.dialect !== 'powershell' || typeof part !== 'object' || part.kind !== 'variable') return;
	if (expanded[1]?.[0] === '=') state.assign(part.name, expanded[2] ?? [UNKNOWN]);
}
