import { MAX_PATH_LENGTH, type Pattern } from './pattern.ts';

/** A character class (up to 200 characters), any number of `*`, a literal character, or `?`. */
const TOKEN = /\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]\\]){0,200}?\]|\*+|\\?./gsu;

/**
 * Whether a pattern without `/` and `{…}` matches a name. Both are folded.
 *
 * @param coversHidden whether a leading wildcard matches a dot; in a shell it does not
 */
export function matchesName(pattern: Pattern, name: string, coversHidden: boolean): boolean {
	if (!/[\\*?[]/.test(pattern)) return pattern === name;
	const tokens = pattern.match(TOKEN) ?? [];
	if (!coversHidden && name.startsWith('.') && isWild(tokens[0] ?? '')) return false;
	if (tokens.filter((token) => !token.startsWith('*')).length > name.length) return false;
	// The text between two `*` is fixed at its first match (atomic groups): only the last one needs backtracking.
	const [start = '', ...others] = tokens.map(sourceOf).join('').split('\n*');
	const last = others.pop();
	const between = others.map((source, at) => `(?=(?<a${at}>.*?${source}))\\k<a${at}>`).join('');
	return new RegExp(`^${start}${last === undefined ? '' : `${between}.*${last}`}$`, 'su').test(name);
}

function isWild(token: string): boolean {
	return /^(?:[*?]|\[.)/s.test(token);
}

/** The token as a regular expression; `\n*` stands for any number of characters. */
function sourceOf(token: string): string {
	if (token.startsWith('*')) return '\n*';
	if (token === '?') return '.';
	const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replaceAll('\n', '\\n');
	if (!isWild(token)) return escaped(token.replace(/^\\(?=.)/s, ''));
	const [, not = '', members = ''] = /^\[([!^]?)(.*)\]$/s.exec(token) ?? [];
	const source = `[${not && '^'}${escaped(members.replace(/\\(.)/gs, '$1'))}]`;
	try {
		// Which characters `[:alpha:]` contains depends on the locale, which is not known here.
		return /\[:\w+:\]/.test(members) ? '.' : new RegExp(source, 'u').source;
	} catch {
		return '.';
	}
}

const MAX_ALTERNATIVES = 64;

/** An innermost group: one that contains no other. */
const GROUP = /(?<!\\)\{(?=[^{}]*(?:,|\.\.))((?:\\.|[^\\{}])*)\}/s;

/** All alternatives of `{a,b}`. Sequences (`{1..9}`) and too many alternatives become `*`. */
export function expandBraces(pattern: Pattern): Pattern[] {
	if (!pattern.includes('{')) return [pattern];
	const done: Pattern[] = [];
	const left = [pattern];
	for (let next = left.pop(); next !== undefined; next = left.pop()) {
		const group = next.length > MAX_PATH_LENGTH ? null : GROUP.exec(next);
		if (group === null) done.push(next);
		else if (done.length + left.length > MAX_ALTERNATIVES) return [pattern.replace(/\{.*\}/s, '*')];
		else {
			const [whole, inner = ''] = group;
			const end = next.slice(group.index + whole.length);
			for (const each of inner.includes(',') ? inner.split(',') : ['*'])
				left.push(next.slice(0, group.index) + each + end);
		}
	}
	return [...new Set(done)];
}
