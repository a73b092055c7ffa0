import { findAssignments } from './assignments.ts';

/**
 * The variables of an env file, in order; of a name that stands twice the last one counts, as in a shell.
 *
 * - `NAME=value`, `NAME = value` and `export NAME=value`, indented or not; names are `[A-Za-z_][A-Za-z0-9_]*`. Any other
 *   line is passed over. Lines end in LF, CRLF or CR.
 * - Without quotes: up to a `#` that follows white space, trimmed.
 * - In single quotes or backticks: literally. In double quotes: with the escapes `\n`, `\r`, `\t`, `\"`, `\\`, `\$` and
 *   `` \` ``. All three may span lines, whose endings stay as they are; only a comment may follow.
 * - A quote that is not closed takes the rest of its line, as it stands, with the quote.
 * - Nothing is expanded or run: `$NAME`, `~` and `$(…)` are what they look like.
 *
 * Never throws.
 */
export function parseEnvFile(text: string): ReadonlyMap<string, string> {
	return new Map(findAssignments(text).map(({ name, value }) => [name, value]));
}
