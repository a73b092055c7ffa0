import { parse, TomlError } from 'smol-toml';
import type { BrokerError } from '../errors.ts';
import { decodeText } from '../files/decode.ts';
import { clientName } from '../text/client-names.ts';
import { Fault } from './fault.ts';
import { isTable } from './fields.ts';
import { configInvalid, invalid } from './invalid.ts';
import type { IsolatedTools } from './isolated-tools.ts';
import { positionAt, positionOf } from './position.ts';
import { documentSchema, entrySchema, PROTECTIONS, type Protection } from './schema.ts';
import { checkOfClient, isOfClient, toIsolatedTools, toServerConfig } from './server-config.ts';
import { serverTable } from './server-schema.ts';
import type { ServerConfig } from './servers.ts';

/** What the map says of one key. */
export interface Entry {
	/** As written. */
	readonly path: string;
	/** The agents that alone may load it; undefined in the short form and where the table names none. */
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
}

/** All that the map says. */
export interface MapContent extends PrivateContent {
	/** How long a shell command may run: in all, and without output. Milliseconds. */
	readonly limits: { readonly idle: number; readonly total: number };
	/** Whether the broker writes down what it decides. */
	readonly logsDecisions: boolean;
	/** The MCP servers behind the broker, in the order in which they stand there. */
	readonly servers: readonly ServerConfig[];
}

/**
 * Reads a context map.
 *
 * @param content the bytes of the file
 * @param environment for the variables that stand in it; without it none is set, and each of them is an error
 * @throws BrokerError `config_invalid` with line and column and without any of the text: the parser's own message
 *   quotes the lines around the fault, and a mistyped name can be a key
 */
export function parseContextMap(content: Buffer, environment: NodeJS.ProcessEnv = {}): MapContent {
	const text = decodeText(content);
	if (text === undefined) throw notText(content.toString('utf8'));
	const document = parseToml(text);
	const checked = documentSchema.safeParse(document);
	if (!checked.success) throw invalid(text, [], document, checked.error);
	const { guard, shell, log, private_data } = checked.data;
	return {
		entries: new Map(tablesOf(document, 'keys').map(([key, value]) => [key, readEntry(text, key, value)])),
		off: PROTECTIONS.filter((name) => !guard[name]),
		allowTools: private_data.allow_tools,
		limits: { idle: shell.idle_timeout * 1_000, total: shell.timeout * 1_000 },
		logsDecisions: log.decisions,
		...readServers(text, tablesOf(document, 'mcp_servers'), environment),
	};
}

/** What holds where there is no map. */
export function withoutMap(): MapContent {
	return parseContextMap(Buffer.from('[keys]'));
}

/** From the document itself: the schema's copy has no entry of the name `__proto__`. */
function tablesOf(document: Record<string, unknown>, name: 'keys' | 'mcp_servers'): [string, unknown][] {
	return Object.entries((document[name] ?? {}) as Record<string, unknown>);
}

function readEntry(text: string, key: string, value: unknown): Entry {
	const entry = entrySchema(value).safeParse(value);
	if (!entry.success) throw invalid(text, ['keys', key], value, entry.error);
	if (typeof entry.data === 'string') return { path: entry.data, agents: undefined };
	const { path, agents, private: isPrivate } = entry.data;
	return { path, agents, ...(isPrivate ? {} : { isPrivate }) };
}

/** Those that the broker stands in front of, and of all which tools are isolated. */
function readServers(
	text: string,
	tables: readonly [string, unknown][],
	environment: NodeJS.ProcessEnv,
): Pick<MapContent, 'servers' | 'isolation'> {
	const servers: ServerConfig[] = [];
	const isolation: IsolatedTools[] = [];
	/** As Claude Code writes them; each with the one of the map that it is of, where it is not the broker's own. */
	const names = new Map<string, string | undefined>([[OWN_SERVER, undefined]]);
	for (const [name, value] of tables) {
		const at = ['mcp_servers', name];
		const written = clientName(name);
		if (names.has(written)) {
			const other = names.get(written);
			const which = other === undefined ? 'Context Broker itself' : `that in line ${lineOf(text, other)}`;
			throw configInvalid(positionOf(text, at), `Claude Code can not tell this name from ${which}`);
		}
		names.set(written, name);
		// A date would pass for a table without fields.
		const table = serverTable().safeParse(isTable(value) ? value : undefined);
		if (!table.success) throw invalid(text, at, value, table.error);
		try {
			if (isOfClient(table.data)) {
				checkOfClient(name, Object.keys(value as object));
				isolation.push(toIsolatedTools(name, table.data, environment));
			} else {
				const server = toServerConfig(name, table.data, environment);
				servers.push(server);
				isolation.push(server.isolation);
			}
		} catch (error) {
			if (!(error instanceof Fault)) throw error;
			throw configInvalid(positionOf(text, [...at, ...error.path]), error.message);
		}
	}
	return { servers, isolation };
}

function lineOf(text: string, server: string): number {
	return positionOf(text, ['mcp_servers', server]).line;
}

/** How Claude Code writes the name of the broker: what the map says of servers is not about it. */
const OWN_SERVER = clientName('plugin:context-broker:broker');

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
