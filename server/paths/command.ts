import { type Command, forEachChild, parse, type SyntaxNode, type Word, type WordPart } from 'unbash';
import { absolutePattern, literal, MAX_PATH_LENGTH, type Pattern, rawText } from './pattern.ts';
import { withJoinedPaths } from './spellings.ts';
import { sweepOf } from './sweep.ts';
import { requireDepth, type Touches } from './touches.ts';
import { expandBraces } from './wildcards.ts';

/** They print names, sizes and sums, or change rights: nothing of what is in a file. */
const HARMLESS =
	/^(?:ls|dir|vdir|tree|stat|test|\[|file|du|df|wc|cksum|(?:md5|sha\d*)sum|ch(?:mod|own|grp|attr)|touch|mk?dir|rmdir|realpath|readlink|basename|dirname|echo|printf|:|true|cd|pushd|pwd|type|which)$/;

/** Their arguments hold texts for people, in which a path is only mentioned. */
const MESSAGING = /^(?:git|gh|glab|jira|say|logger|notify-send|cat|tee)$/;

/** They run the program that follows. */
const WRAPPERS =
	/^(?:sudo|doas|env|nohup|nice|ionice|time|timeout|xargs|parallel|command|builtin|exec|stdbuf|setsid|busybox|wsl)$/;

/** They take `-C folder` for the folder to work in. */
const MOVING = /^(?:git|b?g?s?d?tar|env|sudo|unshare|make)$/;

/** @throws TooComplexError */
export function judgeCommand(text: string, folder: Pattern, touches: Touches): void {
	touches.spend(text.length);
	// Lines can end as on Windows.
	const script = parse(text.replace(/\r(?=\n|$)/g, ''));
	if (script.errors?.length) judgeText(text, folder, touches);
	walk(script, { folder, touches, depth: 0, isRead: false });
}

/** The paths in a text of whatever language: what stands between quotes, and the pieces of it. @throws TooComplexError */
export function judgeText(text: string, folder: Pattern, touches: Touches): void {
	touches.spend(text.length);
	const named = text.replace(/\$\{?(?:env:)?(?:HOME|USERPROFILE)\b\}?|%USERPROFILE%/gi, '~');
	const isWindows = touches.place.platform === 'win32';
	const parts = (isWindows ? withJoinedPaths(named) : named).split(/['"`\n]/);
	for (const piece of new Set([...parts, ...parts.flatMap((part) => part.split(/[\s()<>[\]{};|&,#]+/))])) {
		// Without a letter it is a mark of the language.
		if (piece.length > MAX_PATH_LENGTH || !/[/\\~.*?]/.test(piece) || !/[\p{L}\p{N}~]/u.test(piece)) continue;
		// A language can have each backslash written twice.
		const paths = isWindows
			? [piece, piece.replaceAll('\\\\', '\\')].map((each) => each.replaceAll('\\', '/'))
			: [piece];
		const readings = paths.flatMap((path) => [path, path.replace(/(?<![.!?])[.!?]+$/, '')]);
		for (const each of new Set(readings.flatMap(pathsIn))) {
			touches.add(each, folder, { coversHidden: true }, piece);
		}
	}
}

/** The paths that a word can hold: the word, its parts between `= : @`, and what follows the letter of an option. */
function pathsIn(word: Pattern): Pattern[] {
	if (word.length > MAX_PATH_LENGTH) return [word];
	const tails = [...word.matchAll(/[=:@]/g)].slice(0, 4).map(({ index }) => word.slice(index + 1));
	const ends = word.startsWith('-') ? [word.slice(2), word.slice(Math.max(0, word.search(/[/~]/)))] : [];
	const parts = [...word.split(/[=:@,]/), ...tails, ...ends].filter((part) => !/^\**$/.test(part));
	return word === '' ? [] : [word, ...parts];
}

interface Walk {
	readonly folder: Pattern;
	readonly touches: Touches;
	/** Scripts within scripts. */
	readonly depth: number;
	/** Whether a program opens the files that are listed. */
	readonly isRead: boolean;
}

/** @returns the folder in which what follows runs */
function walk(node: SyntaxNode, at: Walk): Pattern {
	requireDepth(at.depth);
	// What is in it is parsed when it is asked for.
	if (node.type === 'Word') at.touches.spend(8 * node.text.length);
	if (node.type === 'Command') return simple(node, at);
	if (node.type === 'Redirect') look(node.target, at);
	if (node.type === 'For') for (const word of node.wordlist ?? []) look(word, at);
	const isPipeline = node.type === 'Pipeline' && node.commands.length > 1;
	const isRead = at.isRead || (isPipeline && node.commands.some(isXargs));
	const depth = at.depth + (node.type === 'Script' ? 1 : 0);
	let { folder } = at;
	forEachChild(node, (child) => {
		const left = walk(child, { ...at, folder, depth, isRead });
		if (!isPipeline) folder = left;
	});
	return node.type === 'Subshell' || node.type === 'Word' ? at.folder : folder;
}

function isXargs(node: SyntaxNode): boolean {
	if (node.type !== 'Command') return false;
	const words = wordsOf(node);
	return /^(?:xargs|parallel)$/.test(nameOf(words[0])) && !isHarmless(words);
}

function look(word: Word | undefined, { folder, touches }: Walk): void {
	if (word === undefined) return;
	for (const path of expandBraces(patternOf(word)).flatMap(pathsIn)) touches.add(path, folder);
}

function simple(command: Command, at: Walk): Pattern {
	const { touches } = at;
	touches.spend(400);
	const words = wordsOf(command);
	const isSafe = words.length > 0 && isHarmless(words, at.isRead);
	forEachChild(command, (child) => walk(child, { ...at, isRead: at.isRead || (!isSafe && words.length > 0) }));
	for (const each of command.prefix) if (each.type === 'Assignment' && each.value.type === 'Word') look(each.value, at);
	const name = programOf(words, at, isSafe);
	if (!isSafe && !MESSAGING.test(name)) {
		for (const each of command.redirects) {
			if (each.type === 'HereDoc') judgeText(each.body.text, at.folder, touches);
			if (each.type === 'HereString') judgeText(each.target?.value ?? '', at.folder, touches);
		}
	}
	if (!/^(?:cd|pushd)$/.test(name)) return at.folder;
	return absolutePattern(words.slice(1).find((word) => !word.startsWith('-')) ?? '~', at.folder, touches.place);
}

/** Judges a program with its arguments. @returns its name */
function programOf(words: readonly Pattern[], at: Walk, isSafe: boolean): string {
	const [name, given] = [nameOf(words[0]), words.slice(1)];
	const { touches } = at;
	const moved = given.findIndex((word) => /^(?:-C|--(?:directory|chdir))(?:=|$)/.test(word));
	const to = moved < 0 || !MOVING.test(name) ? undefined : (given[moved]?.split('=')[1] ?? given[moved + 1]);
	const folder = to === undefined ? at.folder : absolutePattern(to, at.folder, touches.place);
	if (WRAPPERS.test(name)) {
		const program = wrapped(words);
		for (const word of words.slice(1, words.length - program.length)) {
			for (const path of pathsIn(word)) touches.add(path, folder, { foldersOnly: isSafe });
		}
		return programOf(program, { ...at, folder }, isSafe);
	}
	const sweep = isSafe ? undefined : sweepOf(name, given, at.isRead);
	for (const word of new Set(words)) {
		if (word === sweep?.sought || (word === words[0] && !/\w/.test(word))) continue;
		for (const path of pathsIn(word)) {
			for (const from of new Set([folder, at.folder])) touches.add(path, from, { foldersOnly: isSafe });
		}
		const text = rawText(word);
		if (!isSafe && !MESSAGING.test(name) && /[\s'"`()<>;|&]/.test(text)) judgeText(text, folder, touches);
	}
	for (const root of sweep?.roots ?? [])
		if (root !== '') touches.add(root, folder, sweep?.use, words.includes(root) ? undefined : name);
	return name;
}

/** Whether nothing of a file is printed, and no file is changed. @param isRead whether another opens the files listed */
function isHarmless(words: readonly Pattern[], isRead = false): boolean {
	const [name, given] = [nameOf(words[0]), words.slice(1)];
	const has = (option: RegExp) => given.some((word) => option.test(word));
	if (name === 'command' && /^-[vV]$/.test(given[0] ?? '')) return true;
	// What stands in a file that is given to them is opened.
	if (WRAPPERS.test(name)) return !has(/^(?:-a|--arg-file|-S|--split-string)/) && isHarmless(wrapped(words), isRead);
	if (/^(?:find|bfs|gfind)$/.test(name)) {
		const isOfFolders = /(?<!(?:!|-not) )-type d\b/.test(given.join(' ')) && !has(/^(?:-or?|,)$/);
		if (isRead || has(/^-(?:fprint|fls|files0)/) || (has(/^-delete$/) && !isOfFolders)) return false;
		const runs = given.flatMap((word, at) => (/^-(?:exec|ok)(?:dir)?$/.test(word) ? [at + 1] : []));
		const endOf = (at: number) => given.findIndex((word, index) => index > at && /^[;+]$/.test(word));
		return runs.length < 9 && runs.every((at) => endOf(at) > 0 && isHarmless(given.slice(at, endOf(at))));
	}
	if (/^(?:[a-z\d]*grep|rg|ag|ack)$/.test(name))
		// Behind an option with a value, letters are that value.
		return !isRead && has(/^-[a-zA-Z]*?(?<![ABCDdefm].*)[lcq][a-zA-Z]*$|^--(?:files(?:$|-with)|count|quiet)/);
	if (name === 'git') {
		const isPatch = has(/^-(?:[upGS]|L)|^--patch/);
		return !isPatch && /^(?:status|ls-files|log|branch|remote|rev-parse|fetch|check-ignore)$/.test(given[0] ?? '');
	}
	const opens = /^(?:file|\w+sum)$/.test(name) && has(/^-\w*[cf]|^--check/);
	return (HARMLESS.test(name) && !isRead && !opens && !has(/^--(?:files|fromfile)/)) || words.length === 0;
}

/** What programs run that run another: from the first word on that is neither an option, nor a value, nor one of them. */
function wrapped(words: readonly Pattern[]): readonly Pattern[] {
	const isOwn = (word: Pattern) => /^(?:-|\w+=|\d)/.test(word) || WRAPPERS.test(nameOf(word));
	const start = words.findIndex((word, at) => !isOwn(word) && !/^-[ugIdCD]$/.test(words[at - 1] ?? ''));
	return start < 0 ? [] : words.slice(start);
}

function nameOf(word = ''): string {
	return word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1).replace(/\.exe$/, '');
}

/** The words of a command; what stands for a file that another program finds is `*`. */
function wordsOf({ name, args }: Command): Pattern[] {
	const words = [...(name === undefined ? [] : [name]), ...args];
	return words.flatMap((word) =>
		word.type === 'Word' ? expandBraces(patternOf(word).replaceAll('/\\{\\}', '/*')) : [word.text],
	);
}

function patternOf({ parts, value }: Word): Pattern {
	const pattern = parts === undefined ? literal(value) : parts.map(patternOfPart).join('');
	// What begins with something that is not known can lie anywhere.
	return pattern.startsWith('*') && !value.startsWith('*') ? '' : pattern;
}

/** `~` stands for the home folder, and `*` for what is not known. */
function patternOfPart(part: WordPart): Pattern {
	switch (part.type) {
		case 'Literal':
		case 'SingleQuoted':
		case 'AnsiCQuoted':
			return literal(part.value);
		case 'DoubleQuoted':
		case 'LocaleString':
			return part.parts.map(patternOfPart).join('');
		case 'Glob':
		case 'BraceExpansion':
			return part.text;
		default:
			return /^\$(?:HOME|\{HOME\})$/.test(part.text) ? '~' : '*';
	}
}
