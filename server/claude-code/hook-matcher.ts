/** What only names tools, in 2.1.126 or in 2.1.332. Anything else is a regular expression. */
const NAMES = /^[\w|, -]+$/;
const OLD_NAMES = /^\w[\w|]*$/;

/**
 * Whether a hook's matcher covers one of the given names, as one version of Claude Code or another reads it (measured on
 * 2.1.126 and 2.1.332): none, `*`, names with `|` or commas between them, or a regular expression without anchors.
 */
export function covers(matcher: unknown, names: readonly string[]): boolean {
	if (typeof matcher !== 'string' || matcher === '' || matcher === '*') return true;
	const listed = matcher.split(/[|,]/).map((name) => name.trim());
	if (NAMES.test(matcher) && names.some((name) => listed.includes(name))) return true;
	if (OLD_NAMES.test(matcher)) return false;
	try {
		const pattern = new RegExp(matcher);
		return names.some((name) => pattern.test(name));
	} catch {
		return false; // Claude Code does not run such a hook.
	}
}
