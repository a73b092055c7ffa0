import { parse, TomlError } from 'smol-toml';
import type { z } from 'zod';
import { BrokerError } from '../errors.ts';
import { decodeText } from '../files/decode.ts';
import { nearest } from '../text/nearest.ts';
import { type Position, positionAt, positionOf } from './position.ts';
import { documentSchema, entrySchema, KNOWN_NAMES, PROTECTIONS, type Protection } from './schema.ts';

/** What the map says of one key. */
export interface Entry {
	/** As written. */
	readonly path: string;
	/** The agents that alone may load it; undefined in the short form and where the table names none. */
	readonly agents: readonly string[] | undefined;
	/** Where the table says so: whoever has got the content holds no private data by it. All other content is private. */
	readonly isPrivate?: false;
}

/** Keys are compared code unit by code unit; a Map has no inherited names such as `constructor`. */
export type Entries = ReadonlyMap<string, Entry>;

/** What the map says of private context. */
export interface PrivateContent {
	readonly entries: Entries;
	/** The protections that `[guard]` switches off. */
	readonly off: readonly Protection[];
	/** Tools that lead outside, for agents that hold private data all the same: full names, or beginnings with a `*`. */
	readonly allowTools: readonly string[];
}

/** All that the map says. */
export interface MapContent extends PrivateContent {
	/** How long a shell command may run: in all, and without output. Milliseconds. */
	readonly limits: { readonly idle: number; readonly total: number };
}

/**
 * Reads a context map.
 *
 * @param content the bytes of the file
 * @throws BrokerError `config_invalid` with line and column and without any of the text: the parser's own message
 *   quotes the lines around the fault, and a mistyped name can be a key
 */
export function parseContextMap(content: Buffer): MapContent {
	const text = decodeText(content);
	if (text === undefined) throw notText(content.toString('utf8'));
	const document = parseToml(text);
	const checked = documentSchema.safeParse(document);
	if (!checked.success) throw invalid(text, [], document, checked.error, KNOWN_NAMES.document);
	const { guard, shell, private_data: privateData } = checked.data;

	const entries = new Map<string, Entry>();
	for (const [key, value] of Object.entries(document.keys as Record<string, unknown>)) {
		const entry = entrySchema(value).safeParse(value);
		if (!entry.success) throw invalid(text, ['keys', key], value, entry.error, KNOWN_NAMES.entry);
		entries.set(key, entryOf(entry.data));
	}
	const limits = { idle: shell.idle_timeout * 1_000, total: shell.timeout * 1_000 };
	const off = PROTECTIONS.filter((name) => !guard[name]);
	return { entries, off, allowTools: privateData.allow_tools, limits };
}

function entryOf(data: z.infer<ReturnType<typeof entrySchema>>): Entry {
	if (typeof data === 'string') return { path: data, agents: undefined };
	const { path, agents, private: isPrivate } = data;
	return { path, agents, ...(isPrivate ? {} : { isPrivate }) };
}

/** What holds where there is no map. */
export function withoutMap(): MapContent {
	return parseContextMap(Buffer.from('[keys]'));
}

/** @param damaged the text with U+FFFD wherever it is not UTF-8 */
function notText(damaged: string): BrokerError {
	return configInvalid(positionAt(damaged, damaged.search(/[\0\ufffd]/)), 'the file is not UTF-8 text from here on');
}

function parseToml(text: string): Record<string, unknown> {
	try {
		return parse(text);
	} catch (error) {
		if (!(error instanceof TomlError)) throw error;
		// The cause is left out on purpose: it holds the text.
		throw configInvalid(error, 'this is not valid TOML');
	}
}

/** The first fault of `value`, which stands at `at` in the document. */
function invalid(
	text: string,
	at: readonly PropertyKey[],
	value: unknown,
	error: z.ZodError,
	known: readonly string[],
): BrokerError {
	// A name that does not exist explains the one that is missing for it.
	const issue = error.issues.find(({ code }) => code === 'unrecognized_keys') ?? error.issues[0];
	if (issue === undefined) throw error;
	if (issue.code === 'unrecognized_keys') {
		const [name = ''] = issue.keys;
		const within = [...at, ...issue.path];
		const problem = unknownName(name, within, (value as Record<string, unknown>)[name], known);
		return configInvalid(positionOf(text, [...within, name]), problem);
	}
	const [field] = issue.path;
	const missing = field !== undefined && !Object.hasOwn(Object(value), field);
	const problem = missing ? `"${String(field)}" is missing` : issue.message;
	return configInvalid(positionOf(text, [...at, ...issue.path]), problem);
}

/** @param within the names of the tables that it stands in */
function unknownName(name: string, within: readonly PropertyKey[], value: unknown, known: readonly string[]): string {
	const [table] = within;
	// Otherwise a table of a name that has nothing to do with it would be offered.
	if (table === undefined && typeof value !== 'object')
		return 'this stands above every table; keys belong below [keys]';
	const isTable = table === 'guard' || table === 'shell' || table === 'private_data';
	const names = isTable ? KNOWN_NAMES[table] : known;
	const what = table === undefined ? 'table' : 'field';
	return `there is no such ${what}; the nearest valid one is "${nearest(name, names)}"`;
}

function configInvalid({ line, column }: Position, problem: string): BrokerError {
	return new BrokerError('config_invalid', { detail: `Line ${line}, column ${column}: ${problem}.` });
}
