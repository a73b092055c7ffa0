import { parse, TomlError } from 'smol-toml';
import type * as z from 'zod/mini';
import { clientName, OWN_SERVER } from '../claude-code/tool-names.ts';
import { decodeText } from '../files/decode.ts';
import { Fault } from './fault.ts';
import { isTable, SINGLE_QUOTES } from './fields.ts';
import type { IsolatedTools } from './isolated-tools.ts';
import {
	type FaultPlace,
	type MapFault,
	MapSyntaxError,
	mapFault,
	placeOf,
	schemaFault,
	unknownName,
} from './map-fault.ts';
import { positionAt, positionOf } from './position.ts';
import { markdownPathsIn, markdownPathsInText, pathsIn } from './private-paths.ts';
import {
	DOCUMENT_NAMES,
	entrySchema,
	knownNames,
	OBSOLETE,
	PROTECTIONS,
	type Protection,
	settingsTables,
} from './schema.ts';
import { checkOfClient, isOfClient, toIsolatedTools, toServerConfig } from './server-config.ts';
import { serverTable } from './server-schema.ts';
import type { ServerConfig } from './servers.ts';

/** What the map says of one key. */
export interface Entry {
	/** As written. */
	readonly path: string;
	/** The agents that alone may load it, in Unicode's form NFC; undefined in the short form and where the table names none. */
	readonly agents: readonly string[] | undefined;
	/** Where the table says so: the content leaves the session as it is. All other content is private data. */
	readonly isPrivate?: false;
}

/** Keys are compared code unit by code unit; a Map has no inherited names such as `constructor`. */
export type Entries = ReadonlyMap<string, Entry>;

/** What the map says of private context. */
export interface PrivateContent {
	readonly entries: Entries;
	/** The protections that `[guard]` switches off. */
	readonly off: readonly Protection[];
	/** The tools that lead outside and that an agent which holds private data may use all the same: full names, `*` at the end. */
	readonly allowTools: readonly string[];
	/** Of each server of the map, which tools run in a subagent only. */
	readonly isolation: readonly IsolatedTools[];
	/** As written: paths that no entry has, since something is wrong with them or around them. Nobody may load them. */
	readonly paths: readonly string[];
	/** What is wrong with the map. */
	readonly faults: readonly MapFault[];
}

/** All that the map says. */
export interface MapContent extends PrivateContent {
	/** How long a shell command may run: in all, and without output. Milliseconds. */
	readonly limits: { readonly idle: number; readonly total: number };
	/** Whether it has the table that has no effect any more. */
	readonly hasObsolete: boolean;
	/** The MCP servers behind the broker, in the order in which they stand there. */
	readonly servers: readonly ServerConfig[];
}

/**
 * Reads a context map. A fault costs what it is in: a key, a server, a table of settings. What protects stays: the path of
 * a key that can not be loaded is protected, a `[guard]` with a fault switches nothing off, and of a server with a fault
 * all tools are isolated.
 *
 * @param content the bytes of the file
 * @param environment for the variables that stand in it; without it none is set, and each of them is a fault
 * @throws MapSyntaxError where it is no TOML document
 */
export function parseContextMap(content: Buffer, environment: NodeJS.ProcessEnv = {}): MapContent {
	const text = decodeText(content);
	if (text === undefined) throw notText(content);
	const document = parseToml(text);
	const unknown = readUnknown(text, document);
	const keys = readKeys(text, document.keys, unknown.faults.length > 0);
	const settings = readSettings(text, document);
	const servers = readServers(text, document.mcp_servers, environment);
	const { guard, shell, privateData } = settings;
	return {
		entries: keys.entries,
		off: PROTECTIONS.filter((name) => !guard[name]),
		allowTools: privateData.allow_tools,
		limits: { idle: shell.idle_timeout * 1_000, total: shell.timeout * 1_000 },
		hasObsolete: Object.hasOwn(document, OBSOLETE),
		servers: servers.servers,
		isolation: servers.isolation,
		paths: [...unknown.paths, ...keys.paths, ...settings.paths, ...servers.paths],
		faults: [unknown, keys, settings, servers].flatMap(({ faults }) => faults),
	};
}

/** What holds where there is no map. */
export function withoutMap(): MapContent {
	return parseContextMap(Buffer.from('[keys]'));
}

type Document = Readonly<Record<string, unknown>>;

/** What stands at the top of the document under names that do not exist. */
function readUnknown(text: string, document: Document) {
	const names = Object.keys(document).filter((name) => !DOCUMENT_NAMES.includes(name));
	return {
		paths: markdownPathsIn(names.map((name) => document[name])),
		faults: names.map((name) => {
			return mapFault(['keys', ...isolationIn(document[name])], unknownName(text, [], name, document[name]));
		}),
	};
}

/** What a value hides, of which nobody knows what it is: nothing, unless it tells of isolated tools. */
function isolationIn(value: unknown): MapFault['hides'] {
	// No recursion: dotted names nest as deep as they are long.
	const waiting = [value];
	for (const each of waiting) {
		if (typeof each !== 'object' || each === null) continue;
		if (Object.keys(each).some((name) => name.startsWith('isolated'))) return ['isolation'];
		for (const inner of Object.values(each)) waiting.push(inner);
	}
	return [];
}

/** @param hasUnknown whether a table has a name that does not exist, which can have been meant for `[keys]` */
function readKeys(text: string, tables: unknown, hasUnknown: boolean) {
	const entries = new Map<string, Entry>();
	const unread: unknown[] = [];
	const faults: MapFault[] = [];
	if (tables === undefined && !hasUnknown) {
		faults.push({ ...mapFault(['keys'], placeOf(text, [], 'the table [keys] is missing')), lacksKeys: true });
	} else if (tables !== undefined && !isTable(tables)) {
		faults.push(mapFault(['keys'], placeOf(text, ['keys'], '[keys] has to be a table')));
		unread.push(tables);
	}
	for (const [key, value] of isTable(tables) ? Object.entries(tables) : []) {
		const entry = entrySchema(value).safeParse(value);
		if (entry.success) {
			entries.set(key, toEntry(entry.data));
		} else {
			faults.push(mapFault(['keys'], schemaFault(text, ['keys', key], value, entry.error)));
			unread.push(value);
		}
	}
	return { entries, paths: pathsIn(unread), faults };
}

function toEntry(read: z.infer<ReturnType<typeof entrySchema>>): Entry {
	if (typeof read === 'string') return { path: read, agents: undefined };
	const { path, agents, private: isPrivate } = read;
	return { path, agents, ...(isPrivate ? {} : { isPrivate }) };
}

/** The tables of settings; one with a fault counts as if it were not there. */
function readSettings(text: string, document: Document) {
	const faults: MapFault[] = [];
	/** A key can stand below a table that it is not meant for: a new one at the end of the file. */
	const paths: string[] = [];
	function read<T>(name: string, table: z.ZodMiniType<T>): T {
		const checked = table.safeParse(document[name]);
		if (checked.success) return checked.data;
		paths.push(...markdownPathsIn(document[name]));
		faults.push(mapFault([], schemaFault(text, [name], document[name], checked.error)));
		return table.parse(undefined);
	}
	const { guard, shell, log, private_data } = settingsTables;
	return {
		guard: read('guard', guard),
		shell: read('shell', shell),
		log: read(OBSOLETE, log),
		privateData: read('private_data', private_data),
		paths,
		faults,
	};
}

/** Those that the broker stands in front of, and of all which tools are isolated. */
function readServers(text: string, tables: unknown, environment: NodeJS.ProcessEnv) {
	const servers: ServerConfig[] = [];
	const isolation: IsolatedTools[] = [];
	const faults: MapFault[] = [];
	const misplaced = isTable(tables) ? Object.values(tables).filter((value) => !isTable(value)) : tables;
	const paths = markdownPathsIn(misplaced);
	if (tables !== undefined && !isTable(tables)) {
		faults.push(mapFault(isolationIn(tables), placeOf(text, ['mcp_servers'], '[mcp_servers] has to be a table')));
	}
	/** As Claude Code writes them; each with the one of the map that it is of, where it is not the broker's own. */
	const names = new Map<string, string | undefined>([[OWN_NAME, undefined]]);
	for (const [name, value] of isTable(tables) ? Object.entries(tables) : []) {
		const written = clientName(name);
		const read = names.has(written)
			? { place: sameName(text, name, names.get(written)) }
			: readServer(text, name, value, environment);
		if ('isolation' in read) {
			isolation.push(read.isolation);
			if (read.server !== undefined) servers.push(read.server);
		} else if (!isTable(value) || written === OWN_NAME) {
			faults.push(mapFault(isolationIn({ [name]: value }), read.place));
		} else {
			faults.push(mapFault([], read.place));
			const unknown = Object.keys(value).filter((field) => !knownNames().mcp_servers.includes(field));
			paths.push(...markdownPathsIn(unknown.map((field) => value[field])));
			// Which of them it was to be, nobody knows.
			isolation.push({
				server: name,
				tools: 'all',
				ofClient: !['url', 'command'].some((of) => Object.hasOwn(value, of)),
			});
		}
		if (!names.has(written)) names.set(written, name);
	}
	return { servers, isolation, paths, faults };
}

/** @returns the place of a fault, where there is one */
function readServer(text: string, name: string, value: unknown, environment: NodeJS.ProcessEnv) {
	const at = ['mcp_servers', name];
	// A date would pass for a table without fields.
	const table = serverTable().safeParse(isTable(value) ? value : undefined);
	if (!table.success) return { place: schemaFault(text, at, value, table.error) };
	try {
		if (isOfClient(table.data)) {
			checkOfClient(name, Object.keys(value as object));
			return { isolation: toIsolatedTools(name, table.data, environment), server: undefined };
		}
		const server = toServerConfig(name, table.data, environment);
		return { isolation: server.isolation, server };
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		return { place: placeOf(text, [...at, ...error.path], error.message) };
	}
}

/** @param other the server of the map with the same name for Claude Code; undefined for the broker itself */
function sameName(text: string, name: string, other: string | undefined): () => FaultPlace {
	return () => {
		const line = other !== undefined && positionOf(text, ['mcp_servers', other]).line;
		const which = line === false ? 'Context Broker itself' : `that in line ${line}`;
		return placeOf(text, ['mcp_servers', name], `Claude Code can not tell this name from ${which}`)();
	};
}

/** How Claude Code writes the name of the broker: what the map says of servers is not about it. */
const OWN_NAME = clientName(OWN_SERVER);

function notText(content: Buffer): MapSyntaxError {
	// U+FFFD stands wherever it is not UTF-8.
	const damaged = content.toString('utf8');
	const position = positionAt(damaged, damaged.search(/[\0\ufffd]/));
	// What it is in instead is UTF-16 or Latin-1, if anything.
	const swapped = Buffer.from(content.subarray(0, content.length & ~1)).swap16();
	const texts = [damaged.replaceAll('\0', ''), ...[content, swapped].map((bytes) => bytes.toString('utf16le'))];
	texts.push(content.toString('latin1'));
	const problem = 'the file is not UTF-8 text from here on';
	return new MapSyntaxError({ ...position, problem }, texts.join('\n'), texts.flatMap(markdownPathsInText));
}

function parseToml(text: string): Document {
	try {
		return parse(text);
	} catch (error) {
		if (!(error instanceof TomlError)) throw error;
		const { line, column } = error;
		// The cause is left out on purpose: it holds the text.
		const isEscape = /"[^"]*\\[^"\\]*$/.test(text.split('\n')[line - 1]?.slice(0, column) ?? '');
		const problem = isEscape ? `this is not valid TOML; ${SINGLE_QUOTES}` : 'this is not valid TOML';
		throw new MapSyntaxError({ line, column, problem }, text, markdownPathsInText(text));
	}
}
