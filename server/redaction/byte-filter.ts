import { foldCodePoint } from './code-points.ts';
import { MAX_BETWEEN, type PhraseTable } from './phrases.ts';
import { type EscapesAs, tokenAt } from './tokens.ts';

/** Letters of an anchor, and at most as many letters before them. */
const ANCHOR_LENGTH = 4;

/** Bytes that one escaped letter takes at most, such as `&#x00e9;`, and extra bytes at each side. */
const MAX_ESCAPE = 8;
const MARGIN = 16;

/** In bytes. A stretch starts and ends at a break, unless a word is longer than this. */
const MAX_WORD = 256;

/** In bytes. A longer stretch is yielded as two that overlap. */
const MAX_STRETCH = 64 * 1024;

/** First characters of escapes and tags, and what may follow them. */
const TOKEN_STARTS: Readonly<Record<string, RegExp>> = {
	'&': /[#a-z]/i,
	'<': /[/bcdeiklpstuw]/i,
	'\\': /[befnrstux0]/,
	'%': /[\da-f]/i,
	'=': /[\da-f]/i,
	'\x1b': /\[/,
};

/** 1 if an escape or a tag may start with this first and second byte. */
const STARTS_TOKEN = new Uint8Array(128 * 256);
for (const [start, next] of Object.entries(TOKEN_STARTS)) {
	for (let byte = 0; byte < 128; byte++) {
		if (next.test(String.fromCharCode(byte))) STARTS_TOKEN[start.charCodeAt(0) * 256 + byte] = 1;
	}
}

/** Longest escape that is read, in bytes. */
const MAX_TOKEN = 64;

/** A character reference or tag ends within this many bytes, with `;` or `>`. */
const MAX_CLOSED_TOKEN = 12;
const AMPERSAND = 0x26;
const SEMICOLON = 0x3b;
const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;

const BACKSLASH = 0x5c;
const EQUALS = 0x3d;

/** 1 if a backslash before this letter means white space. */
const ESCAPED = new Uint8Array(256);
for (const letter of Buffer.from('bfnrst')) ESCAPED[letter] = 1;

/** An odd number, so that products spread over all hash values. */
const HASH_MULTIPLIER = 0x2c1b3c6d;

/**
 * For each byte, three facts in one number (three tables would take twice the time): the number of a letter or digit, the
 * bits by which it shifts the letters before it, and whether the search stops there. Other bytes shift by 0 bits.
 */
const BYTES = new Int32Array(256);
const LETTER = 0xff;
const SHIFT_AT = 8;
const IS_LETTER = 8 << SHIFT_AT;
const STOP_AT = 16;
const STOP = 1 << STOP_AT;
/** The first byte of an escape or tag, which can stand for a letter together with what follows. */
const TOKEN_START = 2 << STOP_AT;
for (let byte = 0; byte < 256; byte++) {
	const [unit] = byte < 0x80 ? foldCodePoint(byte).units : [];
	if (byte >= 0x80) BYTES[byte] = STOP;
	else if (Object.hasOwn(TOKEN_STARTS, String.fromCharCode(byte))) BYTES[byte] = TOKEN_START;
	else if (unit !== undefined) BYTES[byte] = IS_LETTER | unit;
}

const NO_UNITS: readonly number[] = [];
/** The folded letter of each plain byte. */
const UNITS = Array.from(BYTES, (byte) => ((byte & IS_LETTER) === 0 ? NO_UNITS : [byte & LETTER]));

/** Letters and digits by their frequency in texts and programs, the most frequent first. */
const FREQUENT = 'etaionsrlcdpumfhgbyw0v1x2k35469j87qz';

/** How rare each letter is, in bits. */
const RARITIES = Float64Array.from({ length: 256 }, (_, letter) => {
	const place = FREQUENT.indexOf(String.fromCharCode(letter));
	return Math.log2(place < 0 ? 64 : place + 4);
});

/** The part of a phrase that is searched for: its last letters, packed into two numbers. */
interface Anchor {
	readonly before: number;
	/** The bits of `before` that are compared. */
	readonly mask: number;
	/** The most letters before the anchor's end, and behind it, in the phrases that share the anchor. */
	back: number;
	ahead: number;
}

interface LettersOfPhrase {
	readonly letters: Uint8Array;
	/** Length of a name's first word, behind which other names can stand; or 0. */
	readonly opening: number;
}

/** A range of a text, in bytes. */
export type Stretch = readonly [start: number, end: number];

/**
 * Finds fast where a UTF-8 text may repeat phrases of a file. For each phrase it looks for the four rarest consecutive letters,
 * with up to four before them. Separators between letters do not matter.
 */
export class ByteFilter {
	readonly #anchors = new Map<number, Anchor[]>();
	readonly #window: Window;
	/** Phrases of fewer than `ANCHOR_LENGTH` letters, by their last two letters. There are few. */
	readonly #short = new Map<number, Anchor[]>();
	/** From this offset to the current one, each byte stands for itself: no escapes, all ASCII. */
	#plain = 0;
	#found: Anchor | undefined;

	constructor(phrases: PhraseTable) {
		const all = Array.from(phrases.phrases(), ({ letters, meaning }): LettersOfPhrase => {
			const numbers = new Uint8Array(letters.length);
			// An index, not an iterator, which takes several times as long.
			for (let at = 0; at < numbers.length; at++) numbers[at] = letterOf(letters.charCodeAt(at));
			return { letters: numbers, opening: meaning.opening };
		});
		// Short ones first: a longer phrase often contains a shorter one and shares its anchor.
		for (const each of all.sort((a, b) => a.letters.length - b.letters.length)) this.#add(each);
		const log = Math.min(23, Math.max(16, Math.ceil(Math.log2(this.#anchors.size * 64))));
		const ends = new Uint8Array(1 << log);
		const bytes = BYTES.slice();
		this.#window = { ends, shift: 32 - log, bytes, last: 0 };
		for (const last of this.#anchors.keys()) ends[Math.imul(last, HASH_MULTIPLIER) >>> this.#window.shift] = 1;
		for (const last of this.#short.keys()) {
			bytes.forEach((byte, at) => {
				if ((byte & IS_LETTER) !== 0 && (byte & LETTER) === (last & LETTER)) bytes[at] = byte | STOP;
			});
		}
	}

	/** Ranges that together hold everything the text repeats, in ascending order. They can overlap. */
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
		if (length < ANCHOR_LENGTH) {
			this.#addAnchor(this.#short, numberOf(letters, length - Math.min(length, 2), length), {
				before: length === 3 ? (letters[0] ?? 0) : 0,
				mask: length === 3 ? 0xff : 0,
				...{ back: length, ahead: 0 },
			});
			return;
		}
		// Other names can stand behind the first word, so an anchor must not cross that point.
		const [from, to] = length - opening >= ANCHOR_LENGTH ? [opening, length] : [0, opening];
		const more = opening > 0 ? MAX_BETWEEN : 0;
		let best = from + ANCHOR_LENGTH;
		let rarest = -1;
		for (let end = from + ANCHOR_LENGTH; end <= to; end++) {
			const start = Math.max(from, end - 2 * ANCHOR_LENGTH);
			const last = numberOf(letters, end - ANCHOR_LENGTH, end);
			const before = numberOf(letters, start, end - ANCHOR_LENGTH);
			const most = maskFor(end - ANCHOR_LENGTH - start);
			const known = this.#anchors
				.get(last)
				?.find(({ before: other, mask }) => (mask & ~most) === 0 && ((before ^ other) & mask) === 0);
			if (known !== undefined) {
				known.back = Math.max(known.back, end + more);
				known.ahead = Math.max(known.ahead, length - end + more);
				return;
			}
			const rarity = rarityOf(letters, end - ANCHOR_LENGTH, end) + rarityOf(letters, start, end - ANCHOR_LENGTH) / 4;
			if (rarity > rarest) [best, rarest] = [end, rarity];
		}
		const count = Math.min(ANCHOR_LENGTH, best - ANCHOR_LENGTH - from);
		this.#addAnchor(this.#anchors, numberOf(letters, best - ANCHOR_LENGTH, best), {
			before: numberOf(letters, best - ANCHOR_LENGTH - count, best - ANCHOR_LENGTH),
			mask: maskFor(count),
			...{ back: best + more, ahead: length - best + more },
		});
	}

	#addAnchor(anchors: Map<number, Anchor[]>, last: number, anchor: Anchor): void {
		const known = anchors.get(last);
		if (known === undefined) anchors.set(last, [anchor]);
		else known.push(anchor);
	}

	/** The last byte of the next anchor from an offset on, or -1. */
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

	/** Whether an anchor can end with the last letters. The hash alone stops at many places where none does. */
	#isCandidate(): boolean {
		const { ends, shift, last } = this.#window;
		if (ends[Math.imul(last, HASH_MULTIPLIER) >>> shift] === 1 && this.#anchors.has(last)) return true;
		return this.#short.size > 0 && (this.#short.has(last & 0xffff) || this.#short.has(last & LETTER));
	}

	/** Whether the letters up to an offset are an anchor. */
	#isAnchor(bytes: Buffer, end: number): boolean {
		let [last, before] = [0, 0];
		for (let at = end, count = 0; at >= this.#plain; at--) {
			const letter = (BYTES[bytes[at] ?? 0] ?? 0) & LETTER;
			if (letter !== 0) {
				if (count < ANCHOR_LENGTH) last |= letter << (8 * count);
				else before |= letter << (8 * (count - ANCHOR_LENGTH));
				count++;
			}
			if (count === 2 * ANCHOR_LENGTH || at === 0) return this.#find(last, before);
		}
		return this.#isAnchorRead(bytes, end, 'blanks') || this.#isAnchorRead(bytes, end, 'letters');
	}

	#isAnchorRead(bytes: Buffer, end: number, escapesAs: EscapesAs): boolean {
		let [last, before] = [0, 0];
		for (let at = startBefore(bytes, end, 2 * ANCHOR_LENGTH); at <= end; ) {
			const character = characterAt(bytes, at, escapesAs);
			at = character.end;
			for (const unit of character.units) {
				before = (before << 8) | (last >>> 24);
				last = (last << 8) | letterOf(unit);
				// The last character can fold to several letters, of which only the first belong to the anchor.
				if (at > end && this.#find(last, before)) return true;
			}
		}
		return this.#find(last, before);
	}

	/** @param known mask of the bits in `before` that are known */
	#find(last: number, before: number, known = -1): boolean {
		const isIt = (anchor: Anchor) => ((before ^ anchor.before) & anchor.mask & known) === 0;
		const isShort = (anchor: Anchor) => (((last >>> 16) ^ anchor.before) & anchor.mask) === 0;
		this.#found =
			this.#anchors.get(last)?.find(isIt) ??
			this.#short.get(last & 0xffff)?.find(isShort) ??
			this.#short.get(last & 0xff)?.find(isShort);
		return this.#found !== undefined;
	}

	/**
	 * Whether an anchor crosses an escape such as `\n`. It can be white space, or the first letter of a word as in `C:\new`.
	 */
	#isBehind(bytes: Buffer, from: number): boolean {
		const { ends, shift } = this.#window;
		let { last } = this.#window;
		let [before, known] = [0, 0];
		let left = 2 * ANCHOR_LENGTH - 1;
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
				if (ends[Math.imul(last, HASH_MULTIPLIER) >>> shift] === 1 && this.#find(last, before, known)) return true;
			}
		}
		return false;
	}
}

/** The last four letters read, and the tables that say where to stop. */
interface Window {
	/** 1 for the hash of any four letters that end an anchor. */
	readonly ends: Uint8Array;
	readonly shift: number;
	/** `BYTES`, with a stop at each letter that ends a short phrase. */
	readonly bytes: Int32Array;
	last: number;
}

/** The next offset where an anchor can end, or where an escape or a non-ASCII letter starts; or the length. */
function skip(window: Window, text: Buffer, from: number): number {
	const { length } = text;
	const { ends, shift, bytes } = window;
	let { last } = window;
	let at = from;
	for (; at < length; at++) {
		const byte = bytes[text[at] as number] as number;
		// Literals of `SHIFT_AT`, `LETTER`, `HASH_MULTIPLIER`, `STOP_AT` and `TOKEN_START`: the bundle makes them variables, which are
		// slower.
		last = (last << (byte >>> 8)) | (byte & 0xff);
		if (((ends[Math.imul(last, 0x2c1b3c6d) >>> shift] as number) | (byte >>> 16)) === 0) continue;
		if (byte === 0) continue; // Otherwise it would stop at every blank behind an anchor.
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
	// Quoted-printable, such as `=C3=BC`. Most equals signs are not.
	if (byte === EQUALS) return bytes[at + 3] === EQUALS;
	if (byte !== LESS_THAN && byte !== AMPERSAND) return true;
	const close = byte === LESS_THAN ? GREATER_THAN : SEMICOLON;
	for (let end = at + 2; end < at + MAX_CLOSED_TOKEN; end++) if (bytes[end] === close) return true;
	return false;
}

/** The folded letters of the character at an offset, which can be an escape, and its end. */
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

/** In 7 bits, so several non-ASCII letters share a number. */
function letterOf(unit: number): number {
	return unit < 0x80 ? unit : 0x80 | ((unit ^ (unit >>> 7)) & 0x7f);
}

/** The mask for the last `count` letters of a packed number. */
function maskFor(count: number): number {
	return count >= ANCHOR_LENGTH ? -1 : (1 << (8 * count)) - 1;
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
 * How many letters a byte counts at least. The first byte of a non-ASCII character counts half. Separators count a little, so
 * that a stretch stays short.
 */
function weightOf(byte: number): number {
	if (byte >= 0xc0) return 0.5;
	return ((BYTES[byte] ?? 0) & IS_LETTER) === 0 ? 1 / 16 : 1;
}

/** A space, or a line break. */
function isBreak(byte: number): boolean {
	return byte <= 0x20;
}
