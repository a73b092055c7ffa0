/**
 * A command without the `bash -c "…"` that a model wrote around the whole of it, for a caller that runs what comes back
 * with `bash -c`, and the same `bash`, anyway. The shell between makes itself felt only in `$SHLVL`, `$PPID` and `$_`.
 *
 * - The wrapper is the bare word `bash`, the word `-c` and one more word, with nothing else around but blanks and line
 *   ends. A second layer of it, other options or another shell make the whole stay.
 * - The word is read as bash reads it: `'…'`, `"…"`, `\c` and plain characters, in any order. Where bash would expand
 *   something in it, or may, the whole stays.
 * - What comes back is, to the character, what the inner bash would have been given: also where it is no whole program.
 *
 * @returns `command` itself wherever that is not certain to be the same. Never throws.
 */
export function unwrapCommand(command: string): string {
	const wrapper = WRAPPER.exec(command)?.[0];
	if (wrapper === undefined || UNCERTAIN.test(command)) return command;
	const inner = evaluateOnlyWord(command, wrapper.length);
	return inner === undefined || STAYS_WRAPPED.test(inner) ? command : inner;
}

const WRAPPER = /^[ \t\n]*bash[ \t]+-c[ \t]+/;

/**
 * What does not reach bash as it is, or not on every platform: control characters, and halves of surrogate pairs, which
 * are replaced on the way to bash where no other half follows.
 */
const UNCERTAIN = /(?![\t\n])[\p{Control}\p{Surrogate}]/u;

/** Nothing at all; what bash takes for an option of its own (`bash -c '-x'` has no command); a second layer. */
const STAYS_WRAPPED = /^(?:[ \t\n]*$|[-+]|[ \t\n]*bash[ \t]+-[A-Za-z]*c)/;

const BLANK = /[ \t\n]+/y;

/** What bash gives no meaning to wherever in a word it stands. */
const PLAIN = /[A-Za-z0-9_./,:@%+-]+/y;

/** Between double quotes a `$` or a backtick that stands for itself is `\$` or `` \` ``. */
const PLAIN_IN_DOUBLE_QUOTES = /[^"\\$`]+/y;

/** What loses its `\` between double quotes; before all else the `\` stays. */
const ESCAPED_IN_DOUBLE_QUOTES = /[$`"\\\n]/;

/** What a `\` and the character behind it give, where that is an escape. */
function escaped(character: string): string {
	return character === '\n' ? '' : character;
}

/**
 * The value of the one word that stands in `text` from `start`.
 *
 * @returns undefined where there is more than that, or something that bash expands
 */
function evaluateOnlyWord(text: string, start: number): string | undefined {
	let value = '';
	let at = start;
	while (at < text.length) {
		const plain = takeAt(PLAIN, text, at);
		if (plain !== '') {
			value += plain;
			at += plain.length;
		} else if (text[at] === "'") {
			const end = text.indexOf("'", at + 1);
			if (end < 0) return undefined;
			value += text.slice(at + 1, end);
			at = end + 1;
		} else if (text[at] === '"') {
			const quoted = evaluateDoubleQuotes(text, at + 1);
			if (quoted === undefined) return undefined;
			value += quoted.value;
			at = quoted.end;
		} else if (text[at] === '\\') {
			const next = text.codePointAt(at + 1);
			if (next === undefined) return undefined;
			const character = String.fromCodePoint(next);
			value += escaped(character);
			at += 1 + character.length;
		} else {
			const blank = takeAt(BLANK, text, at);
			return at + blank.length === text.length ? value : undefined;
		}
	}
	return value;
}

/**
 * @param start behind the opening quote
 * @returns what stands up to the closing one, and the place behind that; undefined without one, or where bash expands
 */
function evaluateDoubleQuotes(text: string, start: number): { value: string; end: number } | undefined {
	let value = '';
	let at = start;
	while (at < text.length) {
		const plain = takeAt(PLAIN_IN_DOUBLE_QUOTES, text, at);
		value += plain;
		at += plain.length;
		if (text[at] === '"') return { value, end: at + 1 };
		if (text[at] !== '\\') return undefined;
		const next = text.charAt(at + 1);
		value += ESCAPED_IN_DOUBLE_QUOTES.test(next) ? escaped(next) : `\\${next}`;
		at += 2;
	}
	return undefined;
}

/** @param sticky a regular expression with the flag `y` */
function takeAt(sticky: RegExp, text: string, at: number): string {
	sticky.lastIndex = at;
	return sticky.exec(text)?.[0] ?? '';
}
