import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ContextMap } from '../../../server/context-map/context-map.ts';
import { type MapContent, parseContextMap } from '../../../server/context-map/parse.ts';
import type { ServerConfig } from '../../../server/context-map/server-config.ts';
import { faultOf, faultsOf } from '../../support/map-faults.ts';
import { runs } from '../../support/runs.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const ENVIRONMENT = {
	HOST: 'host.example',
	PATHNAME: 'mcp',
	EMPTY: '',
	STAR: '*',
	LINES: 'a\nb',
	FOREIGN: '漢',
	NESTED: `\${HOST}`,
	TILDE: '~root/x',
};

/** In the texts below `§{` stands for what begins a variable, which JavaScript would take for its own. */
function read(text: string, environment: NodeJS.ProcessEnv = ENVIRONMENT): MapContent {
	return parseContextMap(Buffer.from(text.replaceAll('§', '$')), environment);
}

/** The one server of a map whose fields these lines are. */
function server(lines: string): ServerConfig {
	const [first, ...others] = read(`[keys]\n[mcp_servers.a]\n${lines}\n`).servers;
	if (first === undefined || others.length > 0) throw new Error('not one server');
	return first;
}

/** Line, column and problem, without the sentence that is always the same. */
function fault(text: string): string {
	return faultOf(() => read(text)).replace('The context map is not valid. ', '');
}

const http = (url: string, headers: Record<string, string> = {}) => ({ kind: 'http', url, headers });

const stdio = (command: string, more: object = {}) => ({
	kind: 'stdio',
	command,
	args: [],
	env: {},
	cwd: undefined,
	withoutNetwork: false,
	...more,
});

describe('private data', () => {
	test('a key is private unless its table says otherwise', () => {
		const { entries } = read(
			'[keys]\na = "a.md"\n[keys.b]\npath = "b.md"\n[keys.c]\npath = "c.md"\nprivate = true\n[keys.d]\npath = "d.md"\nprivate = false\n',
		);
		expect([...entries]).toEqual([
			['a', { path: 'a.md', agents: undefined }],
			['b', { path: 'b.md', agents: undefined }],
			['c', { path: 'c.md', agents: undefined }],
			['d', { path: 'd.md', agents: undefined, isPrivate: false }],
		]);
		for (const key of ['a', 'b', 'c']) expect(Object.hasOwn(entries.get(key) ?? {}, 'isPrivate')).toBe(false);
	});

	test('tools that lead outside are allowed by name', () => {
		expect(read('[keys]').allowTools).toEqual([]);
		expect(read('[keys]\n[private_data]').allowTools).toEqual([]);
		const names = ['WebFetch', 'mcp__docs__*', '*'];
		expect(read(`[keys]\n[private_data]\nallow_tools = ${JSON.stringify(names)}`).allowTools).toEqual(names);
	});

	test.each([
		['[keys.a]\npath = "a.md"\nprivate = "no"', 'Line 3, column 1: private must be true or false.'],
		[
			'[keys.a]\npath = "a.md"\nprivat = false',
			'Line 3, column 1: there is no such field; the nearest valid one is "private".',
		],
		['private_data = 5\n[keys]', 'Line 1, column 1: [private_data] must be a table.'],
		['[keys]\n[private-data]', 'Line 2, column 1: there is no such table; the nearest valid one is "private_data".'],
		...[
			['allow_tool = []', 'there is no such field; the nearest valid one is "allow_tools"'],
			['allow_tools = "WebFetch"', 'allow_tools must be a list of names in quotes'],
			['allow_tools = [5]', 'the name of a tool must be text in quotes'],
			['allow_tools = ["a", ""]', 'the name of a tool is empty'],
			['allow_tools = ["mcp__*__read"]', 'a * may stand only at the end'],
			['allow_tools = ["a**"]', 'a * may stand only at the end'],
			['allow_tools = ["*\\n"]', 'a * may stand only at the end'],
		].map(([line, problem]) => [`[keys]\n[private_data]\n${line}`, `Line 3, column 1: ${problem}.`]),
	])('%j is not valid', (text = '', message) => {
		expect(fault(text)).toBe(message);
	});
});

describe('what a server is', () => {
	test('one by its URL, with what holds unless the map says otherwise', () => {
		expect(server('url = "https://a.example/mcp"')).toEqual({
			name: 'a',
			open: http('https://a.example/mcp'),
			isolated: undefined,
			refusesWhenPrivate: false,
			privateTools: [],
			isolation: { server: 'a', tools: [], runByClient: false },
			readTimeout: 60_000,
		});
	});

	test('one by its command, with all that it may have', () => {
		const lines = [
			'command = "npx"\nargs = ["-y", "x"]\nenv = { A = "1", B = "" }\ncwd = "~/x"\nisolate_network = true',
			'private_tools = ["read", "write"]\nwhen_private = "refuse"\nread_timeout = 1.5',
			'isolated_tools = ["read", "export_*"]',
		];
		const open = stdio('npx', { args: ['-y', 'x'], env: { A: '1', B: '' }, cwd: '~/x' });
		expect(server(lines.join('\n'))).toEqual({
			name: 'a',
			open,
			isolated: { ...open, withoutNetwork: true },
			refusesWhenPrivate: true,
			privateTools: ['read', 'write'],
			isolation: { server: 'a', tools: ['read', 'export_*'], runByClient: false },
			readTimeout: 1_500,
		});
	});

	test('several, in their order', () => {
		const names = ['z', 'a-b_C', '__proto__', 'constructor', 'a__b'];
		const { servers } = read(`[keys]\n${names.map((name) => `[mcp_servers.${name}]\ncommand = "x"\n`).join('')}`);
		expect(servers.map(({ name }) => name)).toEqual(names);
		expect(read('[keys]').servers).toEqual([]);
		expect(read('[keys]\n[mcp_servers]').servers).toEqual([]);
	});

	test('when_private = "open" is what holds anyway', () => {
		expect(server('command = "x"\nwhen_private = "open"').refusesWhenPrivate).toBe(false);
	});
});

describe('the isolated instance', () => {
	const open = 'command = "x"\nargs = ["1"]\nenv.E = "e"\ncwd = "/c"';
	const kept = { env: { E: 'e' }, cwd: '/c' };

	test.each([
		['', undefined],
		['isolate_network = false', undefined],
		['isolate_network = true', stdio('x', { ...kept, args: ['1'], withoutNetwork: true })],
		['args_isolated = ["2"]', stdio('x', { ...kept, args: ['2'] })],
		['args_isolated = []', stdio('x', kept)],
	])('of a command with %j', (lines, isolated) => {
		expect(server(`${lines}\n${open}`)).toMatchObject({ open: stdio('x', { ...kept, args: ['1'] }) });
		expect(server(`${lines}\n${open}`).isolated).toEqual(isolated);
	});

	test('of a URL has the same headers, and its own user information', () => {
		const lines = 'url = "https://u:p@a.example/"\nurl_isolated = "https://b.example/"\nheaders = { X = "1" }';
		expect(server(lines)).toMatchObject({
			open: http('https://a.example/', { X: '1', Authorization: 'Basic dTpw' }),
			isolated: http('https://b.example/', { X: '1' }),
		});
		expect(server(lines).isolated).toEqual(http('https://b.example/', { X: '1' }));
	});
});

describe('variables', () => {
	test('stand in every text that reaches a server', () => {
		expect(
			server('url = "https://§{HOST}/§{PATHNAME}"\nurl_isolated = "https://i.§{HOST}/"\nheaders.X = "<§{PATHNAME}>"'),
		).toMatchObject({
			open: http('https://host.example/mcp', { X: '<mcp>' }),
			isolated: http('https://i.host.example/', { X: '<mcp>' }),
		});
		expect(
			server(
				'command = "§{HOST}1"\nargs = ["-", "§{HOST}2"]\nenv = { A = "§{HOST}3", B = "§{EMPTY}" }\ncwd = "/§{HOST}4"\nargs_isolated = ["§{HOST}6", "§{NESTED}", "§{EMPTY}"]',
			),
		).toMatchObject({
			open: {
				command: 'host.example1',
				args: ['-', 'host.example2'],
				env: { A: 'host.example3', B: '' },
				cwd: '/host.example4',
			},
			isolated: { command: 'host.example1', args: ['host.example6', ENVIRONMENT.NESTED, ''] },
		});
	});

	test('stand in the names of tools', () => {
		const { privateTools, isolation } = server(
			'command = "x"\nprivate_tools = ["read_§{PATHNAME}"]\nisolated_tools = ["§{PATHNAME}_*"]',
		);
		expect([privateTools, isolation.tools]).toEqual([['read_mcp'], ['mcp_*']]);
		const runByClient = read('[keys]\n[mcp_servers.a]\nisolated_tools = ["§{PATHNAME}"]').isolation;
		expect(runByClient).toMatchObject([{ tools: ['mcp'], runByClient: true }]);
	});

	test('stand in no other', () => {
		expect(server('command = "x"\nenv = { "§{HOST}" = "x" }').open).toMatchObject({ env: { '\u0024{HOST}': 'x' } });
		expect(read('[keys]\na = "§{HOST}.md"').entries.get('a')?.path).toBe('\u0024{HOST}.md');
	});

	const fields: readonly (readonly [string, string])[] = [
		['', 'url = "?"'],
		['url = "https://a/"\n', 'url_isolated = "?"'],
		['url = "https://a/"\n', 'headers.X = "?"'],
		['', 'command = "?"'],
		['command = "x"\n', 'args = ["x", "?"]'],
		['command = "x"\n', 'env.X = "?"'],
		['command = "x"\n', 'cwd = "?"'],
		['command = "x"\n', 'args_isolated = ["?"]'],
		['command = "x"\n', 'private_tools = ["x", "?"]'],
		['command = "x"\n', 'isolated_tools = ["?"]'],
		['', 'isolated_tools = ["?"]'],
	];

	test.each(fields)('that are wrong, after %j in %s', (before, line) => {
		const at = `Line ${before === '' ? 3 : 4}, column 1`;
		const of = (value: string) => fault(`[keys]\n[mcp_servers.a]\n${before}${line.replace('?', value)}`);
		for (const name of ['UNSET', 'constructor', '__proto__', 'host'])
			expect(of(`https://§{${name}}`)).toBe(`${at}: a variable in it is not set.`);
		for (const value of ['§{', '§{}', '§{A-B}', '§{HOST'])
			expect(of(value)).toBe(`${at}: \u0024{ begins a variable: \u0024{NAME}.`);
	});

	test('come from the environment that the map was given', async () => {
		const file = join(await temporaryFolder(), 'context-map.toml');
		await writeFile(file, '[keys]\n[mcp_servers.a]\ncommand = "\u0024{HOST}"');
		const { servers } = await new ContextMap(file, '/home/jo', ENVIRONMENT).read();
		expect(servers[0]?.open).toEqual(stdio('host.example'));
	});

	test('without an environment none is set', () => {
		const map = Buffer.from('[keys]\n[mcp_servers.a]\nurl = "\u0024{PATH}"');
		expect(faultOf(() => parseContextMap(map))).toContain('is not set');
	});
});

/** `[lines of [mcp_servers.a], line and problem]` */
const INVALID: readonly (readonly [lines: string, message: string])[] = [
	// Which fields there are.
	['', '2: a server must have url or command; one that Claude Code runs must have isolated or isolated_tools'],
	['private_tools = []', '3: private_tools is only for a server with url or command'],
	['url_isolated = "https://a/"', '3: url_isolated is only for a server with url or command'],
	['command = "x"\nurl = "https://a/"', '3: a server must have either url or command'],
	['ulr = "https://a/"', '3: there is no such field; the nearest valid one is "url"'],
	['command = "x"\nisolate = true', '4: there is no such field; the nearest valid one is "isolated"'],
	['command = "x"\n__proto__ = 1', '4: there is no such field; the nearest valid one is "url"'],
	[
		'url = "https://a/"\n[mcp_servers.a.header]\nX = "1"',
		'4: there is no such field; the nearest valid one is "headers"',
	],
	...['url_isolated = "https://b/"', 'headers = {}'].map(
		(line) => [`command = "x"\n${line}`, `4: ${line.split(' ')[0]} is only for a server with url`] as const,
	),
	...[
		...['args = []', 'env = {}', 'cwd = "/"', 'args_isolated = []'],
		...['isolate_network = true', 'isolate_network = false'],
	].map(
		(line) => [`url = "https://a/"\n${line}`, `4: ${line.split(' ')[0]} is only for a server with command`] as const,
	),
	[
		'command = "x"\nisolate_network = true\nargs_isolated = []',
		'5: use either isolate_network = true or args_isolated',
	],
	// An isolated instance is another one.
	[
		'url = "https://a/"\nurl_isolated = "https://A:443/"',
		'4: url_isolated must give another instance than the open one',
	],
	[
		'command = "x"\ncommand_isolated = "y"\nargs_isolated = ["a"]',
		'4: command_isolated no longer exists; write command = "env", and put the program first in args and in args_isolated',
	],
	[
		'command = "x"\nargs = ["a"]\nargs_isolated = ["a"]',
		'5: args_isolated must give another instance than the open one',
	],
	// Of which kind they are.
	...['url', 'command'].map((field) => [`${field} = 5`, `3: ${field} must be text in quotes`] as const),
	['url = "https://a/"\nurl_isolated = false', '4: url_isolated must be text in quotes'],
	['url = "https://a/"\nheaders = "X: 1"', '4: headers must be a table of texts'],
	['url = "https://a/"\nheaders = ["X"]', '4: headers must be a table of texts'],
	['url = "https://a/"\nheaders = 1979-05-27', '4: headers must be a table of texts'],
	['url = "https://a/"\n[mcp_servers.a.headers]\nX = "1"\nY = 1', '6: a value must be text in quotes'],
	['url = "https://a/"\n[mcp_servers.a.headers]\n__proto__ = 1', '5: a value must be text in quotes'],
	['command = "x"\nargs = "-y"', '4: args must be a list of texts in quotes'],
	['command = "x"\nargs = ["-p", 80]', '4: an argument must be text in quotes'],
	['command = "x"\nargs = ["\\u0000"]', '4: an argument cannot have a NUL character'],
	['command = "x"\nargs_isolated = {}', '4: args_isolated must be a list of texts in quotes'],
	['command = "x\\u0000"', '3: command cannot have a NUL character'],
	['command = "x"\nenv = ["A=1"]', '4: env must be a table of texts'],
	['command = "x"\nenv.A = 1', '4: a value must be text in quotes'],
	['command = "x"\nenv.A = "\\u0000"', '4: a value cannot have a NUL character'],
	...['', 'A=B', '=', '\\u0000'].map(
		(name) =>
			[`command = "x"\nenv = { "${name}" = "x" }`, '4: the name of a variable cannot be empty or have a ='] as const,
	),
	['command = "x"\ncwd = []', '4: cwd must be text in quotes'],
	['command = "x"\ncwd = "\\u0000"', '4: cwd cannot have a NUL character'],
	['command = "x"\ncwd = "§{TILDE}"', '4: a path may use ~ only as ~/, your own home folder'],
	['command = "x"\nisolate_network = "yes"', '4: isolate_network must be true or false'],
	['command = "x"\nprivate_tools = "read"', '4: private_tools must be a list of names in quotes'],
	['command = "x"\nprivate_tools = [1]', '4: the name of a tool must be text in quotes'],
	['command = "x"\nprivate_tools = ["a", ""]', '4: the name of a tool is empty'],
	['command = "x"\nprivate_tools = ["a", "§{EMPTY}"]', '4: the name of a tool is empty'],
	...['*', 'read_*', '§{STAR}'].map(
		(name) => [`command = "x"\nprivate_tools = ["${name}"]`, '4: write whole names here, without a *'] as const,
	),
	['command = "x"\nisolated_tools = ["§{STAR}x"]', '4: a * may stand only at the end'],
	['command = "x"\nwhen_private = "refused"', '4: when_private must be "open" or "refuse"'],
	['command = "x"\nwhen_private = true', '4: when_private must be "open" or "refuse"'],
	['command = "x"\nread_timeout = 0.5', '4: a time limit must be at least 1 second'],
	['command = "x"\nread_timeout = 86401', '4: a time limit must be at most 86400 seconds, a day'],
	['url = "https://a/"\nread_timeout = 301', '4: for a server with url it must be at most 300 seconds'],
	['command = "x"\nread_timeout = "60"', '4: a time limit must be a number of seconds'],
	// What is left of them.
	...['""', "''", '"§{EMPTY}"', '"§{EMPTY}§{EMPTY}"'].flatMap((empty) => [
		[`url = ${empty}`, '3: url is empty'] as const,
		[`url = "https://a/"\nurl_isolated = ${empty}`, '4: url_isolated is empty'] as const,
		[`command = ${empty}`, '3: command is empty'] as const,
		[`command = "x"\ncwd = ${empty}`, '4: cwd is empty'] as const,
	]),
];

describe('a server is not valid', () => {
	test.each(INVALID)('%j', (lines, message) => {
		const [line, problem] = message.split(/: (.*)/);
		const text = `[keys]\n[mcp_servers.a]\n${lines}\n`;
		expect(fault(text)).toBe(`Line ${line}, column 1: ${problem}.`);
		expect(fault(text.replaceAll('\n', '\r\n'))).toBe(`Line ${line}, column 1: ${problem}.`);
	});

	test.each([
		[
			'[keys]\nk = "k.md"\n[mcp_server.a]',
			'Line 3, column 1: there is no such table; the nearest valid one is "mcp_servers".',
		],
		['mcp_servers = "x"\n[keys]', 'Line 1, column 1: [mcp_servers] must be a table.'],
		['[keys]\n[[mcp_servers]]', 'Line 2, column 1: [mcp_servers] must be a table.'],
		['[keys]\n[mcp_servers]\na = "x"', 'Line 3, column 1: a server must be a table, [mcp_servers.NAME].'],
		['[keys]\n[[mcp_servers.a]]', 'Line 2, column 1: a server must be a table, [mcp_servers.NAME].'],
		['[keys]\n[mcp_servers]\na = 1979-05-27', 'Line 3, column 1: a server must be a table, [mcp_servers.NAME].'],
		['[keys]\n[mcp_servers.a]\ncommand = "x"\n  [mcp_servers.b]\n  url = ""', 'Line 5, column 3: url is empty.'],
		['[keys]\n[mcp_servers.__proto__]\nurl = ""', 'Line 3, column 1: url is empty.'],
		[
			'[keys]\n[mcp_servers.constructor]',
			'Line 2, column 1: a server must have url or command; one that Claude Code runs must have isolated or isolated_tools.',
		],
		[
			'[keys]\n[mcp_servers.a.headers]\nX = "§{UNSET}"\n[mcp_servers.a]\nurl = "https://a/"',
			'Line 3, column 1: a variable in it is not set.',
		],
	])('%j', (text, message) => {
		expect(fault(text)).toBe(message);
	});

	test.each(['', 'a.b', 'a b', 'é', 'a\n', '\n', 'a/b', '§{HOST}', 'a\u0000'])('by the name %j', (name) => {
		const text = `[keys]\n[mcp_servers.${JSON.stringify(name)}]\ncommand = "x"\n`;
		expect(fault(text)).toBe('Line 2, column 1: the name of a server may have only letters, digits, - and _.');
	});
});

describe('a URL', () => {
	test.each([
		['https://a.example', 'https://a.example/'],
		['HTTPS://A.example:443/Mcp?x=1', 'https://a.example/Mcp?x=1'],
		['http://data-tools:8000/mcp', 'http://data-tools:8000/mcp'],
		['https://@a.example/%23', 'https://a.example/%23'],
	])('%s is taken', (url, normal) => {
		expect(server(`url = "${url}"`).open).toEqual(http(normal));
	});

	test.each([
		['a.example/mcp', 'is not a complete URL'],
		['/mcp', 'is not a complete URL'],
		['https://', 'is not a complete URL'],
		[' ', 'is not a complete URL'],
		['https://a.example:99999/', 'is not a complete URL'],
		['https://§{LINES} x/', 'is not a complete URL'],
		['ws://a.example/', 'must begin with https:// or http://'],
		['file:///etc/passwd', 'must begin with https:// or http://'],
		['javascript:1', 'must begin with https:// or http://'],
		['localhost:8000', 'must begin with https:// or http://'],
		['https://a.example/#top', 'cannot have a fragment; write # as %23'],
		['https://a.example/#', 'cannot have a fragment; write # as %23'],
		['https://u:p#w@a.example/', 'cannot have a fragment; write # as %23'],
	])('%j is not', (url, problem) => {
		for (const [line, field] of ['url', 'url_isolated'].entries()) {
			const text = `[keys]\n[mcp_servers.a]\n${line === 0 ? '' : 'url = "https://ok/"\n'}${field} = "${url}"`;
			const message = fault(text);
			// What follows a # in user information may leave no host.
			expect([
				`Line ${line + 3}, column 1: ${field} ${problem}.`,
				`Line ${line + 3}, column 1: ${field} is not a complete URL.`,
			]).toContain(message);
			if (!url.includes('p#w')) expect(message).toBe(`Line ${line + 3}, column 1: ${field} ${problem}.`);
		}
	});

	const authorization = (both: string) => `Basic ${Buffer.from(both).toString('base64')}`;

	test.each([
		['u:p', 'u:p'],
		['u', 'u:'],
		[':p', ':p'],
		['u:', 'u:'],
		['a%40b:p%3Aq%2F%25', 'a@b:p:q/%'],
		['u:p:q', 'u:p:q'],
		['ü:%E6%BC%A2', 'ü:漢'],
	])('with user information %s', (user, both) => {
		expect(server(`url = "https://${user}@a.example/x"\nheaders.X = "1"`).open).toEqual(
			http('https://a.example/x', { X: '1', Authorization: authorization(both) }),
		);
	});

	test('with any user information keeps none of it', () => {
		const part = fc.string({ unit: 'grapheme', maxLength: 12 });
		fc.assert(
			fc.property(part, part, (user, password) => {
				fc.pre(user + password !== '');
				const both = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
				expect(server(`url = "https://${both}@a.example/"`).open).toEqual(
					http('https://a.example/', { Authorization: authorization(`${user}:${password}`) }),
				);
			}),
		);
	});

	test.each(['%', 'u:%zz', '%ff:p', 'u:100%'])('with user information %s that can not be decoded', (user) => {
		expect(fault(`[keys]\n[mcp_servers.a]\nurl = "https://${user}@a.example/"`)).toBe(
			'Line 3, column 1: user information must be percent-encoded UTF-8; write % as %25.',
		);
	});

	test.each(['Authorization', 'authorization', 'AUTHORIZATION'])('with user information beside %s', (name) => {
		const text = `[keys]\n[mcp_servers.a]\nheaders.${name} = "x"\nurl = "https://a/"\nurl_isolated = "https://u@b/"`;
		expect(fault(text)).toBe(
			'Line 5, column 1: url_isolated has user information, and headers already has an Authorization.',
		);
	});
});

describe('headers', () => {
	test.each(['__proto__', 'constructor', 'X-Y', "!#$%&'*+.^_`|~-", '1'])('%s is the name of one', (name) => {
		const { open } = server(`url = "https://a/"\nheaders = { ${JSON.stringify(name)} = "x y\u00e9" }`);
		expect(open.kind === 'http' && Object.entries(open.headers)).toEqual([[name, 'x y\u00e9']]);
	});

	test.each(['', ' ', 'X Y', 'X:', 'é', 'X\n', 'X\u0000', '§{HOST}', '(x)'])('%j is not', (name) => {
		const text = `[keys]\n[mcp_servers.a]\nurl = "https://a/"\n[mcp_servers.a.headers]\n${JSON.stringify(name)} = "x"`;
		expect(fault(text)).toBe('Line 5, column 1: the name of a header must be a token as in RFC 9110.');
	});

	test.each(['\\n', 'a\\r\\nX: y', '\\t', '\\u007f', '\\u0085', '漢', '§{LINES}', '§{FOREIGN}'])(
		'"%s" is not the value of one',
		(value) => {
			const text = `[keys]\n[mcp_servers.a]\nurl = "https://a/"\n[mcp_servers.a.headers]\nX = "1"\nY = "${value}"`;
			expect(fault(text)).toBe('Line 6, column 1: the value of a header must be Latin-1 without control characters.');
		},
	);

	test('whatever is taken can be sent', () => {
		const text = fc.string({ unit: 'binary', maxLength: 8 });
		fc.assert(
			fc.property(text, text, (name, value) => {
				const map = `[keys]\n[mcp_servers.a]\nurl = "https://a/"\nheaders = { ${JSON.stringify(name)} = ${JSON.stringify(value)} }`;
				let config: MapContent;
				try {
					config = parseContextMap(Buffer.from(map));
				} catch (error) {
					expect(error).toMatchObject({ code: 'config_invalid' });
					return;
				}
				const open = config.servers[0]?.open;
				if (open === undefined) expect(config.faults).not.toEqual([]);
				expect(() => new Headers(open?.kind === 'http' ? { ...open.headers } : {})).not.toThrow();
			}),
			{ numRuns: runs(500) },
		);
	});

	test('one stands there once', () => {
		const text = '[keys]\n[mcp_servers.a]\nurl = "https://a/"\n[mcp_servers.a.headers]\nX-A = "1"\nx-a = "1"';
		expect(fault(text)).toBe('Line 6, column 1: this header is there twice, in different letter case.');
	});
});

describe('credentials over plain http', () => {
	const REFUSED = 'credentials over http:// can be read on the way; use https://';
	const TOKEN = `ghp_${'a1'.repeat(18)}`;

	const carriers: readonly (readonly [headers: string, url: string])[] = [
		['', 'http://u:p@§HOST/'],
		['', 'http://u@§HOST/'],
		['', 'http://§HOST/?api_key=1'],
		['headers.Authorization = "x"\n', 'http://§HOST/'],
		['headers.proxy-authorization = "x"\n', 'http://§HOST/'],
		['headers.COOKIE = "x"\n', 'http://§HOST/'],
		['headers.X-Api-Key = "x"\n', 'http://§HOST/'],
		[`headers.X = "${TOKEN}"\n`, 'http://§HOST/'],
		[`headers.X = "Bearer ${TOKEN}"\n`, 'http://§HOST/'],
	];

	test.each(carriers)('%j with %s', (headers, url) => {
		const of = (host: string) => url.replace('§HOST', host);
		for (const host of ['a.example', 'data-tools:8000', '10.0.0.1', '[::2]', '127.0.0.1.example.com']) {
			const open = `[keys]\n[mcp_servers.a]\nurl = "${of(host)}"\n${headers}`;
			expect(fault(open)).toBe(`Line 3, column 1: ${REFUSED}.`);
			const isolated = `[keys]\n[mcp_servers.a]\nurl_isolated = "${of(host)}"\nurl = "https://a/"\n${headers}`;
			expect(fault(isolated)).toBe(`Line 3, column 1: ${REFUSED}.`);
		}
		for (const host of ['localhost', 'a.localhost:80', '127.9.9.9', '[::1]:8000'])
			expect(server(`${headers}url = "${of(host)}"`).open.kind).toBe('http');
		expect(server(`${headers}url = "${of('a.example').replace('http:', 'https:')}"`).open.kind).toBe('http');
	});
});

test('no error tells any of the map, or the value of a variable', () => {
	const secret = 'jane-doe-marker';
	const lines = [
		...INVALID.map(([text]) => text),
		`url = "${secret}"`,
		`url = "§{SECRET} x"`,
		`url = "http://${secret}:x@a.example/"`,
		`url = "https://${secret}:%zz@a.example/"`,
		`url = "ftp://§{SECRET}/"`,
		`url = "https://a/#${secret}"`,
		`url = "https://§{${secret}}/"`,
		`url = "https://§{jane_doe_marker}/"`,
		`url = "http://a.example/"\nheaders.Authorization = "§{SECRET}"`,
		`url = "https://a/"\nheaders = { "${secret}:" = "x" }`,
		`url = "https://a/"\nheaders.X = "${secret}\\n"`,
		`url = "https://a/"\nheaders.${secret} = 1`,
		`command = "x"\n${secret} = 1`,
		`command = "x"\nwhen_private = "${secret}"`,
		`command = "x"\ncwd = "~${secret}"`,
		`command = "x"\nenv."${secret}=" = "x"`,
		`command = "x"\nprivate_tools = ["", "${secret}"]`,
	];
	for (const text of lines) {
		const map = `[keys]\n[mcp_servers.${secret}]\n${text.replaceAll('mcp_servers.a.', `mcp_servers.${secret}.`)}\n`;
		const whole = map.replaceAll('§', '$');
		const told = faultsOf(() => parseContextMap(Buffer.from(whole), { ...ENVIRONMENT, SECRET: secret }));
		expect(told.length).toBeGreaterThan(0);
		expect(told.join()).not.toContain('jane');
	}
});

describe('a table with a fault switches off its server, and no other', () => {
	const GOOD = '[mcp_servers.good]\ncommand = "x"\n';
	const isolated = (server: string, runByClient: boolean) => ({ server, tools: 'all', runByClient });

	test.each([
		['a variable that is not set', 'url = "https://a/"\nheaders.X = "§{UNSET}"', false],
		['a field that does not exist', 'command = "x"\nisolate_netwrok = true', false],
		['a field that is none of its kind', 'url = 5', false],
		['isolation that is not valid', 'isolated = "yes"', true],
		['isolation that is mistyped', 'isolate = true', true],
		['no field', '', true],
	])('%s: it is not started, and all its tools are isolated', (_, lines, runByClient) => {
		const content = read(`[keys]\nk = "k.md"\n[mcp_servers.bad]\n${lines}\n${GOOD}`);
		expect(content.entries.size).toBe(1);
		expect(content.servers.map(({ name }) => name)).toEqual(['good']);
		expect(content.isolation).toEqual([
			isolated('bad', runByClient),
			{ server: 'good', tools: [], runByClient: false },
		]);
		expect(content.faults).toMatchObject([{ hides: [] }]);
	});

	test('the second of two that Claude Code writes alike', () => {
		const content = read('[keys]\n[mcp_servers."a.b"]\nisolated_tools = ["x"]\n[mcp_servers.a_b]\nisolated = true\n');
		expect(content.isolation).toEqual([{ server: 'a.b', tools: ['x'], runByClient: true }, isolated('a_b', true)]);
	});

	test.each([
		['mcp_servers = "isolated"\n[keys]\n', [], []],
		['[[mcp_servers]]\nname = "db"\nisolated = true\n[keys]\n', [], ['isolation']],
		[`[keys]\n${GOOD}[mcp_servers]\nisolated = true\n`, ['good'], ['isolation']],
		[`[keys]\n${GOOD}[mcp_servers]\nurl = "https://a/"\n`, ['good'], []],
		[`[keys]\n${GOOD}[mcp_servers."plugin:context-broker:broker"]\nisolated = true\n`, ['good'], ['isolation']],
		[`[keys]\n${GOOD}[mcp_servers."plugin:context-broker:broker"]\ncommand = "x"\n`, ['good'], []],
	])('where no server has a table of its own, isolation is in doubt if it is told of: %j', (text, servers, hides) => {
		const content = read(text);
		expect(content.servers.map(({ name }) => name)).toEqual(servers);
		expect(content.isolation.map(({ server }) => server)).toEqual(servers);
		expect(content.faults).toMatchObject([{ hides }]);
	});
});
