import type { Quote } from './assignments.ts';

/** Characters that mean nothing to a shell or to dotenv; `=` only at the end, since zsh expands `=name`. */
const PLAIN = /^(?:[A-Za-z0-9_./:@%+,-]+=*)?$/;

/**
 * A value as it is written into an env file, on one line: in the way of the old value where that fits, else without
 * quotes, in single quotes, or in double quotes, whichever comes first that a shell and dotenv both read as the value.
 *
 * Two kinds of values they do not both read. With line breaks: in a shell, `"\n"` is a backslash and an `n`. With a
 * single quote beside one of `` "\$` ``: dotenv leaves the backslash of the escape. `parseEnvFile` reads all.
 *
 * @param old how the value before was written; never in backticks again, which make a shell run what is in them
 */
export function quoteValue(value: string, old: Quote): string {
	if (/[\r\n]/.test(value)) return inDoubleQuotes(value);
	if (old === 'double' && !/["\\$`]/.test(value)) return `"${value}"`;
	const isQuoted = old === 'single' || old === 'double';
	if (!isQuoted && PLAIN.test(value)) return value;
	return value.includes("'") ? inDoubleQuotes(value) : `'${value}'`;
}

function inDoubleQuotes(value: string): string {
	const escaped = value
		.replace(/["\\$`]/g, '\\$&')
		.replaceAll('\n', '\\n')
		.replaceAll('\r', '\\r');
	return `"${escaped}"`;
}
