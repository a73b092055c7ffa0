import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorCode } from '../../../../server/errors.ts';
import { type Kind, type Place, uniqueText } from './file.ts';

/** In UTF-16 code units, as the README says. */
const LIMIT = 500_000;

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** Files of odd encodings and sizes. */
export const CONTENTS: Readonly<Record<string, Kind>> = {
	'UTF-8 of all kinds of characters': (place) => {
		const pieces = ['a', 'é', '\u20ac', '\u{1f600}', '\ufeff', '\ufffd', '\r\n', '\r', '\u001b', '\u2028', '\u0085'];
		const text = `# ${uniqueText(place.random)}${place.random.text(2_000, pieces)}`;
		return withText(place, Buffer.from(text), text);
	},
	'an empty file': (place) => withText(place, Buffer.alloc(0), ''),
	'a byte-order mark': (place) => {
		const text = uniqueText(place.random);
		return withText(place, Buffer.concat([BOM, Buffer.from(text)]), text);
	},
	'two byte-order marks': (place) => {
		const text = uniqueText(place.random);
		return withText(place, Buffer.concat([BOM, BOM, Buffer.from(text)]), `\ufeff${text}`);
	},
	'UTF-16': (place) => {
		const bytes = Buffer.from(`${place.random.pick(['\ufeff', ''])}${uniqueText(place.random)}`, 'utf16le');
		return withCode(place, place.random.chance(0.5) ? bytes : bytes.swap16(), 'not_text');
	},
	'Latin-1': (place) => withCode(place, Buffer.from(`é ${uniqueText(place.random)}`, 'latin1'), 'not_text'),
	'a NUL': (place) => withCode(place, spoilt(place, [0]), 'not_text'),
	'no UTF-8': (place) => {
		const damage = [[0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xff], [0x80], [0xe2, 0x28, 0xa1]];
		return withCode(place, spoilt(place, place.random.pick(damage)), 'not_text');
	},
	'a character cut off at the end': (place) => {
		const bytes = Buffer.from(`${uniqueText(place.random)}\u20ac`);
		return withCode(place, bytes.subarray(0, bytes.length - 1), 'not_text');
	},
	'a size around the limit': (place) => {
		const character = place.random.pick(['a', 'é', '\u20ac', '\u{1f600}']);
		const head = uniqueText(place.random);
		const size = LIMIT + place.random.pick([-2, -1, 0, 1, 2, 1_000]);
		const whole = Math.floor((size - head.length) / character.length);
		const text = `${head}${character.repeat(whole)}${'b'.repeat((size - head.length) % character.length)}`;
		const bytes = place.random.chance(0.5) ? Buffer.from(text) : Buffer.concat([BOM, Buffer.from(text)]);
		return size > LIMIT ? withCode(place, bytes, 'too_large') : withText(place, bytes, text);
	},
	'far too many bytes': (place) => {
		const file = withCode(place, Buffer.from(uniqueText(place.random)), 'too_large');
		// Sparse, but for its start.
		truncateSync(file.path, place.random.pick([3 * LIMIT + 4, 20_000_000, 10_000_000_000]));
		return file;
	},
};

function spoilt({ random }: Place, damage: readonly number[]): Buffer {
	const text = Buffer.from(uniqueText(random));
	const at = random.below(text.length + 1);
	return Buffer.concat([text.subarray(0, at), Buffer.from(damage), text.subarray(at)]);
}

function withText({ folder }: Place, bytes: Buffer, text: string) {
	return { path: written(folder, bytes), may: { texts: [text] } };
}

function withCode({ folder }: Place, bytes: Buffer, code: ErrorCode) {
	return { path: written(folder, bytes), may: { codes: [code] } };
}

function written(folder: string, bytes: Buffer): string {
	const path = join(folder, 'x.md');
	writeFileSync(path, bytes);
	return path;
}
