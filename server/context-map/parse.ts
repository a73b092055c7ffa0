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
	/** As written. */
	readonly path: string;
	/** The agents that alone may load it, in Unicode's form NFC; undefined if the map names none. */
	readonly agents: readonly string[] | undefined;
	/** If false, the content leaves the session as it is. All other content is private data. */
	readonly isPrivate?: false;
}

/** Keys are compared code unit by code unit; a Map has no inherited names such as `constructor`. */
export type Entries = ReadonlyMap<string, Entry>;

export interface PrivateContent {
	readonly entries: Entries;
	/** The protections that `[guard]` switches off. */
	readonly off: readonly Protection[];
	/** Tools that lead outside, and that an agent with private data may use: full names, `*` at the end. */
	readonly allowTools: readonly string[];
	readonly isolation: readonly IsolatedTools[];
	/** As written: paths of entries with a fault. Nobody may load them. */
	readonly paths: readonly string[];
	readonly faults: readonly MapFault[];
}

export interface MapContent extends PrivateContent {
	/** How long a shell command may run: in all, and without output. Milliseconds. */
	readonly limits: { readonly idle: number; readonly total: number };
	readonly hasObsolete: boolean;
	readonly servers: readonly ServerConfig[];
}

/**
 * A fault costs what it is in: a key, a server, a table of settings. What protects stays: the path of a key with a fault is
 * protected, a `[guard]` with a fault switches nothing off, and all tools of a server with a fault are isolated.
 *
 * @throws MapSyntaxError if it is no TOML document
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

/** What a value of unknown purpose hides: nothing, unless something in it is named like isolated tools. */
function isolationIn(value: unknown): MapFault['hides'] {
	const names = valuesIn(value).flatMap((each) => (isTable(each) ? Object.keys(each) : []));
	return names.some((name) => name.startsWith('isolated')) ? ['isolation'] : [];
}

/** @param hasUnknown whether a table has a name that does not exist, and can have been meant for `[keys]` */
function readKeys(text: string, tables: unknown, hasUnknown: boolean, platform: NodeJS.Platform) {
	const entries = new Map<string, Entry>();
	const unread: unknown[] = [];
	const faults: MapFault[] = [];
	if (tables === undefined && !hasUnknown) {
		const spot = { at: [], problem: 'the table [keys] is missing' };
		faults.push({ ...mapFault(['keys'], text, spot), lacksKeys: true });
	} else if (tables !== undefined && !isTable(tables)) {
		faults.push(mapFault(['keys'], text, { at: ['keys'], problem: '[keys] has to be a table' }));
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
	/** A key can stand below a table that it is not meant for: a new one at the end of the file. */
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
		const spot = { at: ['mcp_servers'], problem: '[mcp_servers] has to be a table' };
		faults.push(mapFault(isolationIn(tables), text, spot));
	}
	/** By the name as Claude Code writes it: the name in the map; undefined for the broker itself. */
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
			// Nobody knows which tools were meant.
			const runByClient = !['url', 'command'].some((field) => Object.hasOwn(value, field));
			isolation.push({ server: name, tools: 'all', runByClient });
		}
		if (!names.has(written)) names.set(written, name);
	}
	return { servers, isolation, paths, faults };
}

function readServer(name: string, value: unknown, environment: NodeJS.ProcessEnv) {
	const at = ['mcp_servers', name];
	// A date would pass for a table without fields.
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

/** @param other the server of the map with the same name for Claude Code; undefined for the broker itself */
function sameName(text: string, name: string, other: string | undefined): Spot {
	const which = () =>
		other === undefined ? 'Context Broker itself' : `that in line ${positionOf(text, ['mcp_servers', other]).line}`;
	return { at: ['mcp_servers', name], problem: () => `Claude Code can not tell this name from ${which()}` };
}

const OWN_NAME = clientName(OWN_SERVER);

function notText(content: Buffer): MapSyntaxError {
	// U+FFFD stands wherever it is not UTF-8.
	const damaged = content.toString('utf8');
	const position = positionAt(damaged, damaged.search(/[\0\ufffd]/));
	// Then it is UTF-16 or Latin-1, if anything.
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
		// Without a cause: it holds the text.
		const isEscape = /"[^"]*\\[^"\\]*$/.test(text.split('\n')[line - 1]?.slice(0, column) ?? '');
		const problem = isEscape ? `this is not valid TOML; ${SINGLE_QUOTES}` : 'this is not valid TOML';
		throw new MapSyntaxError({ line, column, problem }, text, markdownPathsInText(text));
	}
}
