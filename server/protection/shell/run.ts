import { requireDepth } from '../limits.ts';
import { type Pattern, rawText, UNKNOWN } from '../pattern.ts';
import { namesPath, searchable } from '../plain-search.ts';
import { leavesOut } from '../structured.ts';
import { assign, assignInPowerShell } from './assignments.ts';
import { pathsIn } from './candidates.ts';
import { hasPipedGroup, isRead } from './consumers.ts';
import { expandWord } from './expand.ts';
import { enter, foldersGiven } from './folders.ts';
import { type Invocation, invocationOf, nameOf, withMarks } from './invocation.ts';
import { searchProgram } from './program-text.ts';
import { isConditional, isInterpreter, isMentioning, isReserved, isRunning, isShell } from './programs.ts';
import type { RunSubstitution, State } from './state.ts';
import { sweepOf } from './sweep.ts';
import type { Command, Script, Word } from './syntax.ts';

/**
 * Goes through a script as a shell would, with every command taken to run, and takes note of what it reaches.
 *
 * @param isUsed whether what it writes is put into a command
 * @throws TooComplexError
 */
export function runScript(script: Script, state: State, isUsed: boolean): void {
	requireDepth(++state.depth);
	const outside = state.folders;
	const left: (readonly Pattern[])[] = [];
	const isPiped = isUsed || hasPipedGroup(script.items);
	for (const [index, item] of script.items.entries()) {
		if (item.kind === 'open') left.push(state.folders);
		else if (item.kind === 'close') state.folders = left.pop() ?? state.folders;
		else runCommand(item, state, isPiped || isRead(script.items, index));
	}
	if (isUsed) state.folders = outside;
	state.depth--;
}

const runSubstitution: RunSubstitution = (script, state) => runScript(script, state, true);

function runText(text: string, state: State): void {
	runScript(state.parse(text, state.depth + 1).script, state, false);
}

function runCommand(command: Command, state: State, isRead: boolean): void {
	const expand = (word: Word) => expandWord(word, state, runSubstitution);
	const expanded = withMarks(command.words.map(expand), UNKNOWN);
	for (const word of command.redirections.map(expand)) lookAtWord(word, state, state.folders);
	for (const { word } of command.heredocs) expand(word);

	let start = 0;
	while (isReserved(nameOf(expanded[start]))) start++;
	const isConditionalCommand = expanded.slice(0, start).some((word) => isConditional(nameOf(word)));
	start = assign(expanded, start, state);
	assignInPowerShell(command, expanded, state);
	const invocation = invocationOf(expanded.slice(start), state.dialect);

	const folders = [...state.folders, ...foldersGiven(expanded.flat(), state)];
	for (const word of expanded) lookAtWord(word, state, folders);
	if (!isMentioning(invocation.name) && expanded.length > start) searchWords(expanded, state);
	sweep(invocation, state, folders, isRead);
	runWithin(invocation, expanded, command, state);
	if (/^(?:cd|pushd|chdir|popd)$/.test(invocation.name)) {
		const isSure =
			command.after === '&&' ||
			(!isConditionalCommand && !/^(?:&&|\|\|)$/.test(command.before) && command.after !== '||');
		enter(invocation, state, isSure);
	}
}

function lookAtWord(word: readonly Pattern[], { inspection, coversHidden }: State, folders: readonly Pattern[]): void {
	for (const value of word) {
		for (const path of pathsIn(value)) for (const folder of folders) inspection.look(path, folder, { coversHidden });
	}
}

/** A word can hold a script or a program for something that is not known here. */
function searchWords(words: readonly (readonly Pattern[])[], { inspection }: State): void {
	const parts = words.flat().filter((word) => /[/\\]/.test(word));
	if (parts.length === 0) return;
	const text = searchable(parts.map(rawText).join('\n'), inspection.place.platform);
	inspection.spend(text.length);
	inspection.note((target) => {
		const word = namesPath(text, target);
		return word === undefined ? undefined : { word, how: 'named' };
	});
}

function sweep({ name, given }: Invocation, { inspection }: State, folders: readonly Pattern[], isRead: boolean): void {
	const found = sweepOf(name, given);
	if (found === undefined || (found.isListing && !isRead)) return;
	const use = {
		levels: found.levels,
		leavesOut: (target: Parameters<typeof leavesOut>[1]) => leavesOut(found.globs, target, inspection.place.platform),
	};
	for (const root of found.roots) {
		for (const path of pathsIn(root)) for (const folder of folders) inspection.look(path, folder, use);
	}
}

/** Goes through the scripts that a command runs. */
function runWithin(
	{ name, given }: Invocation,
	words: readonly (readonly Pattern[])[],
	command: Command,
	state: State,
) {
	const names = words.map(nameOf);
	const shell = names.findIndex(isShell);
	if (shell >= 0 || isRunning(name) || names.some(isInterpreter)) searchProgram(state);
	const scripts = shell >= 0 ? words.slice(shell + 1).flat() : isRunning(name) ? given : [];
	if (scripts.length > 1) runText(scripts.map(rawText).join(' '), state);
	for (const script of scripts) if (/\s|[;&|<>$`]/.test(script)) runText(rawText(script), state);
	if (shell >= 0) for (const { body } of command.heredocs) runText(body, state);
}
