/** Keeps a byte-order mark: dropping it would let a second cleaning drop the next one. */
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });

/** A control string's content. Without ESC, at which terminals stop too; so each string is read only once. */
const CONTENT = String.raw`[^\x00-\x08\n-\x1f\x9c]*`;

/**
 * Escape sequences of ECMA-48, sections 5.3 to 5.6, longest alternative first. Node's `stripVTControlCharacters` keeps the text
 * of a window title that has blanks.
 */
const SEQUENCES = new RegExp(
	[
		// OSC, DCS, SOS, PM, APC, up to BEL or ST on the same line.
		String.raw`\x1b[\]PX^_]${CONTENT}(?:\x07|\x1b\\|\x9c)`,
		// Cut off by the text's end: only titles, links, sixel and kitty pictures. Behind any other unfinished string, the
		// content is ordinary output.
		String.raw`\x1b(?:\]\d+(?:;${CONTENT})?|P[\d;]*(?:q${CONTENT})?|_G${CONTENT})\x1b?$`,
		// CSI: colours, movements, erasing. The final character may be missing.
		String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?`,
		// All others, such as `ESC ( B` and `ESC 7`, and a lone ESC.
		String.raw`\x1b[ -/]?[0-~]?`,
	].join('|'),
	'g',
);

const NUL = 0;
const BACKSPACE = 8;
const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const REPLACEMENT = 0xfffd;

/** A text is binary if it exceeds both: this number of replacement characters, and this share of them. */
const BINARY_COUNT = 1_000;
const BINARY_SHARE = 0.3;

/**
 * A program's output as a person would have seen it on a terminal. Takes linear time.
 *
 * Keeps no control characters except line feeds and tabs: removes escape sequences, applies `\r` and backspace, turns NUL and
 * invalid UTF-8 into U+FFFD, and drops the rest. Binary data becomes a note of its size.
 */
export function cleanText(bytes: Uint8Array): string {
	const decoded = DECODER.decode(bytes);
	const text = applyControls(decoded.replace(SEQUENCES, ''));
	// Both are checked: overwritten lines can hide binary data, and dropped characters can dilute it.
	if (!isBinary(decoded) && !isBinary(text)) return text;
	return `[binary output, ${bytes.length.toLocaleString('en')} bytes]`;
}

function applyControls(text: string): string {
	const shown = new Uint16Array(text.length);
	let length = 0;
	/** Offsets in `shown`: the line's start, and the start of the text behind its last carriage return. */
	let line = 0;
	let part = 0;

	/** Replaces the line so far by that text, unless it is empty. */
	function endPart(): void {
		if (line < part && part < length) {
			shown.copyWithin(line, part, length);
			length -= part - line;
		}
		part = length;
	}

	for (let index = 0; index < text.length; index++) {
		const code = text.charCodeAt(index);
		switch (code) {
			case NUL:
				shown[length++] = REPLACEMENT;
				break;
			case BACKSPACE:
				if (length > part) length -= isLowSurrogate(shown[length - 1] ?? 0) ? 2 : 1;
				break;
			case LINE_FEED:
				endPart();
				shown[length++] = code;
				line = length;
				part = length;
				break;
			case CARRIAGE_RETURN:
				endPart();
				break;
			default:
				if (!isControl(code) || code === TAB) shown[length++] = code;
		}
	}
	endPart();
	return Buffer.from(shown.buffer, 0, 2 * length).toString('utf16le');
}

function isControl(code: number): boolean {
	return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

function isLowSurrogate(code: number): boolean {
	return (code & 0xfc00) === 0xdc00;
}

function isBinary(text: string): boolean {
	let all = 0;
	let replaced = 0;
	for (let index = 0; index < text.length; index++) {
		const code = text.charCodeAt(index);
		if (!isLowSurrogate(code)) all++;
		if (code === NUL || code === REPLACEMENT) replaced++;
	}
	return replaced > BINARY_COUNT && replaced > BINARY_SHARE * all;
}
