import { type FoldedCodePoint, foldCodePoint, KIND } from './code-points.ts';
import type { PhraseTable } from './phrases.ts';
import { tokenAt } from './tokens.ts';

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
	/** The hashes of how phrases start, and some bits of each to tell faster. */
	readonly hashes: ReadonlySet<number>;
	readonly bits: Uint8Array;
	readonly shift: number;
}

const ASCII_KINDS = Uint8Array.from({ length: 128 }, (_, code) => foldCodePoint(code).kind);

const folded = new Map<number, FoldedCodePoint>();

/**
 * Tells fast that a text repeats nothing of a file: wherever a word of it starts, no phrase starts with the same letters.
 * For long texts of which most hold nothing.
 */
export class Prefilter {
	readonly #windows: readonly Window[];

	constructor(phrases: PhraseTable) {
		const hashes = new Map(WINDOWS.map((size) => [size, new Set<number>()]));
		phrases.each((stream, start, length) => {
			const size = WINDOWS.find((window) => window <= length) ?? 1;
			let hash = 0;
			for (let at = start; at < start + size; at++) hash = (Math.imul(hash, BASE) + (stream[at] ?? 0) + 1) | 0;
			hashes.get(size)?.add(hash);
		});
		this.#windows = [...hashes].filter(([, { size }]) => size > 0).map(([size, starts]) => windowOf(size, starts));
	}

	/** Whether a text may repeat something. `false` is certain. */
	mayFind(text: string): boolean {
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
		for (let at = 0; at < length; at++) {
			let code = text.charCodeAt(at);
			if (code < 0x80 && code !== 0x26 && code !== 0x3c) {
				const kind = ASCII_KINDS[code] as number;
				if (kind === KIND.separator) {
					isParted = true;
					continue;
				}
				before[count & (RING - 1)] = hash;
				hash = (Math.imul(hash, BASE) + (kind === KIND.upper ? code + 33 : code + 1)) | 0;
				count = (count + 1) | 0;
				starts =
					(starts << 1) | (isParted || last === KIND.word || (kind === KIND.upper && last === KIND.lower) ? 1 : 0);
				if ((starts & sizes) !== 0 && this.#startsPhrase(before, count, hash, starts)) return true;
				isParted = false;
				last = kind;
				continue;
			}
			const token = code === 0x26 || code === 0x3c ? tokenAt(text, at) : undefined;
			if (token !== undefined) {
				code = token.code;
				at = token.end - 1;
			} else if (code >= 0xd800 && code <= 0xdbff) {
				code = text.codePointAt(at) ?? code;
				if (code > 0xffff) at++;
			}
			const { kind, units } = folded.get(code) ?? remember(code);
			if (kind === KIND.separator) isParted = true;
			for (let index = 0; index < units.length; index++) {
				before[count & (RING - 1)] = hash;
				hash = (Math.imul(hash, BASE) + (units[index] as number) + 1) | 0;
				count = (count + 1) | 0;
				starts = (starts << 1) | (index === 0 ? 1 : 0);
				if ((starts & sizes) !== 0 && this.#startsPhrase(before, count, hash, starts)) return true;
			}
			if (units.length === 0) continue;
			isParted = false;
			// Whether a word starts behind it is left open.
			last = KIND.word;
		}
		return false;
	}

	#startsPhrase(before: Int32Array, count: number, hash: number, starts: number): boolean {
		for (const { size, power, hashes, bits, shift } of this.#windows) {
			if ((starts & (1 << (size - 1))) === 0) continue;
			const own = (hash - Math.imul(before[(count - size) & (RING - 1)] as number, power)) | 0;
			const bit = spread(own) >>> shift;
			if (((bits[bit >>> 3] as number) & (1 << (bit & 7))) !== 0 && hashes.has(own)) return true;
		}
		return false;
	}
}

function windowOf(size: number, hashes: ReadonlySet<number>): Window {
	const log = Math.min(24, Math.max(10, Math.ceil(Math.log2(hashes.size * BITS_EACH))));
	const bits = new Uint8Array(1 << (log - 3));
	const shift = 32 - log;
	for (const hash of hashes) {
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

function remember(code: number): FoldedCodePoint {
	const codePoint = foldCodePoint(code);
	if (folded.size < 10_000) folded.set(code, codePoint);
	return codePoint;
}
