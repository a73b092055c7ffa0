import {
	COMMAND_TOOLS,
	FILE_TOOLS,
	GLOB,
	GREP,
	isMcpTool,
	POWERSHELL,
	PROMPT_TOOLS,
	TEXT_FIELDS,
} from '../claude-code/tools.ts';
import { collectCommand, collectText } from './command.ts';
import { absolutePattern, literalPath, MAX_PATH_LENGTH, type Pattern } from './pattern.ts';
import type { Place } from './place.ts';
import { collectPowerShell } from './powershell.ts';
import { shellText } from './spellings.ts';
import { type Access, requireDepth, TooComplexError, type Touch, Touches } from './touches.ts';
import { expandBraces } from './wildcards.ts';

type Input = Readonly<Record<string, unknown>>;

/** Fields in which MCP tools take a program, in whatever language, and its arguments. */
const PROGRAM_FIELDS = ['command', 'cmd', 'script', 'code', 'args', 'argv'];

/** Fields in which tools take the working folder of a command. `dir_path` is the broker's own. */
const FOLDER_FIELDS = ['cwd', 'working_directory', 'workdir', 'dir_path'];

/** A tool with such a name is taken to search folders recursively. */
const RECURSIVE_NAME = /search|grep|find|tree|recurs|walk/i;

/** In UTF-16 code units. Linux passes no longer one to a shell. */
const MAX_COMMAND_LENGTH = 128 * 1024;

/**
 * The paths that a tool call names and would read, search, copy or change.
 *
 * @param tool as the client names it
 * @param input any JSON value
 * @returns undefined if it is too large or too deeply nested to check
 */
export function touchesOf(tool: string, input: unknown, place: Place): readonly Touch[] | undefined {
	const touches = new Touches(place);
	try {
		collectCall(tool, input, touches);
		return touches.all;
	} catch (error) {
		// Very deep nesting overflows the parser's stack.
		if (error instanceof TooComplexError || error instanceof RangeError) return undefined;
		throw error;
	}
}

function collectCall(tool: string, input: unknown, touches: Touches): void {
	const { cwd, place } = touches;
	const fields: Input = Object(input);
	if (FILE_TOOLS.includes(tool)) collectStrings(stringsIn(input, TEXT_FIELDS), touches, {});
	else if (tool === GREP) collectGrep(fields, touches);
	else if (tool === GLOB) collectGlob(fields, touches);
	else if (!COMMAND_TOOLS.includes(tool)) {
		const strings = stringsIn(input);
		const levels = strings.isRecursive || RECURSIVE_NAME.test(tool) ? Number.POSITIVE_INFINITY : 0;
		collectStrings(strings, touches, { levels });
		if (PROMPT_TOOLS.includes(tool)) for (const text of strings) collectText(text, cwd, touches);
	}
	const names = isMcpTool(tool) ? PROGRAM_FIELDS : ['command'];
	const isBash = COMMAND_TOOLS.includes(tool) && tool !== POWERSHELL;
	const texts = names.flatMap((name) => [...stringsIn(fields[name])].map((text) => shellText(text, place, isBash)));
	if (texts.length === 0 || (tool !== POWERSHELL && !isMcpTool(tool) && !COMMAND_TOOLS.includes(tool))) return;
	const named = FOLDER_FIELDS.map((field) => fields[field]).find((value) => typeof value === 'string');
	const folder = named === undefined ? cwd : absolutePattern(literalPath(named, place.platform), cwd, place);
	if (named !== undefined) touches.add(folder, folder, {}, named);
	const command = texts.join(' ');
	if (COMMAND_TOOLS.includes(tool) && command.length > MAX_COMMAND_LENGTH) throw new TooComplexError('too long');
	if (tool === POWERSHELL || isMcpTool(tool)) for (const text of texts) collectText(text, folder, touches);
	if (tool === POWERSHELL && place.platform === 'win32') collectPowerShell(command, folder, touches);
	if (tool !== POWERSHELL && command.length <= MAX_COMMAND_LENGTH) collectCommand(command, folder, touches);
}

/** Grep searches a folder recursively, limited to the names that `glob` matches. */
function collectGrep({ path, glob }: Input, touches: Touches): void {
	// Spaces separate globs, and so do commas outside braces.
	const given = typeof glob === 'string' && glob.length <= MAX_PATH_LENGTH ? glob.split(/\s+/) : [];
	const globs = given.flatMap((part) => expandBraces(`{${part},}`)).filter((each) => !/^(?:!|$)/.test(each));
	touches.add(folderOf(path, touches), touches.cwd, { levels: Number.POSITIVE_INFINITY, globs }, wordOf(path));
}

/** Glob lists names. A protected file's own name is not secret; the names in a protected folder are. */
function collectGlob({ path, pattern }: Input, touches: Touches): void {
	const { cwd, place } = touches;
	const folder = absolutePattern(folderOf(path, touches), cwd, place);
	const access = { coversHidden: true, foldersOnly: true };
	touches.add(folder, folder, access, wordOf(path));
	for (const each of expandBraces(divided(wordOf(pattern), place.platform))) {
		touches.add(each, folder, access, wordOf(pattern));
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

/** Treats each string as a path. */
function collectStrings(strings: Iterable<string>, touches: Touches, access: Access): void {
	const { place, cwd } = touches;
	for (const text of strings) {
		touches.spend(text.length);
		for (const path of new Set([text, text.trim()])) {
			if (path === '' || path.length > MAX_PATH_LENGTH) continue;
			touches.add(literalPath(path, place.platform), cwd, access, text);
			if (!/[*?[{]/.test(path)) continue;
			for (const each of expandBraces(divided(path, place.platform))) {
				touches.add(each, cwd, { ...access, coversHidden: true }, text);
			}
		}
	}
}

/** All strings in a value, and whether it has a field such as `recursive: true`. @throws TooComplexError */
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
