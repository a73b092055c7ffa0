export interface Token {
	readonly end: number;
	/** A code point, or `REFERENCE`. */
	readonly code: number;
}

const BLANK = 0x20;

/** Code of a reference such as `[context:L12]` in the answer. No passage crosses it. */
export const REFERENCE = -1;

const CHARACTER_REFERENCE = /&(?:#(?:(\d{1,7})|[xX]([\da-fA-F]{1,6}))|([A-Za-z]{2,8}));/y;

/** A letter and its accent, or two letters. Accents are folded away, but an umlaut may count as two letters. */
const NAMED_LETTER =
	/^([a-z])(uml|acute|grave|circ|tilde|cedil|caron|ring|slash|strok|ogon|dot|breve|macr|dblac)$|^(ae|oe|sz)lig$/i;

const NAMED_SEPARATOR =
	/^(?:nbsp|amp|lt|gt|quot|apos|[nm]dash|[lr][sd]quo|[lr]aquo|middot|bull|hellip|commat|period|lowbar|hyphen|sol|colon|comma|tab|newline|e[nm]sp|thinsp|lpar|rpar|plus)$/i;

const LIGATURES: Readonly<Record<string, string>> = { ae: 'æ', oe: 'œ', sz: 'ß' };

/** Tags without attributes only: other angle brackets can hold text, such as an e-mail address. */
const FORMATTING_TAG = /<\/?(?:b|br|code|del|em|i|ins|kbd|li|p|s|small|span|strong|sub|sup|td|th|tr|u|wbr) ?\/?>/iy;

const CONTEXT_REFERENCE = /\[context:L\d{1,9}\]/y;

/** A colour sequence, raw or as JSON and shells write it. */
const COLOUR = /(?:\p{Cc}|\\{1,16}(?:u001b|x1b|033|e))\[[\d;?]{0,20}[A-Za-z]/iuy;

/** Escapes in JSON, in JSON within JSON, and in patterns. Bounded, because a long run would take quadratic time. */
const ESCAPE = /\\{1,16}(?:u([\da-fA-F]{4})|[ux]\{([\da-fA-F]{1,6})\}|x([\da-fA-F]{2})|[bfnrt]|s[+*?]?)/y;

/** An escape that can also be a backslash and the start of a word, as in `C:\new`. */
const UNCLEAR_ESCAPE = /\\[bfnrst](?=[a-z])/g;

/** One UTF-8 character, percent-encoded (also twice) or quoted-printable. */
const ENCODED =
	/[%=](?:25)*(?:[0-7][\da-f]|(?:[cd][\da-f]|(?:e[\da-f]|f[0-4][%=](?:25)*[89ab][\da-f])[%=](?:25)*[89ab][\da-f])[%=](?:25)*[89ab][\da-f])/iy;

/** Country calling codes of telephone numbers, behind a `+`. */
export const CALLING_CODE = /(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|[2-9]\d\d)(?=\d)/y;

/** The text that replaces a passage. @param line counted from 1 */
export function referenceTo(line: number): string {
	return `[context:L${line}]`;
}

/** How one-letter escapes are read: `\\n` as white space, or as a backslash and a letter. */
export type EscapesAs = 'blanks' | 'letters';

/** A text or a part of it, and how its escapes are read. */
export interface Reading {
	readonly text: string;
	readonly at: number;
	readonly escapesAs: EscapesAs;
}

/** In characters. Around an unclear escape, this much text is read both ways. */
const UNCLEAR_MARGIN = 100;

/** The whole text, then the parts that have a second reading. */
export function readingsOf(text: string): Reading[] {
	const parts: [start: number, end: number][] = [];
	for (const { index } of text.matchAll(UNCLEAR_ESCAPE)) {
		const before = Math.max(0, index - UNCLEAR_MARGIN);
		// Do not cut words.
		const start = before + Math.max(0, text.slice(before, index).search(before === 0 ? /^/ : /\s|$/));
		const end =
			index +
			text.slice(index, index + UNCLEAR_MARGIN).replace(text.length > index + UNCLEAR_MARGIN ? /\s\S*$/ : /$/, '')
				.length;
		const last = parts.at(-1);
		if (last !== undefined && start <= last[1]) last[1] = Math.max(end, last[1]);
		else parts.push([start, end]);
	}
	const others = parts.map(([at, end]): Reading => ({ text: text.slice(at, end), at, escapesAs: 'letters' }));
	return [{ text, at: 0, escapesAs: 'blanks' }, ...others];
}

/** A text with its escapes decoded, and without tags and colours. */
export function unescaped(text: string): string {
	let plain = '';
	for (let at = 0, end: number; at < text.length; at = end) {
		const token = tokenAt(text, at);
		end = token?.end ?? at + 1;
		if (token === undefined) plain += text[at] === '\\' ? '' : text[at];
		else if (!/<|\[/.test(text.slice(at, end))) plain += String.fromCodePoint(Math.max(0, token.code));
	}
	return plain;
}

/** The escape, formatting tag or reference such as `[context:L12]` at an offset, if there is one. */
export function tokenAt(text: string, at: number, escapesAs: EscapesAs = 'blanks'): Token | undefined {
	switch (text.charCodeAt(at)) {
		case 0x26:
			return characterReference(text, at);
		case 0x3c:
			return matchAt(FORMATTING_TAG, text, at) && { end: FORMATTING_TAG.lastIndex, code: BLANK };
		case 0x5b:
			return matchAt(CONTEXT_REFERENCE, text, at) && { end: CONTEXT_REFERENCE.lastIndex, code: REFERENCE };
		case 0x1b:
			return matchAt(COLOUR, text, at) && { end: COLOUR.lastIndex, code: BLANK };
		case 0x5c:
			return escaped(text, at, escapesAs);
		case 0x25:
			return encoded(text, at);
		case 0x3d:
			return text[at + 3] === '=' ? encoded(text, at) : undefined;
		default:
			return undefined;
	}
}

function characterReference(text: string, at: number): Token | undefined {
	const [, decimal, hexadecimal, name] = matchAt(CHARACTER_REFERENCE, text, at) ?? [];
	const code =
		name === undefined
			? Number.parseInt(decimal ?? hexadecimal ?? '', decimal === undefined ? 16 : 10)
			: codeOfName(name);
	return code <= 0x10ffff ? { end: CHARACTER_REFERENCE.lastIndex, code } : undefined;
}

function codeOfName(name: string): number {
	if (NAMED_SEPARATOR.test(name)) return BLANK;
	const [, letter = '', mark, ligature] = NAMED_LETTER.exec(name) ?? [];
	const named = ligature === undefined ? letter + (mark === 'uml' ? '\u0308' : '') : LIGATURES[ligature.toLowerCase()];
	return named?.normalize('NFC').codePointAt(0) ?? Number.NaN;
}

function escaped(text: string, at: number, escapesAs: EscapesAs = 'blanks'): Token | undefined {
	if (matchAt(COLOUR, text, at)) return { end: COLOUR.lastIndex, code: BLANK };
	const found = matchAt(ESCAPE, text, at);
	if (found === undefined) return undefined;
	const code = found[1] ?? found[2] ?? found[3];
	if (code === undefined) return escapesAs === 'blanks' ? { end: ESCAPE.lastIndex, code: BLANK } : undefined;
	const value = Number.parseInt(code, 16);
	return value <= 0x10ffff ? { end: ESCAPE.lastIndex, code: value } : undefined;
}

function encoded(text: string, at: number): Token | undefined {
	const [found] = matchAt(ENCODED, text, at) ?? [];
	if (found === undefined) return undefined;
	try {
		const character = decodeURIComponent(found.replace(/[%=](?:25)*(?=..)/g, '%'));
		return { end: ENCODED.lastIndex, code: character.codePointAt(0) ?? BLANK };
	} catch {
		return undefined;
	}
}

/** @param pattern sticky */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
	pattern.lastIndex = at;
	return pattern.exec(text) ?? undefined;
}
