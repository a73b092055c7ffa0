import type { Random } from '../../random.ts';
import { HOSTILE_NAMES, type Markers } from './words.ts';

/** Where the generators take their choices and words from. */
export interface Source {
	readonly random: Random;
	readonly markers: Markers;
}

/** Numbers, dates and the like, right and wrong. */
const SCALARS = [
	...['true', 'false', 'True', 'TRUE', 'yes', 'null', 'nil', 'undefined'],
	...['0', '-0', '+0', '1', '01', '1_000', '1__0', '_1', '1_', '0x', '0xff', '0XFF', '0b2', '0o17', '-0x1'],
	...['9007199254740993', '9223372036854775807', '9223372036854775808', '-9223372036854775809', '9'.repeat(400)],
	...['1.', '.5', '1e5', '1e400', '-1e-400', '1.5e+3', 'inf', '-inf', '+inf', 'nan', '-nan', 'Infinity', 'NaN'],
	...['1979-05-27', '1979-05-27T07:32:00Z', '1979-05-27 07:32:00', '07:32:00', '1979-05-27T00:32:00.999999-07:00'],
	...['1979-02-30', '1979-13-01', '0000-00-00', '9999-12-31T23:59:60Z', '25:61:00', '1979-05-27T', '07:32'],
	...['86400', '86401', '0.999', '300', '"open"', '"refuse"', "'closed'"],
] as const;

/** What is no value at all. */
const BROKEN = [
	'',
	'=',
	'[',
	']',
	'{',
	'}',
	'"',
	"'",
	'"""',
	"'''",
	',',
	'[,]',
	'[1,,2]',
	'{a=1,}',
	'{,}',
	'#',
	'\\',
	'\u0000',
];

/** Pieces of a text in double quotes that are read in a way of their own. */
const ESCAPES = [
	'\\n',
	'\\"',
	'\\\\',
	'\\u00e9',
	'\\u0000',
	'\\ud800',
	'\\udfff',
	'\\U0001F600',
	'\\U00110000',
	'\\q',
	'\\',
];

/** Pieces of texts that mean something to the map. */
const PIECES = [
	...['~/', '~', '~root/', '/', '../', '.md', '*', ':', '::', ' ', '', '\t', '@', '#', '%', '%zz', '=', '\u0007'],
	// biome-ignore lint/suspicious/noTemplateCurlyInString: it is the form that the map uses
	...['${HOME}', '${TOKEN}', '${EMPTY}', '${', '${}', '$', '${constructor}', '${__proto__}'],
	...['https://', 'http://', 'ftp://', 'user:pass@', 'localhost', '[::1]', ':99999', '?token=', 'é', '\u{1f600}'],
] as const;

/** Any value, or what only looks like one. */
export function anyValue(source: Source, depth = 0): string {
	const { random } = source;
	const kind = random.below(depth > 3 ? 6 : 9);
	if (kind < 2) return random.pick(SCALARS);
	if (kind < 5) return text(source);
	if (kind === 5) return random.chance(0.2) ? random.pick(BROKEN) : random.pick(SCALARS);
	if (kind === 6) return list(source, () => anyValue(source, depth + 1));
	if (kind === 7) return inlineTable(source, () => anyValue(source, depth + 1));
	return random.chance(0.1) ? deep(random) : text(source);
}

/** A text in one of the four kinds of quotes. */
export function text(source: Source): string {
	const { random, markers } = source;
	const pieces = Array.from({ length: random.below(4) }, () => {
		if (random.chance(0.5)) return markers.next();
		return random.pick(random.chance(0.5) ? PIECES : HOSTILE_NAMES);
	});
	if (random.chance(0.1)) pieces.push(random.pick(ESCAPES));
	const [quote, between] = random.pick([
		['"', ''],
		["'", ''],
		['"""', '\n'],
		["'''", '\n'],
	] as const);
	return `${quote}${pieces.join(random.chance(0.3) ? between : '')}${quote}`;
}

/** A text that the marker is all of, or stands in. */
export function plainText({ markers }: Source, before = '', after = ''): string {
	return `"${before}${markers.next()}${after}"`;
}

/** A list, on one line or on several. */
export function list({ random }: Source, item: () => string): string {
	const items = Array.from({ length: random.below(4) }, item);
	return random.chance(0.3) ? `[\n${items.map((each) => `\t${each}, # and on\n`).join('')}]` : `[${items.join(', ')}]`;
}

export function inlineTable(source: Source, value: () => string): string {
	const fields = Array.from({ length: source.random.below(4) }, () => `${key(source)} = ${value()}`);
	return `{ ${fields.join(', ')} }`;
}

/** A key, with or without quotes, now and then of several parts. */
export function key(source: Source): string {
	const { random, markers } = source;
	if (random.chance(0.6)) return markers.next();
	if (random.chance(0.1)) return `${key(source)}.${key(source)}`;
	const name = random.pick(HOSTILE_NAMES);
	return random.chance(0.2) && /^[\w-]+$/.test(name) ? name : `"${name}"`;
}

/** Many lists or tables in one another. */
function deep(random: Random): string {
	const depth = random.pick([10, 100, 999, 1_000, 1_001, 5_000, 50_000]);
	const [open, close] = random.pick([
		['[', ']'],
		['{a=', '}'],
	] as const);
	const closed = random.chance(0.8) ? close.repeat(depth) : '';
	return `${open.repeat(depth)}1${closed}`;
}
