import fc from 'fast-check';
import { expect, test } from 'vitest';
import { configInvalid, MapSyntaxError } from '../../../server/context-map/map-fault.ts';
import { parseContextMap } from '../../../server/context-map/parse.ts';
import { knownNames } from '../../../server/context-map/schema.ts';
import { runs } from '../../support/runs.ts';

/** Variables of the maps that name one. */
const ENVIRONMENT = { HOME: '/home/user', TOKEN: 'abc', EMPTY: '' };

/** What is left of a marker, though a part of it may be gone. No text of the broker has six of these letters in a row. */
const EXCERPT = /[bcdfghjklmnpqrstvwxz]{6}/i;

/** Stands for the user's own text. Each is a bare key of TOML as well. */
const marker = fc
	.tuple(
		fc.array(fc.constantFrom(...'bcdfghjklmnpqrstvwxz'), { minLength: 12, maxLength: 12 }),
		fc.integer({ min: 0, max: 9 }),
	)
	.map(([letters, n]) => (n === 9 ? letters.join('').toUpperCase() : letters.join('')));

/** Names that mean something to JavaScript, TOML or file systems, as they stand in a quoted key. */
const NAMES = [
	...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'then', 'length', '', ' ', '.'],
	...['..', '*', 'a.b', '[keys]', '#', '=', 'é', 'e\u0301', '\u202egnp.exe', '\u200b', '\ufeff', '\ufffd', '\u{1f600}'],
	...['true', '1979-05-27', 'inf', 'nan', '-1', '\\u0000', '\\n', '\\U0010ffff'],
];
/** Numbers, dates and the like. */
const SCALARS = [
	...['true', 'false', '0', '-0', '1_000', '0xff', '9007199254740991', '1e400', '1.5e+3', 'inf', '-nan', '86401'],
	...['1979-05-27', '1979-05-27T07:32:00Z', '1979-05-27 07:32:00', '07:32:00', '1979-05-27T00:32:00.999999-07:00'],
];
/** What only looks like a value. */
const BROKEN = [
	...[
		'',
		'=',
		'[',
		']',
		'{',
		'"',
		"'",
		'"""',
		"'''",
		',',
		'[1,,2]',
		'{a=1,}',
		'{,}',
		'#',
		'\\',
		'\u0000',
		'"\\q"',
		'"\\"',
	],
	...[
		'"\\ud800"',
		'"\\U00110000"',
		'"\u0007"',
		'True',
		'yes',
		'null',
		'01',
		'1__0',
		'_1',
		'0x',
		'0b2',
		'1.',
		'.5',
		'NaN',
	],
	...['9223372036854775808', '9'.repeat(400), '1979-02-30', '9999-12-31T23:59:60Z', '1979-05-27T', '25:61:00'],
];
/** Pieces of texts that mean something to the map. */
const PIECES = [
	...['~/', '~root/', '/', '../', '.md', '*', ':', '::', ' ', '\t', '@', '#', '%zz', '=', 'é', '\u{1f600}', '?token='],
	// biome-ignore lint/suspicious/noTemplateCurlyInString: it is the form that the map uses
	...['${HOME}', '${TOKEN}', '${EMPTY}', '${', '${}', '${__proto__}', 'https://', 'ftp://', 'user:pass@', ':99999'],
];
const QUOTES = [
	['"', ''],
	["'", ''],
	['"""', '\n'],
	["'''", '\n'],
] as const;

const list = (item: fc.Arbitrary<string>) =>
	fc.tuple(fc.array(item, { maxLength: 4 }), fc.boolean()).map(([items, isLong]) => {
		return isLong ? `[\n${items.map((each) => `\t${each}, # and on\n`).join('')}]` : `[${items.join(', ')}]`;
	});
const table = (value: fc.Arbitrary<string>) =>
	fc
		.array(fc.tuple(key, value), { maxLength: 4 })
		.map((fields) => `{ ${fields.map((pair) => pair.join(' = ')).join(', ')} }`);

const key = fc.oneof(
	{ arbitrary: marker, weight: 6 },
	{ arbitrary: fc.constantFrom(...NAMES).map((name) => `"${name}"`), weight: 3 },
	fc.tuple(marker, marker).map((parts) => parts.join('.')),
);
/** A text in one of the four kinds of quotes. */
const text = fc
	.tuple(
		fc.array(fc.oneof(marker, fc.constantFrom(...PIECES), fc.constantFrom(...NAMES)), { maxLength: 4 }),
		fc.constantFrom(...QUOTES),
	)
	.map(([pieces, [quote, between]]) => `${quote}${pieces.join(between)}${quote}`);
/** One that the marker is all of, or stands in. */
const plainText = (...around: readonly (readonly [string, string])[]) =>
	fc.tuple(marker, fc.constantFrom(...around)).map(([word, [before, after]]) => `"${before}${word}${after}"`);
const deep = fc
	.tuple(fc.constantFrom(10, 999, 1_000, 1_001, 50_000), fc.constantFrom(['[', ']'], ['{a=', '}'], ['[', '']))
	.map(([depth, [open = '', close = '']]) => `${open.repeat(depth)}1${close.repeat(depth)}`);

const { value } = fc.letrec<{ value: string }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 4, depthSize: 'small' },
		{ arbitrary: fc.constantFrom(...SCALARS), weight: 6 },
		{ arbitrary: text, weight: 6 },
		{ arbitrary: fc.oneof(fc.constantFrom(...BROKEN), deep), weight: 1 },
		{ arbitrary: list(tie('value')), weight: 4 },
		{ arbitrary: table(tie('value')), weight: 2 },
	),
}));

/** A value of the field's own kind, mostly. */
function fitting(field: string): fc.Arbitrary<string> {
	const own = () => {
		if (/^(agents|allow_tools|.*_tools|args.*)$/.test(field))
			return list(plainText(['', ''], ['', '*'], ['', ':agent']));
		if (field === 'headers' || field === 'env') return table(fc.oneof(plainText(['', '']), text));
		if (field.startsWith('url')) return fc.oneof(plainText(['https://', ''], ['http://localhost/', '']), text);
		if (field.endsWith('timeout')) return fc.constantFrom('1', '60', '86400', '0.5', '1e3');
		if (field === 'when_private') return fc.constantFrom('"open"', '"refuse"');
		if (/^(path|cwd|command.*)$/.test(field)) return fc.oneof(plainText(['', ''], ['~/', '.md'], ['./', '']), text);
		return fc.constantFrom('true', 'false');
	};
	return fc.oneof({ arbitrary: own(), weight: 9 }, value);
}

/** @param needed a field without which nothing else is looked at */
function section(
	name: fc.Arbitrary<string>,
	known: readonly string[],
	...needed: readonly string[]
): fc.Arbitrary<string> {
	const line = (field: string) => fitting(field).map((value) => `${field} = ${value}`);
	const slip = fc.tuple(
		fc.oneof(
			marker,
			fc.constantFrom(...known).map((field) => `x${field.slice(1)}`),
		),
		value,
	);
	return fc
		.tuple(
			name,
			fc.subarray([...known], { maxLength: Math.min(5, known.length) }).chain((fields) => {
				return fc.tuple(...[...new Set([...fields, ...needed])].map(line));
			}),
			fc.option(slip, { freq: 6, nil: undefined }),
			fc.integer({ min: 0, max: 19 }),
		)
		.map(([name, lines, slipped, n]) => {
			const more = [...(slipped ? [slipped.join(' = ')] : []), ...(n === 1 ? lines.slice(0, 1) : [])];
			return [n === 0 ? `[[${name}]]` : `[${name}]`, ...lines, ...more].join('\n');
		});
}

const { keys, mcp_servers, document, ...settings } = knownNames();
const overHttp = mcp_servers.filter((name) => !/^(command|args|env$|cwd$|isolate_network)/.test(name));
const started = mcp_servers.filter((name) => !/^(url|headers$)/.test(name));
const within = (name: string) => key.map((each) => `${name}.${each}`);
const anySection = fc.oneof(
	{ arbitrary: section(within('keys'), keys, 'path'), weight: 2 },
	{ arbitrary: section(within('mcp_servers'), overHttp, 'url'), weight: 2 },
	{ arbitrary: section(within('mcp_servers'), started, 'command'), weight: 2 },
	section(within('mcp_servers'), mcp_servers),
	...Object.entries(settings).map(([name, known]) => section(fc.constant(name), known)),
	fc.tuple(fc.constantFrom(...document), value).map((pair) => pair.join(' = ')),
	section(key, keys),
	fc.tuple(marker, fc.constantFrom(2, 50, 999, 1_001, 20_000)).map(([name, depth]) => `[${`${name}.`.repeat(depth)}a]`),
);
const shortForms = fc
	.array(fc.tuple(key, fc.oneof({ arbitrary: plainText(['~/', '.md']), weight: 9 }, value)), { maxLength: 5 })
	.map((entries) => ['[keys]', ...entries.map((pair) => pair.join(' = '))].join('\n'));
const map = fc
	.tuple(
		fc.oneof({ arbitrary: shortForms, weight: 4 }, fc.constant('')),
		fc.array(anySection, { maxLength: 5 }),
		fc.nat(5),
		fc.constantFrom('\n', '\n\n', '\n# a comment\n'),
	)
	.map(([first, sections, at, joint]) => [...sections.slice(0, at), first, ...sections.slice(at)].join(joint));

/** Characters that a parser stumbles over, and what is no UTF-8. */
const DAMAGE = [
	...['=', '[', ']', '[[', '{', '}', '"', "'", '"""', "'''", '\\', '#', ',', '.', '\n', '\r', '\0', '\ufeff'],
	...[[0xe2, 0x82], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe9], [0xff, 0xfe]],
].map((piece) => Buffer.from(piece as string));

/** Spoils a document. */
type Change = (bytes: Buffer<ArrayBuffer>) => Buffer<ArrayBuffer>;

const asText =
	(change: (text: string) => string): Change =>
	(bytes) =>
		Buffer.from(change(bytes.toString('utf8')));
const put = (bytes: Buffer<ArrayBuffer>, at: number, piece: Uint8Array, left = 0) => {
	const place = at % (bytes.length + 1);
	return Buffer.concat([bytes.subarray(0, place), piece, bytes.subarray(place + left)]);
};
const change: fc.Arbitrary<Change> = fc.oneof(
	fc.tuple(fc.nat(), fc.constantFrom(...DAMAGE)).map(
		([at, piece]): Change =>
			(bytes) =>
				put(bytes, at, piece),
	),
	fc.tuple(fc.nat(), fc.nat(255)).map(
		([at, byte]): Change =>
			(bytes) =>
				put(bytes, at, Buffer.of(byte), 1),
	),
	fc.tuple(fc.nat(), fc.nat(20)).map(
		([at, left]): Change =>
			(bytes) =>
				put(bytes, at, Buffer.of(), left),
	),
	fc.tuple(fc.nat(), fc.nat(200)).map(
		([at, length]): Change =>
			(bytes) => {
				return put(bytes, at, bytes.subarray(at % (bytes.length + 1)).subarray(0, length));
			},
	),
	fc.nat().map(
		(at): Change =>
			(bytes) =>
				bytes.subarray(0, at % (bytes.length + 1)),
	),
	fc.constant(asText((text) => text.split('\n').reverse().join('\n'))),
	fc.constantFrom('\r\n', '\r', '\n\r', '\u2028', '\v').map((end) => asText((text) => text.replaceAll('\n', end))),
	fc.constant<Change>((bytes) => Buffer.from(`\ufeff${bytes.toString('utf8')}`, 'utf16le')),
	fc.constant<Change>((bytes) => Buffer.from(`\ufeff${bytes.toString('utf8')}`, 'utf16le').swap16()),
);

const changes = fc.oneof({ arbitrary: fc.constant([]), weight: 2 }, fc.array(change, { maxLength: 2 }));

const MEGABYTE = 1_000_000;

/** The same for what takes more time. */
const LARGE: readonly ((word: string) => Change)[] = [
	...(
		[
			(word) => `# ${long(word)}`,
			(word) => `${long(word)} = 1`,
			(word) => `${word} = "${long(word)}"`,
			(word) => `${word} = [${'1,'.repeat(MEGABYTE / 2)}]`,
			(word) => `${word} = ${'9'.repeat(MEGABYTE)}`,
			(word) => `[${long(word)}]`,
			(word) => `${word} = "${'\\u00e9'.repeat(MEGABYTE / 6)}"`,
			() => ' '.repeat(MEGABYTE),
			(word) => `[mcp_servers.${word}]\ncommand = "x"\nargs = [\n${many(word)}\n1]`,
			(word) => `[mcp_servers.${word}]\ncommand = "x"\nargs = [\n${many(word)}\n]\nurl = "y"`,
			(word) => `[keys.${word}]\npath = "a.md"\nagents = [\n${many(word)}\n""]`,
			(word) => `[keys]\n${word} = """\n${many(word)}\n\\u0000"""`,
			(word) => `[keys]\n${Array.from({ length: 9_000 }, (_, n) => `${word}${n} = "a.md"\n`).join('')}${word} = 1`,
			(word) => Array.from({ length: 3_000 }, (_, n) => `[mcp_servers.${word}${n}]\nisolated = true\n`).join(''),
		] satisfies ((word: string) => string)[]
	).map(
		(line: (word: string) => string) =>
			(word: string): Change =>
			(bytes) => {
				return Buffer.concat([bytes, Buffer.from(`\n${line(word)}\n`)]);
			},
	),
	() => (bytes) => Buffer.concat(Array(50).fill(bytes)).subarray(0, MEGABYTE),
];
const long = (word: string) => word.repeat(MEGABYTE / word.length);
const many = (word: string) => `"${word}",\n`.repeat(3_000);

/** What is wrong with a map, as it is told in every way. */
function told(bytes: Buffer): { readonly message: string; readonly all: string }[] {
	try {
		const errors = parseContextMap(bytes, ENVIRONMENT).faults.map(configInvalid);
		return errors.map(({ message, next, note = '', text }) => ({
			message,
			all: [message, next, note, text].join('\n'),
		}));
	} catch (error) {
		if (!(error instanceof MapSyntaxError)) throw error;
		const { message, next, note = '', text } = error;
		return [{ message, all: [message, next, note, text].join('\n') }];
	}
}

/** The limit of the test catches what grows with the square of the size: that takes minutes. */
function expectTold(bytes: Buffer): void {
	const lines = bytes.toString('utf8').split('\n');
	for (const { message, all } of told(Buffer.from(bytes))) {
		const [, line, column] = /Line (\d+), column (\d+): /.exec(message) ?? [];
		const there = lines[Number(line) - 1];
		expect(there, message).toBeDefined();
		// The place after the last character is one, too.
		expect(Number(column)).toBeGreaterThan(0);
		expect(Number(column)).toBeLessThanOrEqual((there?.length ?? 0) + 1);
		expect(all).not.toMatch(EXCERPT);
	}
	expect(Object.keys(Object.prototype)).toEqual([]);
}

test('any map is read or has faults, each told by a place in it and by nothing of it', () => {
	fc.assert(
		fc.property(map, changes, (text, changes) => {
			let bytes = Buffer.from(text);
			for (const change of changes) bytes = change(bytes);
			expectTold(bytes);
		}),
		{ numRuns: runs(1_500) },
	);
});

test('so is one with a line of a megabyte, or thousands of lines', () => {
	fc.assert(
		fc.property(map, marker, fc.constantFrom(...LARGE), (text, word, change) => {
			expectTold(change(word)(Buffer.from(text)));
		}),
		{ numRuns: runs(30), endOnFailure: true },
	);
});
