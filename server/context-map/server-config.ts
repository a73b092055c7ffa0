import { isDeepStrictEqual } from 'node:util';
import { clientName } from '../claude-code/tool-names.ts';
import { expand, expandList, expandTable, Fault } from './expand.ts';
import { path, type toolName, toolPattern, wholeToolName } from './fields.ts';
import { checkHeaders, toHttpInstance } from './http-instance.ts';
import type { IsolatedTools } from './isolated-tools.ts';
import { SERVER_NAME, type ServerTable } from './server-schema.ts';

export type InstanceConfig = HttpInstance | StdioInstance;

export interface HttpInstance {
	readonly kind: 'http';
	/** Without user information, which becomes a header. */
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
}

export interface StdioInstance {
	readonly kind: 'stdio';
	readonly command: string;
	readonly args: readonly string[];
	/** In addition to the few variables that every server gets. */
	readonly env: Readonly<Record<string, string>>;
	/** As written: absolute, `~/…`, or relative to the map's folder. Undefined means the project. */
	readonly cwd: string | undefined;
	readonly withoutNetwork: boolean;
}

export interface ServerConfig {
	readonly name: string;
	readonly open: InstanceConfig;
	/** The instance for sessions that hold private data, if there is one. */
	readonly isolated: InstanceConfig | undefined;
	/**
	 * Whether such a session's calls are refused if there is no isolated instance. Otherwise the open instance serves them.
	 */
	readonly refusesWhenPrivate: boolean;
	/** The server's names of tools whose results are private data. */
	readonly privateTools: readonly string[];
	readonly isolation: IsolatedTools;
	/** In milliseconds: a call fails after this time without progress. */
	readonly readTimeout: number;
}

type Instances = Pick<ServerConfig, 'open' | 'isolated'>;

const HTTP_FIELDS = ['url_isolated', 'headers'] as const;
const STDIO_FIELDS = ['args', 'env', 'cwd', 'args_isolated', 'isolate_network'] as const;
const CLIENT_FIELDS: readonly string[] = ['isolated', 'isolated_tools'];

/** Node's fetch aborts after 300 s without data; not configurable. */
const MAX_HTTP_READ_TIMEOUT_S = 300;

export function toServerConfig(name: string, table: ServerTable, environment: NodeJS.ProcessEnv): ServerConfig {
	if (!SERVER_NAME.test(name)) throw new Fault([], 'the name of a server may have only letters, digits, - and _');
	const { url, command = '' } = table;
	if (url !== undefined && table.command !== undefined)
		throw new Fault(['command'], 'a server must have either url or command');
	const [foreign, owner] = url === undefined ? ([HTTP_FIELDS, 'url'] as const) : ([STDIO_FIELDS, 'command'] as const);
	const field = foreign.find((name) => table[name] !== undefined);
	if (field !== undefined) throw new Fault([field], `${field} is only for a server with ${owner}`);
	return {
		name,
		...(url === undefined ? stdioInstances(command, table, environment) : httpInstances(url, table, environment)),
		refusesWhenPrivate: table.when_private === 'refuse',
		privateTools: names('private_tools', table.private_tools, wholeToolName, environment),
		isolation: toIsolatedTools(name, table, environment),
		readTimeout: table.read_timeout * 1_000,
	};
}

export function isRunByClient({ url, command }: ServerTable): boolean {
	return url === undefined && command === undefined;
}

/** @param fields the names of the fields that are set @throws Fault */
export function checkClientServer(name: string, fields: readonly string[]): void {
	if (clientName(name) === '') throw new Fault([], 'the name of a server cannot be empty');
	const other = fields.find((field) => !CLIENT_FIELDS.includes(field));
	if (other !== undefined) throw new Fault([other], `${other} is only for a server with url or command`);
	if (fields.length === 0)
		throw new Fault(
			[],
			'a server must have url or command; one that Claude Code runs must have isolated or isolated_tools',
		);
}

export function toIsolatedTools(server: string, table: ServerTable, environment: NodeJS.ProcessEnv): IsolatedTools {
	const tools = names('isolated_tools', table.isolated_tools, toolPattern, environment);
	return { server, tools: table.isolated ? 'all' : tools, runByClient: isRunByClient(table) };
}

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

function httpInstances(url: string, table: ServerTable, environment: NodeJS.ProcessEnv): Instances {
	if (table.read_timeout > MAX_HTTP_READ_TIMEOUT_S)
		throw new Fault(['read_timeout'], `for a server with url it must be at most ${MAX_HTTP_READ_TIMEOUT_S} seconds`);
	const headers = expandTable(table.headers ?? {}, environment, ['headers']);
	checkHeaders(headers);
	const instance = (field: keyof ServerTable, text: string): InstanceConfig =>
		toHttpInstance(field, expandRequired(field, text, environment), headers);
	const open = instance('url', url);
	if (table.url_isolated === undefined) return { open, isolated: undefined };
	return { open, isolated: requireDifferent('url_isolated', instance('url_isolated', table.url_isolated), open) };
}

function stdioInstances(command: string, table: ServerTable, environment: NodeJS.ProcessEnv): Instances {
	const open: StdioInstance = {
		kind: 'stdio',
		command: expandRequired('command', command, environment),
		args: expandList(table.args ?? [], environment, ['args']),
		env: expandTable(table.env ?? {}, environment, ['env']),
		cwd: table.cwd === undefined ? undefined : checkedPath(expandRequired('cwd', table.cwd, environment)),
		withoutNetwork: false,
	};
	const { args_isolated: written } = table;
	if (table.isolate_network === true) {
		if (written !== undefined) throw new Fault(['args_isolated'], 'use either isolate_network = true or args_isolated');
		return { open, isolated: { ...open, withoutNetwork: true } };
	}
	if (written === undefined) return { open, isolated: undefined };
	const args = expandList(written, environment, ['args_isolated']);
	return { open, isolated: requireDifferent('args_isolated', { ...open, args }, open) };
}

/** An isolated instance equal to the open one would isolate nothing. @throws Fault */
function requireDifferent<T extends InstanceConfig>(field: keyof ServerTable, isolated: T, open: InstanceConfig): T {
	if (isDeepStrictEqual(isolated, open))
		throw new Fault([field], `${field} must give another instance than the open one`);
	return isolated;
}

/** Substitutes variables. The result must not be empty: a blank `url_isolated` does not mean "no isolation". @throws Fault */
function expandRequired(field: keyof ServerTable, text: string, environment: NodeJS.ProcessEnv): string {
	const whole = expand(text, environment, [field]);
	if (whole === '') throw new Fault([field], `${field} is empty`);
	return whole;
}

function checkedPath(cwd: string): string {
	const { error } = path.safeParse(cwd);
	if (error !== undefined) throw new Fault(['cwd'], error.issues[0]?.message ?? 'cwd is not a path');
	return cwd;
}
