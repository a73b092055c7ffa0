import {
	type Assignment,
	type Command,
	type CommandNode,
	forEachChild,
	type ParsedScript,
	parse,
	type Redirection,
	type SyntaxNode,
	type Word,
} from 'unbash';
import { absolutePattern } from '../absolute.ts';
import { MAX_PATH_LENGTH, type Pattern, rawText, UNKNOWN } from '../pattern.ts';
import { requireDepth, type Touches } from '../touches.ts';
import { pathsIn } from './arguments.ts';
import {
	type Invocation,
	invocationOf,
	isFilter,
	isInterpreter,
	isMentioning,
	isRunning,
	isShell,
	nameOf,
	withMarks,
} from './programs.ts';
import { State } from './state.ts';
import { sweepOf } from './sweep.ts';
import { expandAssigned, expandWord, valuesOfParts } from './words.ts';

/**
 * Goes through a command as a shell would, with every part of it taken to run, and takes note of what it touches.
 *
 * @param folder where it starts
 * @throws TooComplexError
 */
export function runCommand(text: string, folder: Pattern, touches: Touches): void {
	const state = new State(text, folder, touches, (script, within) => runScript(script, within, true));
	runText(text, state, false);
}

/**
 * Takes note of what a text names, read as no language in particular.
 *
 * @param folders that the program can be in
 * @param separator what stands between two paths; a program has them between quotes
 * @throws TooComplexError
 */
export function searchProgram(
	text: string,
	folders: readonly Pattern[],
	touches: Touches,
	separator = /['"`\n]/,
): void {
	if (folders.length === 0) return;
	touches.text(text, folders);
	const isWindows = touches.place.platform === 'win32';
	for (const piece of text.split(separator)) {
		const path = isWindows ? piece.replaceAll('\\', '/') : piece;
		if (path.length > MAX_PATH_LENGTH || !/[/*]/.test(path) || /\s\S*\s/.test(path) || COMMENT.test(path)) continue;
		for (const each of pathsIn(path)) {
			for (const folder of folders) touches.path(each, folder, { coversHidden: true }, piece);
		}
	}
}

/** A line that begins or ends a comment of many languages, and no path. */
const COMMENT = /^\s*(?:\/+\*+\/?|\*+\/)\s*$/;

/** What is no script of bash, as far as can be seen, is searched, and taken apart without regard to its syntax. */
function runText(text: string, state: State, isUsed: boolean): void {
	state.touches.spend(text.length + 100);
	const wasBroken = state.isBroken;
	state.isBroken = false;
	// Lines can end as on Windows.
	runScript(parse(text.replace(/\r+(?=\n|$)/g, '')), state, isUsed);
	if (state.isBroken) {
		searchWhole(state);
		for (const piece of text.split(/[;&|\n()<>`'"]+/)) {
			if (piece.trim() !== '') runScript(parse(piece), state, true);
		}
	}
	state.isBroken = wasBroken;
}

/** @param isUsed whether what it writes is put into a command, or read by one */
function runScript(script: ParsedScript, state: State, isUsed: boolean): void {
	requireDepth(++state.depth);
	if (script.errors !== undefined && script.errors.length > 0) state.isBroken = true;
	for (const { command } of script.commands) run(command, state, isUsed);
	state.depth--;
}

/** @param isSure whether what stands behind it is run after it, and nowhere else than where it has gone */
function run(node: SyntaxNode, state: State, isUsed: boolean, isSure = true): void {
	const runParts = () => forEachChild(node, (part) => run(part, state, isUsed));
	switch (node.type) {
		case 'Command':
			runSimple(node, state, isUsed, isSure);
			break;
		case 'AndOr': {
			const { commands, operators } = node;
			for (const [at, each] of commands.entries()) run(each, state, isUsed, operators[at] === '&&');
			break;
		}
		case 'Pipeline': {
			const { commands } = node;
			const [only] = commands;
			const read = areRead(commands);
			if (commands.length === 1 && only !== undefined) run(only, state, isUsed, isSure);
			else
				for (const [at, each] of commands.entries()) state.branch(() => run(each, state, isUsed || read[at] === true));
			break;
		}
		case 'Subshell': {
			const outside = state.folders;
			runParts();
			state.folders = outside;
			break;
		}
		case 'CompoundList':
			state.branch(runParts);
			break;
		case 'For':
		case 'Select':
			state.assign(
				node.name.value,
				(node.wordlist ?? []).flatMap((word) => lookAtWord(word, state)),
			);
			run(node.body, state, isUsed);
			break;
		case 'Script':
			state.substitute(node);
			break;
		case 'TestUnary':
			lookAtWord(node.operand, state);
			break;
		case 'TestBinary':
			// Of two files; texts and patterns are compared as such.
			if (!node.operator.startsWith('-')) runParts();
			else for (const word of [node.left, node.right]) lookAtWord(word, state);
			break;
		case 'Redirect':
		case 'HereString':
		case 'HereDoc':
			lookAtRedirections([node], state);
			break;
		default:
			runParts();
	}
}

/** For each command, whether what it writes goes, through filters or not, to a program that can open the files named in it. */
function areRead(commands: readonly CommandNode[]): boolean[] {
	const read: boolean[] = [];
	for (let at = commands.length - 1, isNext = false; at >= 0; at--) {
		read[at] = isNext;
		const command = commands[at];
		const name = command?.type === 'Command' ? (command.name?.value ?? '') : '';
		isNext ||= !isFilter(name.slice(name.lastIndexOf('/') + 1));
	}
	return read;
}

/** @returns what it can stand for */
function lookAtWord(word: Word, state: State): Pattern[] {
	const values = expandWord(word, state);
	lookAt(values, word.text, state, state.folders);
	return values;
}

function lookAt(values: readonly Pattern[], written: string, state: State, folders: readonly Pattern[]): void {
	const { coversHidden } = state;
	for (const value of values) {
		for (const path of pathsIn(value)) {
			for (const folder of folders) state.touches.path(path, folder, { coversHidden }, written);
		}
	}
}

/** @returns texts that a command is given to read */
function lookAtRedirections(redirections: readonly Redirection[], state: State): string[] {
	return redirections.flatMap((redirection) => {
		if (redirection.type !== 'HereDoc') {
			const values = redirection.target === undefined ? [] : lookAtWord(redirection.target, state);
			return redirection.type === 'HereString' ? values.map(rawText) : [];
		}
		const { parts, text } = redirection.body;
		if (parts !== undefined) valuesOfParts(parts, state, true);
		return [text];
	});
}

/** A word of a command: as written, and what it can stand for. */
interface Expanded {
	readonly text: string;
	readonly values: readonly Pattern[];
}

function runSimple(command: Command, state: State, isUsed: boolean, isSure: boolean): void {
	state.touches.spend(100);
	const assignments = command.prefix.filter((each): each is Assignment => each.type === 'Assignment');
	const texts = lookAtRedirections(command.redirects, state);
	const written: Expanded[] = assignments.map((assignment) => assign(assignment, state));
	const start = written.length;
	if (command.name !== undefined) written.push(expanded(command.name, state));
	for (const each of command.args) {
		written.push(each.type === 'Assignment' ? assign(each, state) : expanded(each, state));
	}
	const words = withMarks(written.map(({ values }) => values));
	assignByProgram(words.slice(start), state);
	const invocation = invocationOf(words.slice(start));

	const given = foldersGiven(words.flat(), state);
	const folders = [...state.folders, ...given];
	for (const [at, values] of words.entries()) {
		const text = written[at]?.text ?? '';
		if (at !== start || !COMMENT.test(text)) lookAt(values, text, state, folders);
	}
	if (!isMentioning(invocation.name) && words.length > start) searchWords(words.flat(), state);
	// `git -C folder` is nowhere else.
	sweep(invocation, written, state, invocation.name === 'git' && given.length > 0 ? given : folders, isUsed);
	runWithin(invocation, words, texts, state);
	if (/^(?:cd|pushd|chdir|popd)$/.test(invocation.name)) {
		state.follow(invocation, isSure);
	}
}

function expanded(word: Word, state: State): Expanded {
	return { text: word.text, values: expandWord(word, state) };
}

/** @returns the assignment, as a word */
function assign(assignment: Assignment, state: State): Expanded {
	const { name, append, text } = assignment;
	const values = expandAssigned(assignment, state);
	const starts = append ? (state.valuesOf(name) ?? [UNKNOWN]) : [''];
	for (const value of values) state.touches.spend(value.length * starts.length);
	state.assign(
		name,
		starts.flatMap((value) => values.map((next) => value + next)),
	);
	return { text, values: values.map((value) => `${name}${append ? '+' : ''}=${value}`) };
}

/** The variables that a program gives a value to. */
function assignByProgram([program, ...words]: readonly (readonly Pattern[])[], state: State): void {
	const name = nameOf(program);
	if (name === 'read') for (const word of words) state.assign(nameOf(word), [UNKNOWN]);
	if (!/^(?:export|declare|local|readonly|typeset|env)$/.test(name)) return;
	for (const word of words) {
		const [variable] = /^[A-Za-z_]\w*(?==)/.exec(word[0] ?? '') ?? [];
		if (variable !== undefined)
			state.assign(
				variable,
				word.map((value) => value.slice(variable.length + 1)),
			);
	}
}

/** Other folders that the words of a command can be seen from: `tar -C folder`, `env -C folder cat`. */
function foldersGiven(words: readonly Pattern[], state: State): Pattern[] {
	return words.flatMap((word, index) => {
		const [, joined] = /^(?:-C|--(?:directory|chdir|cwd|wd|working-directory|prefix)(?:=|$))(.*)$/s.exec(word) ?? [];
		const folder = joined === '' ? words[index + 1] : joined;
		if (folder === undefined) return [];
		return state.folders.map((from) => absolutePattern(folder, from, state.touches.place));
	});
}

/** A word that is more than a path can hold a script or a program for something that is not known here. */
function searchWords(words: readonly Pattern[], { touches }: State): void {
	const parts = words.filter((word) => /[/\\]/.test(word) && /[^\w/.~*?-]/.test(word));
	if (parts.length > 0) touches.text(parts.map(rawText).join('\n'));
}

function sweep(
	{ name, given }: Invocation,
	written: readonly Expanded[],
	state: State,
	folders: readonly Pattern[],
	isUsed: boolean,
): void {
	const found = sweepOf(name, given);
	if (found === undefined || (found.isListing && !isUsed)) return;
	const { levels, globs, roots } = found;
	for (const root of roots) {
		const word = written.find(({ values }) => values.includes(root))?.text ?? name;
		for (const path of pathsIn(root)) {
			for (const folder of folders) state.touches.path(path, folder, { levels, globs }, word);
		}
	}
}

/** Goes through the scripts that a command runs. @param texts what it is given to read */
function runWithin(
	{ name, given }: Invocation,
	words: readonly (readonly Pattern[])[],
	texts: readonly string[],
	state: State,
): void {
	const names = words.map(nameOf);
	const shell = names.findIndex(isShell);
	if (shell >= 0 || isRunning(name) || names.some(isInterpreter)) searchWhole(state);
	const scripts = shell >= 0 ? words.slice(shell + 1).flat() : isRunning(name) ? given : [];
	if (scripts.length > 1) runText(scripts.map(rawText).join(' '), state, false);
	for (const script of scripts) if (/\s|[;&|<>$`]/.test(script)) runText(rawText(script), state, false);
	if (shell >= 0) for (const text of texts) runText(text, state, false);
}

/** Searches the whole command, from each folder that it can be in, once. */
function searchWhole(state: State): void {
	const folders = state.folders.filter((folder) => !state.searched.has(folder));
	for (const folder of folders) state.searched.add(folder);
	searchProgram(state.text, folders, state.touches);
}
