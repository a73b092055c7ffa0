import { foldCodePoint, KIND } from './code-points.ts';
import { MAX_BETWEEN, MAX_OPENING, type PhraseTable } from './phrases.ts';
import { type Reading, readingsOf, TOKEN_STARTS, tokenAt } from './tokens.ts';

/** Of a phrase its first units are looked for: as many of these as it has. */
const WINDOWS = [12, 8, 5, 3, 2, 1];

const BASE = 1_664_525;

/** A power of two, and more than the longest window. */
const RING = 16;

/** Bits for the hash of each start, so that nearly none of what is no start is looked up. */
const BITS_EACH = 32;

interface Window {
	readonly size: number;
	/** Of the base. */
	readonly power: number;
	/** The hashes of how phrases start, with {@link STARTS}, and some bits of each to tell faster. */
	readonly hashes: ReadonlyMap<number, number>;
	readonly bits: Uint8Array;
	readonly shift: number;
}

/** What starts so: a phrase, a name that can go on behind other words, or what such a name goes on with. */
const STARTS = { phrase: 1, opening: 2, rest: 4 };

/** In units: the start of the rest of a name ends at most so far behind the start of its opening. */
const REACH = MAX_OPENING + MAX_BETWEEN + (WINDOWS[0] ?? 0);

const PLUS = 0x2b;

/** The rest of a telephone number starts at most so far behind a `+`, in characters. */
const CALLING = 4;

/** No {@link KIND}. */
const TOKEN = 255;

const ASCII_KINDS = Uint8Array.from({ length: 128 }, (_, code) =>
	TOKEN_STARTS.includes(code) ? TOKEN : foldCodePoint(code).kind,
);

/**
 * Tells fast that a text repeats nothing of a file: wherever a word of it starts, no phrase starts with the same letters.
 * For long texts of which most hold nothing.
 */
export class Prefilter {
	readonly #windows: readonly Window[];

	constructor(phrases: PhraseTable) {
		const hashes = new Map(WINDOWS.map((size) => [size, new Map<number, number>()]));
		const add = (stream: Uint16Array, start: number, length: number, what: number) => {
			const size = WINDOWS.find((window) => window <= length) ?? 1;
			let hash = 0;
			for (let at = start; at < start + size; at++) hash = (Math.imul(hash, BASE) + (stream[at] ?? 0) + 1) | 0;
			const starts = hashes.get(size);
			starts?.set(hash, (starts.get(hash) ?? 0) | what);
		};
		phrases.each((stream, start, length, { opening }) => {
			add(stream, start, length, STARTS.phrase);
			if (opening === 0) return;
			add(stream, start, opening, STARTS.opening);
			add(stream, start + opening, length - opening, STARTS.rest);
		});
		this.#windows = [...hashes].filter(([, { size }]) => size > 0).map(([size, starts]) => windowOf(size, starts));
	}

	/** Whether a text may repeat something. `false` is certain. */
	mayFind(text: string): boolean {
		return readingsOf(text).some((reading) => this.#mayFind(reading));
	}

	#mayFind({ text, escapesAs }: Reading): boolean {
		const { length } = text;
		/** By the count of units before, the hash of them all. */
		const before = new Int32Array(RING);
		/** The bit for each window whose first unit starts a word. */
		const sizes = this.#windows.reduce((bits, { size }) => bits | (1 << (size - 1)), 0);
		let count = 0;
		let hash = 0;
		let starts = 0;
		let isParted = true;
		let last: number = KIND.separator;
		let opened = 0;
		let afterPlus = -CALLING;
		for (let at = 0; at < length; at++) {
			let code = text.charCodeAt(at);
			const kind = code < 0x80 ? (ASCII_KINDS[code] as number) : TOKEN;
			if (kind !== TOKEN) {
				if (kind === KIND.separator) {
					if (code === PLUS) afterPlus = at;
					isParted = true;
					continue;
				}
				before[count & (RING - 1)] = hash;
				hash = (Math.imul(hash, BASE) + (kind === KIND.upper ? code + 33 : code + 1)) | 0;
				count = (count + 1) | 0;
				starts =
					(starts << 1) |
					(isParted ||
					last === KIND.word ||
					(kind === KIND.upper && last === KIND.lower) ||
					(kind === KIND.caseless && at - afterPlus <= CALLING)
						? 1
						: 0);
				if ((starts & sizes) !== 0) {
					const found = this.#startsAt(before, count, hash, starts);
					if ((found & (count <= opened ? STARTS.phrase | STARTS.rest : STARTS.phrase)) !== 0) return true;
					if ((found & STARTS.opening) !== 0) opened = count + REACH;
				}
				isParted = false;
				last = kind;
				continue;
			}
			const token = code < 0x80 ? tokenAt(text, at, escapesAs) : undefined;
			if (token !== undefined) {
				code = token.code;
				at = token.end - 1;
				if (code === PLUS) afterPlus = at;
			} else if (code < 0x80) {
				isParted = true;
				continue;
			} else if (code >= 0xd800 && code <= 0xdbff) {
				code = text.codePointAt(at) ?? code;
				if (code > 0xffff) at++;
			}
			const { kind: foldedKind, units } = foldCodePoint(code);
			if (foldedKind === KIND.separator) isParted = true;
			for (let index = 0; index < units.length; index++) {
				before[count & (RING - 1)] = hash;
				hash = (Math.imul(hash, BASE) + (units[index] as number) + 1) | 0;
				count = (count + 1) | 0;
				starts = (starts << 1) | (index === 0 ? 1 : 0);
				if ((starts & sizes) !== 0) {
					const found = this.#startsAt(before, count, hash, starts);
					if ((found & (count <= opened ? STARTS.phrase | STARTS.rest : STARTS.phrase)) !== 0) return true;
					if ((found & STARTS.opening) !== 0) opened = count + REACH;
				}
			}
			if (units.length === 0) continue;
			isParted = false;
			// Whether a word starts behind it is left open.
			last = KIND.word;
		}
		return false;
	}

	/** What starts with the last units: some of {@link STARTS}. */
	#startsAt(before: Int32Array, count: number, hash: number, starts: number): number {
		let found = 0;
		for (const { size, power, hashes, bits, shift } of this.#windows) {
			if ((starts & (1 << (size - 1))) === 0) continue;
			const own = (hash - Math.imul(before[(count - size) & (RING - 1)] as number, power)) | 0;
			const bit = spread(own) >>> shift;
			if (((bits[bit >>> 3] as number) & (1 << (bit & 7))) !== 0) found |= hashes.get(own) ?? 0;
		}
		return found;
	}
}

function windowOf(size: number, hashes: ReadonlyMap<number, number>): Window {
	const log = Math.min(24, Math.max(10, Math.ceil(Math.log2(hashes.size * BITS_EACH))));
	const bits = new Uint8Array(1 << (log - 3));
	const shift = 32 - log;
	for (const hash of hashes.keys()) {
		const bit = spread(hash) >>> shift;
		bits[bit >>> 3] = (bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
	}
	let power = 1;
	for (let times = 0; times < size; times++) power = Math.imul(power, BASE);
	return { size, power, hashes, bits, shift };
}

/** Most significant bits that depend on all. */
function spread(hash: number): number {
	const mixed = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
	return mixed ^ (mixed >>> 15);
}
