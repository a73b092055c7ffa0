import {
	COMMAND_TOOLS,
	FILE_TOOLS,
	GLOB,
	GREP,
	isMcpTool,
	POWERSHELL,
	PROMPTING_TOOLS,
	TEXT_FIELDS,
} from '../claude-code/tools.ts';
import { absolutePattern } from './absolute.ts';
import { literalPath, MAX_PATH_LENGTH, type Pattern } from './pattern.ts';
import type { Place } from './place.ts';
import { pathsIn } from './shell/arguments.ts';
import { runCommand, searchProgram } from './shell/run.ts';
import { requireDepth, TooComplexError, type Touched, Touches, type Use } from './touches.ts';
import { expandBraces } from './wildcards.ts';

type Input = Readonly<Record<string, unknown>>;

/** How tools of MCP servers name what they run, in whatever language, and what it is given. */
const PROGRAM_FIELDS = ['command', 'cmd', 'script', 'code', 'args', 'argv'];

/** How tools name the folder that a command is to run in; the last is ours. */
const FOLDER_FIELDS = ['cwd', 'working_directory', 'workdir', 'dir_path'];

/** If a tool's name says so, it goes through folders. */
const RECURSIVE_NAME = /search|grep|find|tree|recurs|walk/i;

/** In UTF-16 code units: Linux passes no longer one to a shell. */
const MAX_COMMAND_LENGTH = 128 * 1024;

/**
 * What a tool call would read, search, copy or change, as far as it names it.
 *
 * @param tool as the client names it
 * @param input any JSON value
 * @returns undefined if it is too large or too deep to be judged
 */
export function touchesOf(tool: string, input: unknown, place: Place): Touched | undefined {
	const touches = new Touches(place);
	try {
		judgeCall(tool, input, touches);
		return touches;
	} catch (error) {
		// What is nested very deeply overflows the stack of the parser.
		if (error instanceof TooComplexError || error instanceof RangeError) return undefined;
		throw error;
	}
}

function judgeCall(tool: string, input: unknown, touches: Touches): void {
	const fields: Input = typeof input === 'object' && input !== null && !Array.isArray(input) ? { ...input } : {};
	if (FILE_TOOLS.includes(tool)) judgeStrings(stringsAndFlags(input, TEXT_FIELDS).strings, touches, {});
	else if (tool === GREP) judgeGrep(fields, touches);
	else if (tool === GLOB) judgeGlob(fields, touches);
	else if (!COMMAND_TOOLS.includes(tool)) judgeAnyInput(tool, input, touches);

	if (PROMPTING_TOOLS.includes(tool)) for (const text of stringsAndFlags(input).strings) judgeMentions(text, touches);
	const named = FOLDER_FIELDS.map((field) => fields[field]).find((value) => typeof value === 'string');
	const commands = commandsOf(tool, fields);
	if (commands.length === 0) return;
	const { cwd, place } = touches;
	const folder = named === undefined ? cwd : absolutePattern(literalPath(named, place.platform), cwd, place);
	if (named !== undefined) touches.path(folder, folder, {}, named);
	for (const command of commands) judgeCommand(tool, command, folder, touches);
}

/** What a call runs: a command, or programs and their arguments, one by one and together. */
function commandsOf(tool: string, fields: Input): readonly string[] {
	if (!isMcpTool(tool)) return typeof fields.command === 'string' ? [fields.command] : [];
	const texts = PROGRAM_FIELDS.flatMap((field) => stringsAndFlags(fields[field]).strings);
	return [...new Set([...texts, texts.join(' ')])].filter((text) => text !== '');
}

/** What is no script of bash, or none that it can be given, is only searched for the names of paths. */
function judgeCommand(tool: string, command: string, folder: Pattern, touches: Touches): void {
	if (command.length <= MAX_COMMAND_LENGTH) {
		if (tool === POWERSHELL) {
			searchProgram(command, [folder], touches, /[\s'"`;|&(){}<>,=]+/);
			// A name in the working folder has no `/`, and needs no quotes.
			for (const word of command.match(/[^\s'"`;|&(){}<>,=]+/g) ?? []) {
				if (word.includes('.')) touches.path(literalPath(word, touches.place.platform), folder, {}, word);
			}
		} else runCommand(command, folder, touches);
	} else if (isMcpTool(tool)) {
		searchProgram(command, [folder], touches);
	} else throw new TooComplexError('longer than any command');
}

/** Grep searches a folder with all that is below it, unless the names that it is limited to fit none there. */
function judgeGrep(input: Input, touches: Touches): void {
	// Globs apart by spaces, and by commas outside of braces.
	const glob = typeof input.glob === 'string' && input.glob.length <= MAX_PATH_LENGTH ? input.glob : '';
	const globs = glob.split(/\s+/);
	const each = globs.flatMap((part) => expandBraces(`{${part},}`)).filter((glob) => glob !== '');
	const use = { levels: Number.POSITIVE_INFINITY, globs: each };
	touches.path(folderOf(input, touches), touches.cwd, use, typeof input.path === 'string' ? input.path : '');
}

/** Glob lists names: that of a protected file says nothing, those in a protected folder do. */
function judgeGlob(input: Input, touches: Touches): void {
	const { cwd, place } = touches;
	const folder = absolutePattern(folderOf(input, touches), cwd, place);
	const use = { coversHidden: true, foldersOnly: true };
	touches.path(folder, folder, use, typeof input.path === 'string' ? input.path : '');
	if (typeof input.pattern !== 'string') return;
	for (const pattern of expandBraces(divided(input.pattern, place.platform))) {
		touches.path(pattern, folder, use, input.pattern);
	}
}

function folderOf({ path }: Input, { cwd, place }: Touches): Pattern {
	return typeof path === 'string' ? literalPath(path.trim(), place.platform) : cwd;
}

function divided(pattern: string, platform: NodeJS.Platform): Pattern {
	return platform === 'win32' ? pattern.replaceAll('\\', '/') : pattern;
}

/**
 * Takes every string in the input of a tool that is not known for a path. A folder above a protected path counts if the
 * tool's name, or a field such as `recursive: true`, says that it goes through folders.
 */
function judgeAnyInput(tool: string, input: unknown, touches: Touches): void {
	const { strings, isRecursive } = stringsAndFlags(input);
	const levels = isRecursive || RECURSIVE_NAME.test(tool) ? Number.POSITIVE_INFINITY : 0;
	judgeStrings(strings, touches, { levels });
}

/** Takes strings for paths. */
function judgeStrings(strings: readonly string[], touches: Touches, use: Use): void {
	const { place, cwd } = touches;
	for (const text of strings) {
		touches.spend(text.length);
		for (const path of new Set([text, text.trim()])) {
			if (path === '' || path.length > MAX_PATH_LENGTH) continue;
			touches.path(literalPath(path, place.platform), cwd, use, text);
			if (!/[*?[{]/.test(path)) continue;
			for (const each of expandBraces(divided(path, place.platform))) {
				touches.path(each, cwd, { ...use, coversHidden: true }, text);
			}
		}
	}
}

/** A word, or what stands in quotes. `\` keeps a blank in it, as in a shell. */
const WORD = /@?"[^"]*"|@?'[^']*'|(?:\\.|[^\s\\])+/gs;

/** What can be a path, or stands behind an `@`, which makes it one. */
const PATH_LIKE = /[/~.@*?[]/;

/** What a path can end with, as it is found in a sentence. */
const LAST = /[\p{L}\p{N}_*/\]]/u;

/** The paths that a text mentions as words of their own: `see @notes.md#L3-9, and ~/notes.md.` */
function judgeMentions(text: string, touches: Touches): void {
	touches.spend(text.length);
	for (const [written] of text.matchAll(WORD)) {
		if (written.length > MAX_PATH_LENGTH) continue;
		const whole = written.replace(/["']/g, '');
		const [part = ''] = whole.split('#', 1);
		for (const mention of new Set([whole, part, withoutPunctuation(part)])) {
			if (!PATH_LIKE.test(mention)) continue;
			for (const path of pathsIn(mention)) touches.path(path, touches.cwd, { coversHidden: true }, written);
		}
	}
}

/** What ends a sentence or closes a bracket belongs to no path. */
function withoutPunctuation(word: string): string {
	let end = word.length;
	while (end > 0 && !LAST.test(word.charAt(end - 1))) end--;
	return word.slice(0, end);
}

interface Gathered {
	readonly strings: readonly string[];
	readonly isRecursive: boolean;
}

/** Every string in a value. @throws TooComplexError if it is nested too deeply */
function stringsAndFlags(value: unknown, except: readonly string[] = []): Gathered {
	const strings: string[] = [];
	let isRecursive = false;
	const gather = (current: unknown, depth: number) => {
		requireDepth(depth);
		if (typeof current === 'string') strings.push(current);
		if (typeof current !== 'object' || current === null) return;
		for (const [name, field] of Object.entries(current)) {
			if (/^-?-?recurs/i.test(name) && field !== false && field !== 'false') isRecursive = true;
			if (!except.includes(name)) gather(field, depth + 1);
		}
	};
	gather(value, 0);
	return { strings, isRecursive };
}
