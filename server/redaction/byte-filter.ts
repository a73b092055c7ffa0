import { foldCodePoint } from './code-points.ts';
import { MAX_BETWEEN, type PhraseTable } from './phrases.ts';
import { type EscapesAs, tokenAt } from './tokens.ts';

/** Of each phrase so many letters are looked for, with up to so many before them. */
const SIZE = 4;

/** Letters that an escape of one takes at most, such as `&#x00e9;`, and some that may stand around. */
const MAX_ESCAPE = 8;
const MARGIN = 16;

/** In bytes: a stretch of a text starts and ends between words that are no longer. */
const MAX_WORD = 256;

/** A longer stretch is cut in two that overlap. */
const MAX_STRETCH = 64 * 1024;

/** What an escape or a tag may start with, and go on with. */
const TOKEN_STARTS: Readonly<Record<string, RegExp>> = {
	'&': /[#a-z]/i,
	'<': /[/bcdeiklpstuw]/i,
	'\\': /[befnrstux0]/,
	'%': /[\da-f]/i,
	'=': /[\da-f]/i,
	'\x1b': /\[/,
};

/** By a first and a second byte, whether an escape or a tag may start so. */
const STARTS_TOKEN = new Uint8Array(128 * 256);
for (const [start, next] of Object.entries(TOKEN_STARTS)) {
	for (let byte = 0; byte < 128; byte++) {
		if (next.test(String.fromCharCode(byte))) STARTS_TOKEN[start.charCodeAt(0) * 256 + byte] = 1;
	}
}

/** In bytes. */
const MAX_TOKEN = 64;

/** What a character reference and a tag end with, within so many bytes. */
const MAX_CLOSED_TOKEN = 12;
const AMPERSAND = 0x26;
const SEMICOLON = 0x3b;
const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;

const BACKSLASH = 0x5c;
const EQUALS = 0x3d;

/** 1 for what a backslash makes white space of. */
const ESCAPED = new Uint8Array(256);
for (const letter of Buffer.from('bfnrst')) ESCAPED[letter] = 1;

/** An odd number that spreads well. */
const MIX = 0x2c1b3c6d;

/**
 * Of each byte, in one number, since a table for each takes twice the time: the number of a letter or digit, by how many bits
 * it shifts those before, and whether the search stops there. A byte that is none shifts by 0, so that it leaves them as they are.
 */
const BYTES = new Int32Array(256);
const LETTER = 0xff;
const SHIFT_AT = 8;
const IS_LETTER = 8 << SHIFT_AT;
const STOP_AT = 16;
const STOP = 1 << STOP_AT;
/** What stands for a letter only with what follows. */
const TOKEN_START = 2 << STOP_AT;
for (let byte = 0; byte < 256; byte++) {
	const [unit] = byte < 0x80 ? foldCodePoint(byte).units : [];
	if (byte >= 0x80) BYTES[byte] = STOP;
	else if (Object.hasOwn(TOKEN_STARTS, String.fromCharCode(byte))) BYTES[byte] = TOKEN_START;
	else if (unit !== undefined) BYTES[byte] = IS_LETTER | unit;
}

const NO_UNITS: readonly number[] = [];
/** The letter of each byte by itself. */
const UNITS = Array.from(BYTES, (byte) => ((byte & IS_LETTER) === 0 ? NO_UNITS : [byte & LETTER]));

/** How often letters and digits stand in texts and programs, the most frequent first. */
const FREQUENT = 'etaionsrlcdpumfhgbyw0v1x2k35469j87qz';

/** By letter, how rare it is. */
const RARITIES = Float64Array.from({ length: 256 }, (_, letter) => {
	const place = FREQUENT.indexOf(String.fromCharCode(letter));
	return Math.log2(place < 0 ? 64 : place + 4);
});

/** A part of a phrase that is looked for: the last letters of it, in two numbers. */
interface Anchor {
	readonly before: number;
	/** Of the letters before, which count. */
	readonly mask: number;
	/** Letters of the phrase before its last one, and behind it: of the longest phrase. */
	back: number;
	ahead: number;
}

interface LettersOfPhrase {
	readonly letters: Uint8Array;
	/** How many of them are of the first word of a name, behind which others can stand; or 0. */
	readonly opening: number;
}

/** A stretch of a text, in bytes. */
export type Stretch = readonly [start: number, end: number];

/**
 * Finds fast where a text of UTF-8 may repeat something of a file: of each phrase, its four rarest letters and up to four
 * before them, whatever stands between.
 */
export class ByteFilter {
	readonly #anchors = new Map<number, Anchor[]>();
	readonly #window: Window;
	/** Phrases that are shorter, by their last two letters: there are few. */
	readonly #short = new Map<number, Anchor[]>();
	/** From there on, up to where it is looked, each byte stands for itself. */
	#plain = 0;
	#found: Anchor | undefined;

	constructor(phrases: PhraseTable) {
		const all = Array.from(phrases.phrases(), ({ letters, meaning }): LettersOfPhrase => {
			const numbers = new Uint8Array(letters.length);
			// No iterator: it takes several times as long.
			for (let at = 0; at < numbers.length; at++) numbers[at] = letterOf(letters.charCodeAt(at));
			return { letters: numbers, opening: meaning.opening };
		});
		// A longer phrase often holds a shorter one, and is found with it.
		for (const each of all.sort((a, b) => a.letters.length - b.letters.length)) this.#add(each);
		const log = Math.min(23, Math.max(16, Math.ceil(Math.log2(this.#anchors.size * 64))));
		const ends = new Uint8Array(1 << log);
		const bytes = BYTES.slice();
		this.#window = { ends, shift: 32 - log, bytes, last: 0 };
		for (const last of this.#anchors.keys()) ends[Math.imul(last, MIX) >>> this.#window.shift] = 1;
		for (const last of this.#short.keys()) {
			bytes.forEach((byte, at) => {
				if ((byte & IS_LETTER) !== 0 && (byte & LETTER) === (last & LETTER)) bytes[at] = byte | STOP;
			});
		}
	}

	/** The stretches of a text in which all that it repeats stands, in ascending order; they can overlap. */
	*stretches(bytes: Buffer): Generator<Stretch> {
		this.#window.last = 0;
		this.#plain = 0;
		let [start, end] = [0, 0];
		for (let at = this.#next(bytes, 0); at >= 0; at = this.#next(bytes, at + 1)) {
			const { back, ahead } = this.#found as Anchor;
			const from = startBefore(bytes, at, back);
			const to = endAfter(bytes, at, ahead);
			if (end > 0 && from <= end && to - start <= MAX_STRETCH) {
				start = Math.min(start, from);
				end = Math.max(end, to);
				continue;
			}
			if (end > 0) yield [start, end];
			[start, end] = [from, to];
		}
		if (end > 0) yield [start, end];
	}

	#add({ letters, opening }: LettersOfPhrase): void {
		const { length } = letters;
		if (length < SIZE) {
			this.#addAnchor(this.#short, numberOf(letters, length - Math.min(length, 2), length), {
				before: length === 3 ? (letters[0] ?? 0) : 0,
				mask: length === 3 ? 0xff : 0,
				...{ back: length, ahead: 0 },
			});
			return;
		}
		// Of a name behind whose first word others can stand, one of the two parts is looked for.
		const [from, to] = length - opening >= SIZE ? [opening, length] : [0, opening];
		const more = opening > 0 ? MAX_BETWEEN : 0;
		let best = from + SIZE;
		let rarest = -1;
		for (let end = from + SIZE; end <= to; end++) {
			const start = Math.max(from, end - 2 * SIZE);
			const last = numberOf(letters, end - SIZE, end);
			const before = numberOf(letters, start, end - SIZE);
			const most = maskFor(end - SIZE - start);
			const known = this.#anchors
				.get(last)
				?.find(({ before: other, mask }) => (mask & ~most) === 0 && ((before ^ other) & mask) === 0);
			if (known !== undefined) {
				known.back = Math.max(known.back, end + more);
				known.ahead = Math.max(known.ahead, length - end + more);
				return;
			}
			const rarity = rarityOf(letters, end - SIZE, end) + rarityOf(letters, start, end - SIZE) / 4;
			if (rarity > rarest) [best, rarest] = [end, rarity];
		}
		const count = Math.min(SIZE, best - SIZE - from);
		this.#addAnchor(this.#anchors, numberOf(letters, best - SIZE, best), {
			before: numberOf(letters, best - SIZE - count, best - SIZE),
			mask: maskFor(count),
			...{ back: best + more, ahead: length - best + more },
		});
	}

	#addAnchor(anchors: Map<number, Anchor[]>, last: number, anchor: Anchor): void {
		const known = anchors.get(last);
		if (known === undefined) anchors.set(last, [anchor]);
		else known.push(anchor);
	}

	/** The last byte of the next anchor, from a place on; -1 if there is none. */
	#next(bytes: Buffer, from: number): number {
		for (let at = skip(this.#window, bytes, from); at < bytes.length; at = skip(this.#window, bytes, at + 1)) {
			const byte = bytes[at] ?? 0;
			if (byte < 0x80 && (this.#window.bytes[byte] ?? 0) < TOKEN_START) {
				if (this.#isCandidate() && this.#isAnchor(bytes, at)) return at;
				continue;
			}
			if (byte === BACKSLASH && ESCAPED[bytes[at + 1] ?? 0] === 1 && isSmallLetter(bytes[at + 2])) {
				if (this.#isBehind(bytes, at)) return at;
				continue;
			}
			const { units, end } = characterAt(bytes, at);
			if (end > at + 1) this.#plain = end;
			for (let nth = 0; nth < units.length; nth++) {
				this.#window.last = (this.#window.last << 8) | letterOf(units[nth] as number);
				if (this.#isCandidate() && this.#isAnchor(bytes, end - 1)) return end - 1;
			}
			at = end - 1;
		}
		return -1;
	}

	/** Whether an anchor can end with the last letters: most that stop the loop do not. */
	#isCandidate(): boolean {
		const { ends, shift, last } = this.#window;
		if (ends[Math.imul(last, MIX) >>> shift] === 1 && this.#anchors.has(last)) return true;
		return this.#short.size > 0 && (this.#short.has(last & 0xffff) || this.#short.has(last & LETTER));
	}

	/** Whether the letters up to a place are an anchor. */
	#isAnchor(bytes: Buffer, end: number): boolean {
		let [last, before] = [0, 0];
		for (let at = end, count = 0; at >= this.#plain; at--) {
			const letter = (BYTES[bytes[at] ?? 0] ?? 0) & LETTER;
			if (letter !== 0) {
				if (count < SIZE) last |= letter << (8 * count);
				else before |= letter << (8 * (count - SIZE));
				count++;
			}
			if (count === 2 * SIZE || at === 0) return this.#find(last, before);
		}
		return this.#isAnchorRead(bytes, end, 'blanks') || this.#isAnchorRead(bytes, end, 'letters');
	}

	#isAnchorRead(bytes: Buffer, end: number, escapesAs: EscapesAs): boolean {
		let [last, before] = [0, 0];
		for (let at = startBefore(bytes, end, 2 * SIZE); at <= end; ) {
			const character = characterAt(bytes, at, escapesAs);
			at = character.end;
			for (const unit of character.units) {
				before = (before << 8) | (last >>> 24);
				last = (last << 8) | letterOf(unit);
				// The last character can stand for more letters than those up to the anchor.
				if (at > end && this.#find(last, before)) return true;
			}
		}
		return this.#find(last, before);
	}

	/** @param known which bits of the letters before are known */
	#find(last: number, before: number, known = -1): boolean {
		const isIt = (anchor: Anchor) => ((before ^ anchor.before) & anchor.mask & known) === 0;
		const isShort = (anchor: Anchor) => (((last >>> 16) ^ anchor.before) & anchor.mask) === 0;
		this.#found =
			this.#anchors.get(last)?.find(isIt) ??
			this.#short.get(last & 0xffff)?.find(isShort) ??
			this.#short.get(last & 0xff)?.find(isShort);
		return this.#found !== undefined;
	}

	/** Whether an anchor goes over an escape such as `\n`: it can be white space, or the first letter of a word, as in `C:\new`. */
	#isBehind(bytes: Buffer, from: number): boolean {
		const { ends, shift } = this.#window;
		let { last } = this.#window;
		let [before, known] = [0, 0];
		let left = 2 * SIZE - 1;
		for (let at = from + 2, end = Math.min(at + MAX_TOKEN, bytes.length); at < end && left > 0; ) {
			const byte = bytes[at] ?? 0;
			const isPlain = (BYTES[byte] ?? 0) < STOP;
			const { units, end: next } = isPlain ? { units: UNITS[byte], end: at + 1 } : characterAt(bytes, at);
			at = next;
			for (const unit of units ?? []) {
				left--;
				before = (before << 8) | (last >>> 24);
				known = (known << 8) | LETTER;
				last = (last << 8) | letterOf(unit);
				if (ends[Math.imul(last, MIX) >>> shift] === 1 && this.#find(last, before, known)) return true;
			}
		}
		return false;
	}
}

/** The last four letters of a text, and where it is to be stopped. */
interface Window {
	/** 1 for the hash of each four letters that end an anchor. */
	readonly ends: Uint8Array;
	readonly shift: number;
	/** As `BYTES`, and what ends a short phrase is stopped at. */
	readonly bytes: Int32Array;
	last: number;
}

/** The next place where an anchor can end, or an escape or a letter beyond ASCII starts; the length if there is none. */
function skip(window: Window, text: Buffer, from: number): number {
	const { length } = text;
	const { ends, shift, bytes } = window;
	let { last } = window;
	let at = from;
	for (; at < length; at++) {
		const byte = bytes[text[at] as number] as number;
		// As `SHIFT_AT`, `LETTER`, `MIX`, `STOP_AT` and `TOKEN_START`: in the bundle they are variables, which takes longer.
		last = (last << (byte >>> 8)) | (byte & 0xff);
		if (((ends[Math.imul(last, 0x2c1b3c6d) >>> shift] as number) | (byte >>> 16)) === 0) continue;
		if (byte === 0) continue; // Else it would stop at each blank behind an anchor.
		if (byte < 0x20000 || startsToken(text, at)) break;
	}
	window.last = last;
	return at;
}

function isSmallLetter(byte = 0): boolean {
	return byte >= 0x61 && byte <= 0x7a;
}

function startsToken(bytes: Buffer, at: number): boolean {
	const byte = bytes[at] ?? 0;
	if (STARTS_TOKEN[byte * 256 + (bytes[at + 1] ?? 0)] === 0) return false;
	// `=C3=BC`: most equals signs are just that.
	if (byte === EQUALS) return bytes[at + 3] === EQUALS;
	if (byte !== LESS_THAN && byte !== AMPERSAND) return true;
	const close = byte === LESS_THAN ? GREATER_THAN : SEMICOLON;
	for (let end = at + 2; end < at + MAX_CLOSED_TOKEN; end++) if (bytes[end] === close) return true;
	return false;
}

/** The folded letters of the character at a place, which can be written as an escape, and where it ends. */
function characterAt(
	bytes: Buffer,
	at: number,
	escapesAs: EscapesAs = 'blanks',
): { readonly units: readonly number[]; readonly end: number } {
	const byte = bytes[at] ?? 0;
	if (byte >= 0x80) {
		const end = at + (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1);
		let code = byte & (0x7f >> (end - at));
		for (let next = at + 1; next < end; next++) code = (code << 6) | ((bytes[next] ?? 0) & 0x3f);
		return { units: foldCodePoint(code).units, end };
	}
	if ((BYTES[byte] ?? 0) >= TOKEN_START && startsToken(bytes, at)) {
		if (byte === BACKSLASH && ESCAPED[bytes[at + 1] ?? 0] === 1) {
			return { units: NO_UNITS, end: escapesAs === 'letters' && isSmallLetter(bytes[at + 2]) ? at + 1 : at + 2 };
		}
		const token = tokenAt(bytes.toString('latin1', at, at + MAX_TOKEN), 0, 'blanks');
		if (token !== undefined) {
			return { units: token.code < 0 ? [] : foldCodePoint(token.code).units, end: at + token.end };
		}
	}
	return { units: UNITS[byte] ?? NO_UNITS, end: at + 1 };
}

/** A letter beyond ASCII shares its number with others. */
function letterOf(unit: number): number {
	return unit < 0x80 ? unit : 0x80 | ((unit ^ (unit >>> 7)) & 0x7f);
}

/** For so many letters of a number. */
function maskFor(count: number): number {
	return count >= SIZE ? -1 : (1 << (8 * count)) - 1;
}

function numberOf(letters: Uint8Array, start: number, end: number): number {
	let number = 0;
	for (let at = start; at < end; at++) number = (number << 8) | (letters[at] ?? 0);
	return number;
}

function rarityOf(letters: Uint8Array, start: number, end: number): number {
	let rarity = 0;
	for (let at = start; at < end; at++) rarity += RARITIES[letters[at] ?? 0] ?? 0;
	return rarity;
}

function startBefore(bytes: Buffer, at: number, letters: number): number {
	let start = at;
	for (let left = letters * MAX_ESCAPE + MARGIN; start > 0 && left > 0; start--) left -= weightOf(bytes[start] ?? 0);
	for (const least = Math.max(0, start - MAX_WORD); start > least && !isBreak(bytes[start] ?? 0); start--);
	while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
	return start;
}

function endAfter(bytes: Buffer, at: number, letters: number): number {
	const { length } = bytes;
	let end = at + 1;
	for (let left = letters * MAX_ESCAPE + MARGIN; end < length && left > 0; end++) left -= weightOf(bytes[end] ?? 0);
	for (const most = Math.min(length, end + MAX_WORD); end < most && !isBreak(bytes[end] ?? 0); end++);
	while (end < length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end++;
	return end;
}

/**
 * How many letters a byte is at least: half a one if it starts a character beyond ASCII. Others count a little, so that no
 * stretch is long.
 */
function weightOf(byte: number): number {
	if (byte >= 0xc0) return 0.5;
	return ((BYTES[byte] ?? 0) & IS_LETTER) === 0 ? 1 / 16 : 1;
}

/** A space, or a line break. */
function isBreak(byte: number): boolean {
	return byte <= 0x20;
}
