import { type Command, forEachChild, parse, type SyntaxNode, type Word, type WordPart } from 'unbash';
import { absolutePattern, literal, MAX_PATH_LENGTH, type Pattern, rawText } from './pattern.ts';
import { recursiveAccessOf } from './recursive-access.ts';
import { withJoinedPaths } from './spellings.ts';
import { requireDepth, type Touches } from './touches.ts';
import { expandBraces } from './wildcards.ts';

/** These print names, sizes and checksums, or change permissions: nothing of a file's content. */
const HARMLESS =
	/^(?:ls|dir|vdir|tree|stat|test|\[|file|du|df|wc|cksum|(?:md5|sha\d*)sum|ch(?:mod|own|grp|attr)|touch|mk?dir|rmdir|realpath|readlink|basename|dirname|echo|printf|:|true|cd|pushd|pwd|type|which)$/;

/** The same on macOS: checksums, and what the file system keeps beside the content. */
const HARMLESS_ON_MAC = /^(?:md5|xattr|mdls|chflags)$/;

/** Their arguments hold text for people, which may mention a path without using it. */
const MESSAGING = /^(?:git|gh|glab|jira|say|logger|notify-send|cat|tee)$/;

/** These run the program that follows. */
const WRAPPERS =
	/^(?:sudo|doas|env|nohup|nice|ionice|time|timeout|xargs|parallel|command|builtin|exec|stdbuf|setsid|busybox|wsl)$/;

/** These take `-C folder` as their working folder. */
const MOVING = /^(?:git|b?g?s?d?tar|env|sudo|unshare|make)$/;

/** @throws TooComplexError */
export function collectCommand(text: string, folder: Pattern, touches: Touches): void {
	touches.spend(text.length);
	// Lines may end with CRLF.
	const script = parse(text.replace(/\r(?=\n|$)/g, ''));
	if (script.errors?.length) collectText(text, folder, touches);
	walk(script, { folder, touches, depth: 0, isRead: false });
}

/** Takes quoted strings and their pieces in a text of any language for paths. @throws TooComplexError */
export function collectText(text: string, folder: Pattern, touches: Touches): void {
	touches.spend(text.length);
	const named = withHome(text);
	const isWindows = touches.place.platform === 'win32';
	const parts = (isWindows ? withJoinedPaths(named) : named).split(/['"`\n]/);
	for (const piece of new Set([...parts, ...parts.flatMap((part) => part.split(/[\s()<>[\]{};|&,#]+/))])) {
		// A piece without a letter or digit is punctuation of the language.
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

/** A text in which the home folder is `~`. */
export function withHome(text: string): string {
	return text.replace(/\$\{?(?:env:)?(?:HOME|USERPROFILE)\b\}?|%USERPROFILE%/gi, '~');
}

/** The paths that a word can hold: the word, its parts between `= : @ ,`, and what follows an option's letter. */
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
	/** Nesting of scripts within scripts. */
	readonly depth: number;
	/** Whether another program of the pipeline opens the files that are listed. */
	readonly isRead: boolean;
}

/** @returns the folder in which the next command runs */
function walk(node: SyntaxNode, at: Walk): Pattern {
	requireDepth(at.depth);
	// Accessing a word's parts parses it.
	if (node.type === 'Word') at.touches.spend(8 * node.text.length);
	if (node.type === 'Command') return walkCommand(node, at);
	if (node.type === 'Redirect') addWord(node.target, at);
	if (node.type === 'For') for (const word of node.wordlist ?? []) addWord(word, at);
	const isPipeline = node.type === 'Pipeline' && node.commands.length > 1;
	const isRead = at.isRead || (isPipeline && node.commands.some((each) => isXargs(each, at.touches.place.platform)));
	const depth = at.depth + (node.type === 'Script' ? 1 : 0);
	let { folder } = at;
	forEachChild(node, (child) => {
		const left = walk(child, { ...at, folder, depth, isRead });
		if (!isPipeline) folder = left;
	});
	return node.type === 'Subshell' || node.type === 'Word' ? at.folder : folder;
}

function isXargs(node: SyntaxNode, platform: NodeJS.Platform): boolean {
	if (node.type !== 'Command') return false;
	const words = wordsOf(node);
	return /^(?:xargs|parallel)$/.test(nameOf(words[0], platform)) && !isHarmless(words, platform);
}

function addWord(word: Word | undefined, { folder, touches }: Walk): void {
	if (word === undefined) return;
	for (const path of expandBraces(patternOf(word)).flatMap(pathsIn)) touches.add(path, folder);
}

function walkCommand(command: Command, at: Walk): Pattern {
	const { touches } = at;
	touches.spend(400);
	const words = wordsOf(command);
	const isSafe = words.length > 0 && isHarmless(words, touches.place.platform, at.isRead);
	forEachChild(command, (child) => walk(child, { ...at, isRead: at.isRead || (!isSafe && words.length > 0) }));
	for (const each of command.prefix)
		if (each.type === 'Assignment' && each.value.type === 'Word') addWord(each.value, at);
	const name = programOf(words, at, isSafe);
	if (!isSafe && !MESSAGING.test(name)) {
		for (const each of command.redirects) {
			if (each.type === 'HereDoc') collectText(each.body.text, at.folder, touches);
			if (each.type === 'HereString') collectText(each.target?.value ?? '', at.folder, touches);
		}
	}
	if (!/^(?:cd|pushd)$/.test(name)) return at.folder;
	return absolutePattern(words.slice(1).find((word) => !word.startsWith('-')) ?? '~', at.folder, touches.place);
}

/** Checks a program and its arguments. @returns its name */
function programOf(words: readonly Pattern[], at: Walk, isSafe: boolean): string {
	const { touches } = at;
	const { platform } = touches.place;
	const [name, given] = [nameOf(words[0], platform), words.slice(1)];
	const moved = given.findIndex((word) => /^(?:-C|--(?:directory|chdir))(?:=|$)/.test(word));
	const to = moved < 0 || !MOVING.test(name) ? undefined : (given[moved]?.split('=')[1] ?? given[moved + 1]);
	const folder = to === undefined ? at.folder : absolutePattern(to, at.folder, touches.place);
	if (WRAPPERS.test(name)) {
		const program = wrapped(words, platform);
		for (const word of words.slice(1, words.length - program.length)) {
			for (const path of pathsIn(word)) touches.add(path, folder, { foldersOnly: isSafe });
		}
		return programOf(program, { ...at, folder }, isSafe);
	}
	const recursive = isSafe ? undefined : recursiveAccessOf(name, given, at.isRead);
	for (const word of new Set(words)) {
		if (word === recursive?.sought || (word === words[0] && !/\w/.test(word))) continue;
		for (const path of pathsIn(word)) {
			for (const from of new Set([folder, at.folder])) touches.add(path, from, { foldersOnly: isSafe });
		}
		const text = rawText(word);
		if (!isSafe && !MESSAGING.test(name) && /[\s'"`()<>;|&]/.test(text)) collectText(text, folder, touches);
	}
	for (const root of recursive?.roots ?? [])
		if (root !== '') touches.add(root, folder, recursive?.access, words.includes(root) ? undefined : name);
	return name;
}

/** Whether it prints no content and changes no file. @param isRead whether another program opens the listed files */
function isHarmless(words: readonly Pattern[], platform: NodeJS.Platform, isRead = false): boolean {
	const [name, given] = [nameOf(words[0], platform), words.slice(1)];
	const has = (option: RegExp) => given.some((word) => option.test(word));
	if (name === 'command' && /^-[vV]$/.test(given[0] ?? '')) return true;
	// Files that hold their arguments are opened.
	if (WRAPPERS.test(name)) {
		return !has(/^(?:-a|--arg-file|-S|--split-string)/) && isHarmless(wrapped(words, platform), platform, isRead);
	}
	if (/^(?:find|bfs|gfind)$/.test(name)) {
		const isOfFolders = /(?<!(?:!|-not) )-type d\b/.test(given.join(' ')) && !has(/^(?:-or?|,)$/);
		if (isRead || has(/^-(?:fprint|fls|files0)/) || (has(/^-delete$/) && !isOfFolders)) return false;
		const runs = given.flatMap((word, at) => (/^-(?:exec|ok)(?:dir)?$/.test(word) ? [at + 1] : []));
		const endOf = (at: number) => given.findIndex((word, index) => index > at && /^[;+]$/.test(word));
		return runs.length < 9 && runs.every((at) => endOf(at) > 0 && isHarmless(given.slice(at, endOf(at)), platform));
	}
	if (/^(?:[a-z\d]*grep|rg|ag|ack)$/.test(name))
		// The letters behind an option that takes a value are that value.
		return !isRead && has(/^-[a-zA-Z]*?(?<![ABCDdefm].*)[lcq][a-zA-Z]*$|^--(?:files(?:$|-with)|count|quiet)/);
	if (name === 'git') {
		const isPatch = has(/^-(?:[upGS]|L)|^--patch/);
		return !isPatch && /^(?:status|ls-files|log|branch|remote|rev-parse|fetch|check-ignore)$/.test(given[0] ?? '');
	}
	const opens = /^(?:file|\w+sum)$/.test(name) && has(/^-\w*[cf]|^--check/);
	const isKnown = HARMLESS.test(name) || (platform === 'darwin' && HARMLESS_ON_MAC.test(name));
	return (isKnown && !isRead && !opens && !has(/^--(?:files|fromfile)/)) || words.length === 0;
}

/** The program that a wrapper runs: from the first word that is no option, no value, and no wrapper. */
function wrapped(words: readonly Pattern[], platform: NodeJS.Platform): readonly Pattern[] {
	const isOwn = (word: Pattern) => /^(?:-|\w+=|\d)/.test(word) || WRAPPERS.test(nameOf(word, platform));
	const start = words.findIndex((word, at) => !isOwn(word) && !/^-[ugIdCD]$/.test(words[at - 1] ?? ''));
	return start < 0 ? [] : words.slice(start);
}

function nameOf(word = '', platform: NodeJS.Platform): string {
	const name = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
	if (platform !== 'win32' && platform !== 'darwin') return name.replace(/\.exe$/, '');
	// The names of files have no case there. `cd` is no file: `CD` leaves the shell in its folder.
	const program = name.replace(/\.exe$/i, '');
	return /^(?:cd|pushd)$/i.test(program) ? program : program.toLowerCase();
}

/** A command's words. `{}`, the file that another program finds, becomes `*`. */
function wordsOf({ name, args }: Command): Pattern[] {
	const words = [...(name === undefined ? [] : [name]), ...args];
	return words.flatMap((word) =>
		word.type === 'Word' ? expandBraces(patternOf(word).replaceAll('/\\{\\}', '/*')) : [word.text],
	);
}

function patternOf({ parts, value }: Word): Pattern {
	const pattern = parts === undefined ? literal(value) : parts.map(patternOfPart).join('');
	// A path with an unknown beginning can be anywhere.
	return pattern.startsWith('*') && !value.startsWith('*') ? '' : pattern;
}

/** `~` stands for the home folder, and `*` for unknown text. */
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
