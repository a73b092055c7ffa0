import * as z from 'zod/mini';

export const SINGLE_QUOTES = 'put a backslash in single quotes, or double it';

export const OWN_HOME = 'a path may use ~ only as ~/, your own home folder';

export const path = z.string('a path must be text in quotes').check(
	z.minLength(1, 'the path is empty'),
	z.refine((text) => !text.includes('\0'), 'a path cannot have a NUL character'),
	z.refine((text) => !/\p{Cc}/u.test(text), `a path cannot have a control character; ${SINGLE_QUOTES}`),
	z.refine((text) => !/^~[^/\\]/.test(text), OWN_HOME),
	z.refine(
		(text) => text.includes('\0') || (meantBy(text) === text && !VARIABLE.test(text)),
		'write the path as it is, with nothing around it, no variable and no file:// (~/ is your home folder; in double quotes, write \\ twice)',
	),
);

/**
 * The intended path if it was written with blanks or quotes around it, `file://`, a variable, or backslashes in double
 * quotes.
 */
export function meantBy(path: string): string {
	return JSON.stringify(path.replace(BLANKS_AND_QUOTES, ''))
		.slice(1, -1)
		.replace(/\\(["\\])/g, '$1')
		.replace(/^file:\/\//i, '')
		.replace(/^(?:\$HOME|\$\{HOME\}|%USERPROFILE%|\$env:USERPROFILE)(?=[/\\])/i, '~');
}

/** As Windows writes them, at the beginning: other folders than the home folder have them. */
const VARIABLE = /^(?:%\w+%|\$env:\w+)[/\\]/i;

const BLANKS_AND_QUOTES = /^[\s"'“”„‘’]+|[\s"'“”„‘’]+$/g;

/** In seconds. At most a day, because timers cannot hold much more. */
export const seconds = z
	.number('a time limit must be a number of seconds')
	.check(
		z.minimum(1, 'a time limit must be at least 1 second'),
		z.maximum(86_400, 'a time limit must be at most 86400 seconds, a day'),
	);

export const toolName = z
	.string('the name of a tool must be text in quotes')
	.check(z.minLength(1, 'the name of a tool is empty'));

export const wholeToolName = toolName.check(
	z.refine((name) => !name.includes('*'), 'write whole names here, without a *'),
);

/** With a `*` at its end, the beginning of names. */
export const toolPattern = toolName.check(z.refine((name) => !/\*./s.test(name), 'a * may stand only at the end'));

export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
