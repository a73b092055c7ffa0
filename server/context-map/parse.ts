import { parse, TomlError } from 'smol-toml';
import type * as z from 'zod/mini';
import { clientName, OWN_SERVER } from '../claude-code/tool-names.ts';
import { decodeText } from '../files/decode.ts';
import { Fault } from './expand.ts';
import { isTable, OWN_HOME, SINGLE_QUOTES } from './fields.ts';
import type { IsolatedTools } from './isolated-tools.ts';
import { type MapFault, MapSyntaxError, mapFault, type Spot, schemaFault, unknownName } from './map-fault.ts';
import { positionAt, positionOf } from './position.ts';
import { markdownPathsIn, markdownPathsInText, pathsIn, valuesIn } from './private-paths.ts';
import {
	DOCUMENT_NAMES,
	entrySchema,
	knownNames,
	OBSOLETE,
	PROTECTIONS,
	type Protection,
	settingsTables,
} from './schema.ts';
import {
	checkClientServer,
	isRunByClient,
	type ServerConfig,
	toIsolatedTools,
	toServerConfig,
} from './server-config.ts';
import { serverTable } from './server-schema.ts';

export interface Entry {
	/** The file's path as written. */
	readonly path: string;
	/** Only these agents may load it, in Unicode's form NFC. Undefined if the map names none. */
	readonly agents: readonly string[] | undefined;
	/** `false` if the content may leave the session. All other content is private data. */
	readonly isPrivate?: false;
}

/** Keys are compared by code units. A Map, because an object has inherited names such as `constructor`. */
export type Entries = ReadonlyMap<string, Entry>;

export interface PrivateContent {
	readonly entries: Entries;
	/** Protections that `[guard]` switches off. */
	readonly off: readonly Protection[];
	/** Tools that send data out, and that an agent with private data may use. Full names, or with `*` at the end. */
	readonly allowTools: readonly string[];
	readonly isolation: readonly IsolatedTools[];
	/** Paths of faulty entries, as written. They are protected, and no agent may load them. */
	readonly paths: readonly string[];
	readonly faults: readonly MapFault[];
}

export interface MapContent extends PrivateContent {
	/** In milliseconds: how long a shell command may run in total, and without output (`idle`). */
	readonly limits: { readonly idle: number; readonly total: number };
	readonly hasObsolete: boolean;
	readonly servers: readonly ServerConfig[];
}

/**
 * A fault affects only the part it is in: a key, a server, a table of settings. Protection stays: a faulty key's path is
 * protected, a faulty `[guard]` switches nothing off, and all tools of a faulty server are isolated.
 *
 * @throws MapSyntaxError if the content is not a TOML document
 */
export function parseContextMap(
	content: Buffer,
	environment: NodeJS.ProcessEnv = {},
	platform: NodeJS.Platform = process.platform,
): MapContent {
	const text = decodeText(content);
	if (text === undefined) throw notText(content);
	const document = parseToml(text);
	const unknown = readUnknown(text, document);
	const keys = readKeys(text, document.keys, unknown.faults.length > 0, platform);
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
		paths: [unknown, keys, settings, servers].flatMap(({ paths }) => paths),
		faults: [unknown, keys, settings, servers].flatMap(({ faults }) => faults),
	};
}

export function withoutMap(): MapContent {
	return parseContextMap(Buffer.from('[keys]'));
}

type Document = Readonly<Record<string, unknown>>;

function readUnknown(text: string, document: Document) {
	const names = Object.keys(document).filter((name) => !DOCUMENT_NAMES.includes(name));
	return {
		paths: markdownPathsIn(names.map((name) => document[name])),
		faults: names.map((name) =>
			mapFault(['keys', ...isolationIn(document[name])], text, unknownName([], name, document[name])),
		),
	};
}

/** Whether an unknown value may have meant to isolate tools: it has a name that starts with `isolated`. */
function isolationIn(value: unknown): MapFault['hides'] {
	const names = valuesIn(value).flatMap((each) => (isTable(each) ? Object.keys(each) : []));
	return names.some((name) => name.startsWith('isolated')) ? ['isolation'] : [];
}

/** @param hasUnknown whether the map has a table with an unknown name, which may have been meant as `[keys]` */
function readKeys(text: string, tables: unknown, hasUnknown: boolean, platform: NodeJS.Platform) {
	const entries = new Map<string, Entry>();
	const unread: unknown[] = [];
	const faults: MapFault[] = [];
	if (tables === undefined && !hasUnknown) {
		const spot = { at: [], problem: 'the table [keys] is missing' };
		faults.push({ ...mapFault(['keys'], text, spot), lacksKeys: true });
	} else if (tables !== undefined && !isTable(tables)) {
		faults.push(mapFault(['keys'], text, { at: ['keys'], problem: '[keys] must be a table' }));
		unread.push(tables);
	}
	for (const [key, value] of isTable(tables) ? Object.entries(tables) : []) {
		const read = entrySchema(value).safeParse(value);
		const entry = read.success ? toEntry(read.data) : undefined;
		// Elsewhere `~\` is the beginning of a name.
		if (entry !== undefined && (platform === 'win32' || !entry.path.startsWith('~\\'))) {
			entries.set(key, entry);
		} else {
			const at = ['keys', key];
			const spot = read.success ? { at, problem: OWN_HOME } : schemaFault(at, value, read.error);
			faults.push(mapFault(['keys'], text, spot));
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

function readSettings(text: string, document: Document) {
	const faults: MapFault[] = [];
	/** Keys can stand below the wrong table, for example one that was added at the end of the file. */
	const paths: string[] = [];
	function read<T>(name: string, table: z.ZodMiniType<T>): T {
		const checked = table.safeParse(document[name]);
		if (checked.success) return checked.data;
		paths.push(...markdownPathsIn(document[name]));
		faults.push(mapFault([], text, schemaFault([name], document[name], checked.error)));
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

function readServers(text: string, tables: unknown, environment: NodeJS.ProcessEnv) {
	const servers: ServerConfig[] = [];
	const isolation: IsolatedTools[] = [];
	const faults: MapFault[] = [];
	const misplaced = isTable(tables) ? Object.values(tables).filter((value) => !isTable(value)) : tables;
	const paths = markdownPathsIn(misplaced);
	if (tables !== undefined && !isTable(tables)) {
		const spot = { at: ['mcp_servers'], problem: '[mcp_servers] must be a table' };
		faults.push(mapFault(isolationIn(tables), text, spot));
	}
	/** Names in the map, by the name as Claude Code writes it. The broker itself has undefined. */
	const names = new Map<string, string | undefined>([[OWN_NAME, undefined]]);
	for (const [name, value] of isTable(tables) ? Object.entries(tables) : []) {
		const written = clientName(name);
		const read = names.has(written)
			? { spot: sameName(text, name, names.get(written)) }
			: readServer(name, value, environment);
		if ('isolation' in read) {
			isolation.push(read.isolation);
			if (read.server !== undefined) servers.push(read.server);
		} else if (!isTable(value) || written === OWN_NAME) {
			faults.push(mapFault(isolationIn({ [name]: value }), text, read.spot));
		} else {
			faults.push(mapFault([], text, read.spot));
			const unknown = Object.keys(value).filter((field) => !knownNames().mcp_servers.includes(field));
			paths.push(...markdownPathsIn(unknown.map((field) => value[field])));
			// It is unknown which tools were meant.
			const runByClient = !['url', 'command'].some((field) => Object.hasOwn(value, field));
			isolation.push({ server: name, tools: 'all', runByClient });
		}
		if (!names.has(written)) names.set(written, name);
	}
	return { servers, isolation, paths, faults };
}

function readServer(name: string, value: unknown, environment: NodeJS.ProcessEnv) {
	const at = ['mcp_servers', name];
	// Otherwise a date would pass as a table without fields.
	const table = serverTable().safeParse(isTable(value) ? value : undefined);
	if (!table.success) return { spot: schemaFault(at, value, table.error) };
	try {
		if (isRunByClient(table.data)) {
			checkClientServer(name, Object.keys(value as object));
			return { isolation: toIsolatedTools(name, table.data, environment), server: undefined };
		}
		const server = toServerConfig(name, table.data, environment);
		return { isolation: server.isolation, server };
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		return { spot: { at: [...at, ...error.path], problem: error.message } };
	}
}

/** @param other the server in the map that has the same name for Claude Code; undefined for the broker itself */
function sameName(text: string, name: string, other: string | undefined): Spot {
	const which = () =>
		other === undefined ? 'Context Broker itself' : `that in line ${positionOf(text, ['mcp_servers', other]).line}`;
	return { at: ['mcp_servers', name], problem: () => `Claude Code cannot tell this name from ${which()}` };
}

const OWN_NAME = clientName(OWN_SERVER);

function notText(content: Buffer): MapSyntaxError {
	// U+FFFD marks the bytes that are not UTF-8.
	const damaged = content.toString('utf8');
	const position = positionAt(damaged, damaged.search(/[\0\ufffd]/));
	// The paths are also protected if the file is UTF-16 or Latin-1.
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
		// Without a cause, which quotes the map.
		const isEscape = /"[^"]*\\[^"\\]*$/.test(text.split('\n')[line - 1]?.slice(0, column) ?? '');
		const problem = isEscape ? `this is not valid TOML; ${SINGLE_QUOTES}` : 'this is not valid TOML';
		throw new MapSyntaxError({ line, column, problem }, text, markdownPathsInText(text));
	}
}
