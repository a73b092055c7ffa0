import { isDeepStrictEqual } from 'node:util';
import { clientName } from '../claude-code/tool-names.ts';
import { expand, expandList, expandTable } from './expand.ts';
import { Fault } from './fault.ts';
import { path, type toolName, toolPattern, wholeToolName } from './fields.ts';
import { checkHeaders, toHttpInstance } from './http-instance.ts';
import type { IsolatedTools } from './isolated-tools.ts';
import { SERVER_NAME, type ServerTable } from './server-schema.ts';
import type { InstanceConfig, ServerConfig, StdioInstance } from './servers.ts';

type Instances = Pick<ServerConfig, 'open' | 'isolated'>;

const OF_URL = ['url_isolated', 'headers'] as const;
const OF_COMMAND = ['args', 'env', 'cwd', 'args_isolated', 'isolate_network'] as const;

/**
 * What a table of `[mcp_servers]` means.
 *
 * @param environment where the values of `${NAME}` come from
 * @throws Fault
 */
export function toServerConfig(name: string, table: ServerTable, environment: NodeJS.ProcessEnv): ServerConfig {
	if (!SERVER_NAME.test(name)) throw new Fault([], 'the name of a server has letters, digits, - and _ only');
	return {
		name,
		...instances(table, environment),
		refusesWhenPrivate: table.when_private === 'refuse',
		privateTools: names('private_tools', table.private_tools, wholeToolName, environment),
		isolation: toIsolatedTools(name, table, environment),
		readTimeout: table.read_timeout * 1_000,
	};
}

/** Whether a table is about a server that Claude Code runs, not the broker. */
export function isOfClient({ url, command }: ServerTable): boolean {
	return url === undefined && command === undefined;
}

/**
 * Checks a table about a server that Claude Code runs.
 *
 * @param fields the names of the fields that it has
 * @throws Fault
 */
export function checkOfClient(name: string, fields: readonly string[]): void {
	if (clientName(name) === '') throw new Fault([], 'the name of a server is not empty');
	const other = fields.find((field) => !OF_CLIENT.includes(field));
	if (other !== undefined) throw new Fault([other], `${other} belongs to a server with url or command`);
	if (fields.length === 0) throw new Fault([], NOTHING_SAID);
}

const OF_CLIENT: readonly string[] = ['isolated', 'isolated_tools'];

const NOTHING_SAID = 'a server has url or command; one that Claude Code runs has isolated or isolated_tools';

/** Which tools of a server run in a subagent only. @throws Fault */
export function toIsolatedTools(server: string, table: ServerTable, environment: NodeJS.ProcessEnv): IsolatedTools {
	const tools = names('isolated_tools', table.isolated_tools, toolPattern, environment);
	return { server, tools: table.isolated ? 'all' : tools, ofClient: isOfClient(table) };
}

/** The names with their variables in, for which the same rule holds as for what the map has. */
function names(
	field: keyof ServerTable,
	written: readonly string[],
	rule: typeof toolName,
	environment: NodeJS.ProcessEnv,
): string[] {
	const whole = expandList(written, environment, [field]);
	for (const [index, name] of whole.entries()) {
		const issue = rule.safeParse(name).error?.issues[0];
		if (issue !== undefined) throw new Fault([field, index], issue.message);
	}
	return whole;
}

function instances(table: ServerTable, environment: NodeJS.ProcessEnv): Instances {
	const { url, command } = table;
	if (url !== undefined && command !== undefined) throw new Fault(['command'], EITHER);
	if (url !== undefined) {
		refuse(table, OF_COMMAND, 'command');
		return httpInstances(url, table, environment);
	}
	if (command === undefined) throw new Fault([], NOTHING_SAID);
	refuse(table, OF_URL, 'url');
	return stdioInstances(command, table, environment);
}

const EITHER = 'a server has either url or command';

/** @param owner what a server must have to have one of the `fields` */
function refuse(table: ServerTable, fields: readonly (keyof ServerTable)[], owner: string): void {
	const field = fields.find((name) => table[name] !== undefined);
	if (field !== undefined) throw new Fault([field], `${field} belongs to a server with ${owner}`);
}

/** Seconds: fetch of Node gives up a request, and a stream, of which nothing comes for so long, and can't be told otherwise. */
const LONGEST_SILENCE = 300;

function httpInstances(url: string, table: ServerTable, environment: NodeJS.ProcessEnv): Instances {
	if (table.read_timeout > LONGEST_SILENCE)
		throw new Fault(['read_timeout'], `of a server with url it is at most ${LONGEST_SILENCE} seconds`);
	const headers = expandTable(table.headers ?? {}, environment, ['headers']);
	checkHeaders(headers);
	const instance = (field: keyof ServerTable, text: string): InstanceConfig =>
		toHttpInstance(field, filled(field, text, environment), headers);
	const open = instance('url', url);
	if (table.url_isolated === undefined) return { open, isolated: undefined };
	return { open, isolated: another('url_isolated', instance('url_isolated', table.url_isolated), open) };
}

function stdioInstances(command: string, table: ServerTable, environment: NodeJS.ProcessEnv): Instances {
	const open: StdioInstance = {
		kind: 'stdio',
		command: filled('command', command, environment),
		args: expandList(table.args ?? [], environment, ['args']),
		env: expandTable(table.env ?? {}, environment, ['env']),
		cwd: table.cwd === undefined ? undefined : folder(filled('cwd', table.cwd, environment)),
		withoutNetwork: false,
	};
	return { open, isolated: isolatedCommand(open, table, environment) };
}

function isolatedCommand(
	open: StdioInstance,
	table: ServerTable,
	environment: NodeJS.ProcessEnv,
): StdioInstance | undefined {
	const { args_isolated: args } = table;
	if (table.isolate_network === true) {
		if (args !== undefined)
			throw new Fault(['args_isolated'], 'isolate_network = true stands in place of args_isolated');
		return { ...open, withoutNetwork: true };
	}
	if (args === undefined) return undefined;
	return another('args_isolated', { ...open, args: expandList(args, environment, ['args_isolated']) }, open);
}

/** An isolated instance that is the open one isolates nothing. */
function another<T extends InstanceConfig>(field: keyof ServerTable, isolated: T, open: InstanceConfig): T {
	if (isDeepStrictEqual(isolated, open)) throw new Fault([field], `${field} gives the same instance again`);
	return isolated;
}

/** The text with its variables in, which must leave something of it: a blank `url_isolated` is not "no isolation". */
function filled(field: keyof ServerTable, text: string, environment: NodeJS.ProcessEnv): string {
	const whole = expand(text, environment, [field]);
	if (whole === '') throw new Fault([field], `${field} is empty`);
	return whole;
}

/** The rule of every path of the map, once the variables are in. */
function folder(cwd: string): string {
	const { error } = path.safeParse(cwd);
	if (error !== undefined) throw new Fault(['cwd'], error.issues[0]?.message ?? 'cwd is no path');
	return cwd;
}
