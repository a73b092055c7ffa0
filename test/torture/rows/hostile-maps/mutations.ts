import type { Random } from '../../random.ts';
import type { Source } from './values.ts';

/** Changes the bytes of a document. */
export type Mutation = (bytes: Buffer, source: Source) => Buffer;

/** Characters that a parser stumbles over. */
const PIECES = [
	'=',
	'[',
	']',
	'[[',
	'{',
	'}',
	'"',
	"'",
	'"""',
	"'''",
	'\\',
	'#',
	',',
	'.',
	'\n',
	'\r',
	'\r\n',
	'\0',
	'\ufeff',
];

/** No UTF-8: cut, overlong, a surrogate by itself, beyond Unicode, Latin-1, a mark of UTF-16. */
const DAMAGE: readonly (readonly number[])[] = [
	[0xe2, 0x82],
	[0xc0, 0x80],
	[0xed, 0xa0, 0x80],
	[0xf4, 0x90, 0x80, 0x80],
	[0xe9],
	[0xff, 0xfe],
];

const MEGABYTE = 1_000_000;

/** How a document is spoilt, by what is told of a failure. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
	'as it is': (bytes) => bytes,
	'other bytes': (bytes, { random }) => {
		const changed = Buffer.from(bytes);
		for (let turn = random.below(8); turn >= 0 && changed.length > 0; turn--) {
			changed[random.below(changed.length)] = random.below(256);
		}
		return changed;
	},
	'a piece put in': (bytes, { random }) => inserted(bytes, random, Buffer.from(random.pick(PIECES))),
	'a piece left out': (bytes, { random }) => {
		const at = random.below(bytes.length + 1);
		return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(20))]);
	},
	'a piece twice': (bytes, { random }) => {
		const at = random.below(bytes.length + 1);
		return inserted(bytes, random, bytes.subarray(at, at + random.below(200)));
	},
	'cut off': (bytes, { random }) => bytes.subarray(0, random.below(bytes.length + 1)),
	'lines in another order': (bytes, { random }) =>
		Buffer.from(random.shuffled(bytes.toString('utf8').split('\n')).join('\n')),
	'other ends of lines': (bytes, { random }) =>
		Buffer.from(bytes.toString('utf8').replaceAll('\n', random.pick(['\r\n', '\r', '\n\r', '\u2028', '\v']))),
	'a byte-order mark': (bytes) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
	'UTF-16': (bytes, { random }) => {
		const utf16 = Buffer.from(`\ufeff${bytes.toString('utf8')}`, 'utf16le');
		return random.chance(0.5) ? utf16.swap16() : utf16;
	},
	'no UTF-8': (bytes, { random }) => inserted(bytes, random, Buffer.from(random.pick(DAMAGE))),
};

/** The same for what takes more time, and so comes more seldom. */
export const LARGE_MUTATIONS: Readonly<Record<string, Mutation>> = {
	'a line of a megabyte': (bytes, source) => Buffer.concat([bytes, Buffer.from(`\n${longLine(source)}\n`)]),
	'a statement of many lines': (bytes, source) => {
		const many = manyLines(source);
		return Buffer.from(source.random.chance(0.5) ? `${many}\n${bytes}` : `${bytes}\n${many}`);
	},
	'many times': (bytes, { random }) => {
		const whole = Buffer.concat(Array.from({ length: random.below(50) + 2 }, () => bytes));
		return whole.subarray(0, MEGABYTE);
	},
	'many keys': (bytes, { markers, random }) => {
		const name = markers.next();
		const lines = Array.from({ length: 1_000 + random.below(9_000) }, (_, index) => `${name}${index} = "a.md"`);
		return Buffer.concat([bytes, Buffer.from(`\n[keys]\n${lines.join('\n')}\n${name} = 1\n`)]);
	},
	'many servers': (bytes, { markers, random }) => {
		const name = markers.next();
		const lines = Array.from({ length: random.below(3_000) }, (_, index) => `[mcp_servers.${name}${index}]`);
		return Buffer.from(`[keys]\n${lines.join('\nisolated = true\n')}\n${random.chance(0.5) ? bytes : ''}`);
	},
};

function inserted(bytes: Buffer, random: Random, piece: Buffer): Buffer {
	const at = random.below(bytes.length + 1);
	return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
}

function longLine({ random, markers }: Source): string {
	const word = markers.next();
	const long = word.repeat(Math.ceil(MEGABYTE / word.length));
	return random.pick([
		`# ${long}`,
		`${long} = 1`,
		`${word} = "${long}"`,
		`${word} = [${'1,'.repeat(MEGABYTE / 2)}]`,
		`${word} = ${'9'.repeat(MEGABYTE)}`,
		`[${long}]`,
		`${word} = "${'\\u00e9'.repeat(MEGABYTE / 6)}"`,
		' '.repeat(MEGABYTE),
	]);
}

function manyLines({ random, markers }: Source): string {
	const word = markers.next();
	const lines = Array.from({ length: 100 + random.below(3_000) }, () => `"${word}",`).join('\n');
	return random.pick([
		`[mcp_servers.${word}]\ncommand = "x"\nargs = [\n${lines}\n1]`,
		`[mcp_servers.${word}]\ncommand = "x"\nargs = [\n${lines}\n]\nurl = "y"`,
		`[keys.${word}]\npath = "a.md"\nagents = [\n${lines}\n""]`,
		`[keys]\n${word} = """\n${lines}\n\\u0000"""`,
		`[mcp_servers.${word}]\ncommand = """\n${lines}\n\\u0000"""`,
	]);
}
