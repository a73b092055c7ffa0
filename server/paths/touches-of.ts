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
import { judgeCommand, judgeText } from './command.ts';
import { absolutePattern, literalPath, MAX_PATH_LENGTH, type Pattern } from './pattern.ts';
import type { Place } from './place.ts';
import { shellText } from './spellings.ts';
import { requireDepth, TooComplexError, type Touch, Touches, type Use } from './touches.ts';
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
export function touchesOf(tool: string, input: unknown, place: Place): readonly Touch[] | undefined {
	const touches = new Touches(place);
	try {
		judgeCall(tool, input, touches);
		return touches.all;
	} catch (error) {
		// What is nested very deeply overflows the stack of the parser.
		if (error instanceof TooComplexError || error instanceof RangeError) return undefined;
		throw error;
	}
}

function judgeCall(tool: string, input: unknown, touches: Touches): void {
	const { cwd, place } = touches;
	const fields: Input = Object(input);
	if (FILE_TOOLS.includes(tool)) judgeStrings(stringsIn(input, TEXT_FIELDS), touches, {});
	else if (tool === GREP) judgeGrep(fields, touches);
	else if (tool === GLOB) judgeGlob(fields, touches);
	else if (!COMMAND_TOOLS.includes(tool)) {
		const strings = stringsIn(input);
		const levels = strings.isRecursive || RECURSIVE_NAME.test(tool) ? Number.POSITIVE_INFINITY : 0;
		judgeStrings(strings, touches, { levels });
		if (PROMPTING_TOOLS.includes(tool)) for (const text of strings) judgeText(text, cwd, touches);
	}
	const names = isMcpTool(tool) ? PROGRAM_FIELDS : ['command'];
	const texts = names.flatMap((name) => [...stringsIn(fields[name])].map((text) => shellText(text, place.platform)));
	if (texts.length === 0 || (tool !== POWERSHELL && !isMcpTool(tool) && !COMMAND_TOOLS.includes(tool))) return;
	const named = FOLDER_FIELDS.map((field) => fields[field]).find((value) => typeof value === 'string');
	const folder = named === undefined ? cwd : absolutePattern(literalPath(named, place.platform), cwd, place);
	if (named !== undefined) touches.add(folder, folder, {}, named);
	const command = texts.join(' ');
	if (COMMAND_TOOLS.includes(tool) && command.length > MAX_COMMAND_LENGTH) throw new TooComplexError('too long');
	if (tool === POWERSHELL || isMcpTool(tool)) for (const text of texts) judgeText(text, folder, touches);
	if (tool !== POWERSHELL && command.length <= MAX_COMMAND_LENGTH) judgeCommand(command, folder, touches);
}

/** Grep searches a folder with all that is below it, unless the names that it is limited to fit none there. */
function judgeGrep({ path, glob }: Input, touches: Touches): void {
	// Globs apart by spaces, and by commas outside of braces.
	const given = typeof glob === 'string' && glob.length <= MAX_PATH_LENGTH ? glob.split(/\s+/) : [];
	const globs = given.flatMap((part) => expandBraces(`{${part},}`)).filter((each) => !/^(?:!|$)/.test(each));
	touches.add(folderOf(path, touches), touches.cwd, { levels: Number.POSITIVE_INFINITY, globs }, wordOf(path));
}

/** Glob lists names: that of a protected file says nothing, those in a protected folder do. */
function judgeGlob({ path, pattern }: Input, touches: Touches): void {
	const { cwd, place } = touches;
	const folder = absolutePattern(folderOf(path, touches), cwd, place);
	const use = { coversHidden: true, foldersOnly: true };
	touches.add(folder, folder, use, wordOf(path));
	for (const each of expandBraces(divided(wordOf(pattern), place.platform))) {
		touches.add(each, folder, use, wordOf(pattern));
	}
}

function folderOf(path: unknown, { cwd, place }: Touches): Pattern {
	return typeof path === 'string' ? literalPath(path.trim(), place.platform) : cwd;
}

function wordOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

function divided(pattern: string, platform: NodeJS.Platform): Pattern {
	return platform === 'win32' ? pattern.replaceAll('\\', '/') : pattern;
}

/** Takes strings for paths. */
function judgeStrings(strings: Iterable<string>, touches: Touches, use: Use): void {
	const { place, cwd } = touches;
	for (const text of strings) {
		touches.spend(text.length);
		for (const path of new Set([text, text.trim()])) {
			if (path === '' || path.length > MAX_PATH_LENGTH) continue;
			touches.add(literalPath(path, place.platform), cwd, use, text);
			if (!/[*?[{]/.test(path)) continue;
			for (const each of expandBraces(divided(path, place.platform))) {
				touches.add(each, cwd, { ...use, coversHidden: true }, text);
			}
		}
	}
}

/** Every string in a value, and whether a field such as `recursive: true` is in it. @throws TooComplexError */
function stringsIn(value: unknown, except: readonly string[] = []): Set<string> & { isRecursive?: boolean } {
	const strings: Set<string> & { isRecursive?: boolean } = new Set();
	const gather = (current: unknown, depth: number) => {
		requireDepth(depth);
		if (typeof current === 'string') strings.add(current);
		if (typeof current !== 'object' || current === null) return;
		for (const [name, field] of Object.entries(current)) {
			if (/^-?-?recurs/i.test(name) && field !== false && field !== 'false') strings.isRecursive = true;
			if (!except.includes(name)) gather(field, depth + 1);
		}
	};
	gather(value, 0);
	return strings;
}
