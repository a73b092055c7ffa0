import fc from 'fast-check';
import { stringify } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import type { MapSyntaxError } from '../../../server/context-map/map-fault.ts';
import { parseContextMap as parseBytes } from '../../../server/context-map/parse.ts';
import { faultOf, faultsOf } from '../../support/map-faults.ts';

const parseContextMap = (text: string) => parseBytes(Buffer.from(text)).entries;

const fault = (text: string | Buffer) => faultOf(() => parseBytes(Buffer.from(text)));

test('the short form and the table form stand side by side', () => {
	const entries = parseContextMap(`
		# my private files
		[keys]
		catalog = "~/catalog.md"
		"with.dot" = "notes.md"

		[keys.other]
		path = "/data/other.md"
		agents = ["context-broker:privacy-scanner", "my-agent"]

		[keys.open]
		path = "open.md"
	`);
	expect([...entries]).toEqual([
		['catalog', { path: '~/catalog.md', agents: undefined }],
		['with.dot', { path: 'notes.md', agents: undefined }],
		['other', { path: '/data/other.md', agents: ['context-broker:privacy-scanner', 'my-agent'] }],
		['open', { path: 'open.md', agents: undefined }],
	]);
});

test('what is said of private data, of limits and of protections', () => {
	const content = parseBytes(
		Buffer.from(
			'[keys.a]\npath = "a.md"\nprivate = false\n[keys.b]\npath = "b.md"\nprivate = true\n[private_data]\nallow_tools = ["WebFetch", "mcp__docs__*"]\n[shell]\ntimeout = 1.5\n[guard]\nfiles = false\n',
		),
	);
	expect(content.entries.get('a')).toEqual({ path: 'a.md', agents: undefined, isPrivate: false });
	expect(content.entries.get('b')).toEqual({ path: 'b.md', agents: undefined });
	expect(content).toMatchObject({ allowTools: ['WebFetch', 'mcp__docs__*'], off: ['files'] });
	expect(content.limits).toEqual({ idle: 300_000, total: 1_500 });
	expect(parseBytes(Buffer.from('[keys]'))).toMatchObject({
		allowTools: [],
		isolation: [],
		off: [],
		limits: { idle: 300_000, total: 1_800_000 },
	});
});

test('a map may have no keys yet', () => {
	expect(parseContextMap('[keys]').size).toBe(0);
});

describe('what is not valid is told by line and column', () => {
	test.each([
		['an empty file', '', 'Line 1, column 1: the table [keys] is missing.'],
		['nothing but a comment', '# later\n', 'Line 1, column 1: the table [keys] is missing.'],
		['a path without quotes', '[keys]\nk = ~/a.md\n', 'Line 2, column 5: this is not valid TOML.'],
		['a key twice', '[keys]\nk = "a.md"\nk = "b.md"\n', 'Line 3, column 1: this is not valid TOML.'],
		[
			'a mistyped table',
			'\n[key]\nk = "a.md"\n',
			'Line 2, column 1: there is no such table; the nearest valid one is "keys".',
		],
		[
			'a table that does not exist beside [keys]',
			'[keys]\nk = "a.md"\n\n  [gate]\nx = 1\n',
			'Line 4, column 3: there is no such table; the nearest valid one is "guard".',
		],
		[
			'an entry without its header',
			'secret-name = "a.md"\n',
			'Line 1, column 1: this is above every table; keys belong below [keys].',
		],
		[
			'a mistyped table',
			'[keys]\n[shel]\ntimeout = 5\n',
			'Line 2, column 1: there is no such table; the nearest valid one is "shell".',
		],
		[
			'a mistyped limit',
			'[keys]\n[shell]\ntimout = 5\n',
			'Line 3, column 1: there is no such field; the nearest valid one is "timeout".',
		],
		...[
			['0', 'at least 1 second'],
			['-1', 'at least 1 second'],
			['1e12', 'at most 86400 seconds, a day'],
			['inf', 'a number of seconds'],
			['nan', 'a number of seconds'],
			['"30"', 'a number of seconds'],
			['true', 'a number of seconds'],
			['[30]', 'a number of seconds'],
		].map(([value, problem]): [string, string, string] => [
			`a time limit of ${value}`,
			`[keys]\n[shell]\nidle_timeout = ${value}\n`,
			`Line 3, column 1: a time limit must be ${problem}.`,
		]),
		[
			'a key that is neither private nor not',
			'[keys.a]\npath = "a.md"\nprivate = "no"\n',
			'Line 3, column 1: private must be true or false.',
		],
		[
			'an allowed tool that is no list',
			'[keys]\n[private_data]\nallow_tools = "WebFetch"\n',
			'Line 3, column 1: allow_tools must be a list of names in quotes.',
		],
		[
			'an allowed tool without a name',
			'[keys]\n[private_data]\nallow_tools = [""]\n',
			'Line 3, column 1: the name of a tool is empty.',
		],
		[
			'a * within a name',
			'[keys]\n[private_data]\nallow_tools = ["mcp__*__x"]\n',
			'Line 3, column 1: a * may stand only at the end.',
		],
		[
			'a mistyped list',
			'[keys]\n[private_data]\nalow_tools = []\n',
			'Line 3, column 1: there is no such field; the nearest valid one is "allow_tools".',
		],
		['a shell that is no table', '[keys]\n[[shell]]\n', 'Line 2, column 1: [shell] must be a table.'],
		[
			'a mistyped field',
			'[keys.a]\npath = "a.md"\n# which\nagent = ["x"]\n',
			'Line 4, column 1: there is no such field; the nearest valid one is "agents".',
		],
		[
			'a mistyped path',
			'[keys.a]\npth = "a.md"\n',
			'Line 2, column 1: there is no such field; the nearest valid one is "path".',
		],
		['a table without a path', '[keys.b]\npath = "b.md"\n\n[keys.a]\n', 'Line 4, column 1: "path" is missing.'],
		['keys that are no table', 'keys = "a.md"\n', 'Line 1, column 1: [keys] must be a table.'],
		['keys as an array of tables', '[[keys]]\na = "a.md"\n', 'Line 1, column 1: [keys] must be a table.'],
		['a number for a path', '[keys]\na = "a.md"\nb = 5\n', 'Line 3, column 1: a path must be text in quotes.'],
		['a list for a path', '[keys]\na = ["a.md"]\n', 'Line 2, column 1: a path must be text in quotes.'],
		['a date for a path', '[keys]\na = 1979-05-27\n', 'Line 2, column 1: a path must be text in quotes.'],
		['an empty path', '[keys]\na = ""\n', 'Line 2, column 1: the path is empty.'],
		[
			'a path of Windows in double quotes',
			'[keys]\na = "C:\\temp\\notes.md"\n',
			'Line 2, column 1: a path cannot have a control character; put a backslash in single quotes, or double it.',
		],
		[
			'one whose backslashes mean nothing',
			'[keys]\na = "C:\\data\\notes.md"\n',
			'Line 2, column 9: this is not valid TOML; put a backslash in single quotes, or double it.',
		],
		[
			'one whose backslash begins a code',
			'[keys]\na = "C:\\Users\\notes.md"\n',
			'Line 2, column 10: this is not valid TOML; put a backslash in single quotes, or double it.',
		],
		['a NUL in a path', '[keys]\na = "a.md\\u0000.md"\n', 'Line 2, column 1: a path cannot have a NUL character.'],
		[
			"somebody else's home",
			'[keys]\na = "~root/a.md"\n',
			'Line 2, column 1: a path may use ~ only as ~/, your own home folder.',
		],
		[
			'agents as text',
			'[keys.a]\npath = "a.md"\nagents = "x"\n',
			'Line 3, column 1: agents must be a list of names in quotes.',
		],
		['no agents', '[keys.a]\npath = "a.md"\nagents = []\n', 'Line 3, column 1: the list of agents is empty.'],
		[
			'an agent over several lines',
			'[keys.a]\npath = "a.md"\nagents = [\n  "good",\n  "not:",\n]\n',
			'Line 3, column 1: write an agent as "agent" or "plugin:agent".',
		],
		[
			'a fault after a multi-line text',
			'[keys]\na = """\\\n  a.md"""\nb = {path = "b.md", x = 1}\n',
			'Line 4, column 1: there is no such field; the nearest valid one is "path".',
		],
	])('%s', (_, text, message) => {
		expect(fault(text)).toBe(`The context map is not valid. ${message}`);
		expect(fault(text.replaceAll('\n', '\r\n'))).toBe(`The context map is not valid. ${message}`);
	});

	test.each([
		['Latin-1', Buffer.from('[keys]\nk = "caf\u00e9.md"', 'latin1'), 'Line 2, column 9'],
		['UTF-16', Buffer.from('\ufeff[keys]\n', 'utf16le'), 'Line 1, column 1'],
		['a NUL', Buffer.from('[keys]\n# \0\n'), 'Line 2, column 3'],
	])('bytes that are no text: %s', (_, content, position) => {
		expect(fault(content)).toBe(`The context map is not valid. ${position}: the file is not UTF-8 text from here on.`);
	});

	test('the text holds nothing of the map', () => {
		const secret = 'jane-doe-marker';
		const broken = [
			`[keys]\n${secret} = `,
			`[keys]\na = "${secret}.md"\n${secret} = ${secret}\n`,
			`[${secret}]\nk = "a.md"`,
			`[keys.${secret}]\n${secret} = "x"`,
			`[keys.${secret}]\npath = "~${secret}/a.md"`,
			`[keys.a]\npath = "a.md"\nagents = ["${secret}::${secret}"]`,
			`[keys]\n${secret} = "a.md"\n${secret} = "b.md"`,
			`[keys]\na = "\\${secret}"`,
		];
		for (const text of broken) {
			const told = faultsOf(() => parseBytes(Buffer.from(text)));
			expect(told.length).toBeGreaterThan(0);
			expect(told.join()).not.toContain('jane');
		}
	});

	test('the error keeps no cause, since the parser quotes lines', () => {
		try {
			parseContextMap('[keys]\nsecret = ');
		} catch (error) {
			expect((error as Error).cause).toBeUndefined();
		}
		expect.assertions(1);
	});

	test('the last of 10,000 entries is found', () => {
		const lines = Array.from({ length: 10_000 }, (_, index) => `key-${index} = "file-${index}.md"`);
		expect(fault(`[keys]\n${lines.join('\n')}\nlast = 1\n`)).toContain('Line 10002, column 1:');
		expect(fault(`[keys]\nfirst = 1\n${lines.join('\n')}\n`)).toContain('Line 2, column 1:');
	});
});

describe('keys', () => {
	test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
		'%s is no key unless the map says so',
		(key) => {
			expect(parseContextMap('[keys]\na = "a.md"').has(key)).toBe(false);
			expect(parseContextMap(`[keys]\n${key} = "a.md"`).get(key)).toEqual({ path: 'a.md', agents: undefined });
		},
	);

	test('every key written is found, and no other', () => {
		const key = fc.string({ minLength: 1, unit: 'grapheme' });
		fc.assert(
			fc.property(fc.uniqueArray(key, { maxLength: 20 }), key, (keys, other) => {
				const written = Object.fromEntries(keys.map((name, index) => [name, `${index}.md`]));
				const entries = parseContextMap(stringify({ keys: written }));
				for (const [index, name] of keys.entries()) expect(entries.get(name)?.path).toBe(`${index}.md`);
				expect(entries.has(other)).toBe(keys.includes(other));
			}),
		);
	});
});

describe('names of agents', () => {
	const agents = (name: string) => `[keys.k]\npath = "a.md"\nagents = [${JSON.stringify(name)}]\n`;

	test.each(['agent', 'plugin:agent', 'plugin:folder:agent', 'with space', 'context-broker:privacy-scanner', '漢'])(
		'%j is one',
		(name) => {
			expect(parseContextMap(agents(name)).get('k')?.agents).toEqual([name]);
		},
	);

	test('the Unicode form of one does not matter', () => {
		expect(parseContextMap(agents('pru\u0308fer')).get('k')?.agents).toEqual(['pr\u00fcfer']);
	});

	test.each(['', ' agent', 'agent ', ':agent', 'plugin:', 'plugin::agent', 'plugin: agent', 'a\nb', 'a\u0000b'])(
		'%j is none',
		(name) => {
			expect(fault(agents(name))).toContain('Line 3, column 1: write an agent as');
		},
	);
});

describe('[guard]', () => {
	const off = (lines: string) => parseBytes(Buffer.from(`[keys]\n[guard]\n${lines}`)).off;

	test('nothing is off unless the map says so', () => {
		expect(parseBytes(Buffer.from('[keys]')).off).toEqual([]);
		expect(off('')).toEqual([]);
		expect(off('quoting = true')).toEqual([]);
		expect(off('files = false\nquoting = false\nresuming = true')).toEqual(['quoting', 'files']);
	});

	test.each([
		['quote = false', 'Line 3, column 1: there is no such field; the nearest valid one is "quoting".'],
		['files = "off"', 'Line 3, column 1: a protection must be true or false.'],
	])('%s is not valid', (line, message) => {
		expect(fault(`[keys]\n[guard]\n${line}\n`)).toContain(message);
	});

	test('it has to be a table', () => {
		expect(fault('guard = true\n[keys]\n')).toContain('Line 1, column 1: [guard] must be a table.');
	});
});

describe('[log]', () => {
	test.each([
		['[log]\ndecision = true', 'Line 3, column 1: there is no such field; the nearest valid one is "decisions".'],
		['[log]\ndecisions = "yes"', 'Line 3, column 1: decisions must be true or false.'],
		['[[log]]', '[log] must be a table.'],
	])('%j is not valid', (lines, message) => {
		expect(fault(`[keys]\n${lines}\n`)).toContain(message);
	});

	test.each(['[log]\ndecisions = true\n', '[log]\n'])('of an older version it is no fault: %j', (lines) => {
		expect(parseBytes(Buffer.from(`[keys]\n${lines}`))).toMatchObject({ faults: [], hasObsolete: true });
	});

	test('a key that stands below it by mistake is a fault, and protected', () => {
		const content = parseBytes(Buffer.from('[keys]\n[log]\ndecisions = true\nk = "~/k.md"\n'));
		expect(content).toMatchObject({ faults: [{}], paths: ['~/k.md'] });
	});
});

describe('a fault costs what it is in', () => {
	const read = (text: string) => parseBytes(Buffer.from(text));
	const GOOD = '[keys.good]\npath = "good.md"\nagents = ["x"]\n';
	const ENTRY = ['good', { path: 'good.md', agents: ['x'] }];

	test.each([
		['a number for a path', 'keys.bad = 5\n', []],
		['a mistyped path', 'keys.bad.pth = "~/bad.md"\n', ['~/bad.md']],
		['a mistyped field', 'keys.bad.path = "bad.txt"\nkeys.bad.agent = ["y"]\n', ['bad.txt', 'y']],
		['agents that are no list', 'keys.bad.path = "bad.md"\nkeys.bad.agents = "y"\n', ['bad.md', 'y']],
		['a list of paths', 'keys.bad = ["a.md", "b.md"]\n', ['a.md', 'b.md']],
		["somebody else's home", 'keys.bad = "~root/bad.md"\n', ['~root/bad.md']],
	])('of a key: %s', (_, line, paths) => {
		const { entries, faults, ...content } = read(`${line}${GOOD}`);
		expect([...entries]).toEqual([ENTRY]);
		expect([...content.paths].sort()).toEqual(paths);
		expect(faults).toMatchObject([{ hides: ['keys'] }]);
	});

	test.each([
		["k = '~\\private\\catalog.md'", '~\\private\\catalog.md'],
		["k = 'C:\\Users\\jo\\catalog.md'", 'C:\\Users\\jo\\catalog.md'],
		['k = "C:\\\\Users\\\\jo\\\\catalog.md"', 'C:\\Users\\jo\\catalog.md'],
		["k = '\\\\srv\\share\\catalog.md'", '\\\\srv\\share\\catalog.md'],
		["k = '\\\\?\\UNC\\srv\\share\\catalog.md'", '\\\\?\\UNC\\srv\\share\\catalog.md'],
		["k = { path = '..\\catalog.md' }", '..\\catalog.md'],
	])('on Windows a path is served that is written as %s', (line, path) => {
		const content = parseBytes(Buffer.from(`[keys]\n${line}\n${GOOD}`), {}, 'win32');
		expect(content).toMatchObject({ faults: [], paths: [] });
		expect(content.entries.get('k')?.path).toBe(path);
		expect(content.entries.has('good')).toBe(true);
	});

	test.each([
		[
			'k = "C:\\temp\\notes.md"',
			'a path cannot have a control character; put a backslash in single quotes, or double it',
		],
		["k = '~sam\\a.md'", 'a path may use ~ only as ~/, your own home folder'],
		["k = '%USERPROFILE%\\a.md'", 'write the path as it is, with nothing around it, no variable'],
		["k = '%OneDrive%\\a.md'", 'write the path as it is, with nothing around it, no variable'],
		["k = '$env:APPDATA\\a.md'", 'write the path as it is, with nothing around it, no variable'],
		["k = 'file://srv/share/a.md'", 'write the path as it is, with nothing around it, no variable and no file://'],
	])('on Windows a bad path costs its key alone: %s', (line, problem) => {
		const { entries, faults, paths } = parseBytes(Buffer.from(`[keys]\n${line}\n${GOOD}`), {}, 'win32');
		expect([...entries]).toEqual([ENTRY]);
		expect(faults.map((each) => each.place())).toEqual([
			{ line: 2, column: 1, problem: expect.stringContaining(problem) },
		]);
		expect(paths.length).toBeGreaterThan(0);
	});

	test('a backslash behind ~ is the home folder on Windows only', () => {
		const { entries, faults, paths } = parseBytes(Buffer.from(`[keys]\nk = '~\\a.md'\n${GOOD}`), {}, 'linux');
		expect([...entries]).toEqual([ENTRY]);
		expect(faults.map((each) => each.place().problem)).toEqual(['a path may use ~ only as ~/, your own home folder']);
		expect(paths).toContain('~\\a.md');
	});

	test.each([
		['[key]\nk = "~/k.md"\nn = "no path"\n', ['~/k.md'], ['keys']],
		['[gaurd]\nfiles = false\n', [], ['keys']],
		['[Keys.k]\npath = "~/k.md"\nagents = ["y"]\n', ['~/k.md'], ['keys']],
		['[mcp_server.db]\nisolated = true\n', [], ['keys', 'isolation']],
		['[mcpServers.db]\ncommand = "x"\nargs_isolated = ["x"]\n', [], ['keys']],
		['[[mcp_server]]\nisolated = true\n', [], ['keys', 'isolation']],
		['[servers.db]\nisolated_tools = ["query"]\n', [], ['keys', 'isolation']],
		['[db]\nisolated = true\n', [], ['keys', 'isolation']],
	])('of a table that does not exist: %j', (table, paths, hides) => {
		const content = read(`${GOOD}${table}`);
		expect([...content.entries]).toEqual([ENTRY]);
		expect(content).toMatchObject({ paths, faults: [{ hides }], off: [], isolation: [] });
	});

	test('of a path above every table', () => {
		const content = read(`k = "~/k.md"\n${GOOD}`);
		expect([...content.entries]).toEqual([ENTRY]);
		expect(content.paths).toEqual(['~/k.md']);
	});

	test('of [keys] itself', () => {
		expect(read('[[keys]]\nk = "~/k.md"\n[shell]\ntimeout = 5\n')).toMatchObject({
			paths: ['~/k.md'],
			limits: { total: 5_000 },
			faults: [{ hides: ['keys'] }],
		});
		expect(read('keys = "~/k.md"\n').paths).toEqual(['~/k.md']);
		expect(read('').entries.size).toBe(0);
	});

	test('of a table of settings: its defaults hold, and a [guard] switches nothing off', () => {
		const content = read(
			`${GOOD}[guard]\nfiles = false\nquoting = 0\n[shell]\ntimeout = 5\ntimout = 1\n[log]\ndecisions = true\n[private_data]\nallow_tools = "x"\n`,
		);
		expect([...content.entries]).toEqual([ENTRY]);
		expect(content).toMatchObject({ off: [], limits: { total: 1_800_000 }, allowTools: [] });
		expect(content.faults.map(({ hides, place }) => [...hides, place().line])).toEqual([[6], [9], [13]]);
	});

	test('all of them are told', () => {
		const told = faultsOf(() => read('[gaurd]\n[shel]\n[keys]\na = 1\nb = 2\n[log]\nx = 1\n'));
		const places = told.map((message) => /Line \d+, column \d+/.exec(message)?.[0]);
		expect(places).toEqual([1, 2, 4, 5, 7].map((line) => `Line ${line}, column 1`));
	});
});

describe('of what is no TOML', () => {
	const paths = (content: string | Buffer) => {
		try {
			parseBytes(Buffer.from(content));
		} catch (error) {
			return (error as MapSyntaxError).paths;
		}
		throw new Error('it is TOML');
	};

	test('nothing counts, but what looks like the path of a private file is known', () => {
		const text = '[keys]\na = "~/a.md"\nb = ~/b.md\n[guard]\nfiles = false\n';
		expect(paths(text)).toEqual(expect.arrayContaining(['~/a.md', '~/b.md']));
	});

	test.each([
		['latin1', '~/caf\u00e9.md'],
		['utf16le', '~/a b.md'],
		['utf16le', '~/caf\u00e9.md'],
	] as const)('also in %s', (encoding, path) => {
		expect(paths(Buffer.from(`[keys]\nk = "${path}"`, encoding))).toContain(path);
	});
});
