import { type Pattern, rawText } from './pattern.ts';
import type { Access } from './touches.ts';

/** A program's recursive read or change of folders. */
export interface RecursiveAccess {
	readonly roots: readonly Pattern[];
	readonly access: Access;
	/** The search expression, which is not a path. */
	readonly sought?: Pattern | undefined;
}

const RECURSIVE = /^-[a-zA-Z]*[rR]|^--(?:dereference-)?recursive$|^--directories=recurse$|^recurse$/;
const ANY = /^/;

/** Programs that read, copy or change folders recursively; the argument that makes them do so; and the kind of access. */
const PROGRAMS: readonly (readonly [RegExp, RegExp, 'search' | 'find' | 'copy' | 'all'])[] = [
	[/^(?:rga?|ag|ack|ug|ugrep|rgrep|git grep)$/, ANY, 'search'],
	[/grep$/, RECURSIVE, 'search'],
	[/^fd(?:find)?$/, /^-[xX]|^--exec/, 'search'],
	[/^(?:find|bfs|gfind)$/, /^-(?:exec|ok|delete|files0)/, 'find'],
	[/^(?:mv|ln|rsync|ditto|git mv)$/, ANY, 'copy'],
	[/^g?s?cp$/, /^-[a-zA-Z]*[rRa]|^--(?:recursive|archive)$/, 'copy'],
	[/tar$/, /^-[a-zA-Z]*[cru]|^[cru](?:[a-zA-Z]*f|[hjJpvz]*$)|^--(?:create|append|update)$/, 'all'],
	[/^7z|^zip$/, /^(?![xelt]$)/, 'all'],
	[/^(?:rm|gzip|diff|shred)$/, RECURSIVE, 'all'],
	[/^git (?:add|stash)$/, ANY, 'all'],
	[/^git clean$/, /^-(?!\w*n)\w*f|^--force$/, 'all'],
	[/^git diff$/, /^--no-index$/, 'all'],
	[/^(?!sed$)/, /^-[a-zA-Z]*R|^--recursive$/, 'all'],
];

/** Options of search and archive programs that take the next argument as their value. */
const WITH_VALUE =
	/^(?:-[^\WABCmefgtdjM]*[ABCmefgtdjM]|--(?:max-depth|max-count|context|(?:after|before)-context|i?glob|type|type-not|regexp|file|include|exclude|exclude-dir|ignore|ignore-dir|directory|sort|threads|replace|encoding|engine))$/;

/** @param isRead whether another program opens the files that this one lists */
export function recursiveAccessOf(
	name: string,
	given: readonly Pattern[],
	isRead: boolean,
): RecursiveAccess | undefined {
	if (name === 'git') {
		const own = given.filter((word, at) => !/^-[Cc]$/.test(word) && !/^-[Cc]$/.test(given[at - 1] ?? ''));
		return recursiveAccessOf(`git ${own[0]}`, own.slice(1), isRead);
	}
	const has = (option: RegExp) => given.some((word) => option.test(word));
	const [, option = ANY, kind] = PROGRAMS.find(([names]) => names.test(name)) ?? [];
	if (kind === undefined || has(/^--(?:help|version|type-list)$/)) return undefined;
	const isRecursive = option === ANY || has(option) || (isRead && /^(?:find|bfs|gfind|fd|fdfind)$/.test(name));
	if (!isRecursive && kind !== 'search') return undefined;
	if (kind === 'find') return find(given);
	const isHidden = /^(?:rga?|ag|ug|ugrep|fd|fdfind)$/.test(name) && !has(/^-[a-zA-Z]*[uH.]|^--(?:hidden|unrestricted)/);
	const types = valuesOf(given, ...(/^rga?$/.test(name) ? ['-t', '--type'] : []));
	const isOfType = !types.some((type) => /^(?:all|md|markdown)$/.test(type));
	const globs = [
		...valuesOf(given, '-g', '--glob', '--iglob', '--include'),
		...(isOfType ? types.map((type) => `*.${type}`) : []),
	];
	const excluded = valuesOf(
		given,
		'--exclude',
		'--exclude-dir',
		'--ignore',
		'--ignore-dir',
		...(/^fd/.test(name) ? ['-E'] : []),
	);
	const left = globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
	const access = {
		levels: Number.POSITIVE_INFINITY,
		globs: globs.filter((glob) => !glob.startsWith('!')),
		excluded: [...excluded, ...left, ...(isHidden ? ['.*'] : [])],
	};
	const isPlain = /^(?:rm|mv|ln|[gs]?cp|rsync|git add)$/.test(name);
	const operands = operandsOf(given, isPlain ? undefined : WITH_VALUE);
	if (kind === 'search') {
		const sought = has(/^-[a-zA-Z]*[ef]|^--(?:regexp|file)\b|^--files$/) ? undefined : operands[0];
		const roots = sought === undefined ? operands : operands.slice(1);
		return { roots: isRecursive ? orHere(roots) : [], access, sought };
	}
	const isLastTarget = kind === 'copy' && operands.length > 1 && !has(/^-[a-zA-Z]*t$|^--(?:target-directory|delete)/);
	if (isLastTarget) return { roots: operands.slice(0, -1), access };
	return { roots: name.startsWith('git') ? orHere(operands) : operands, access };
}

function find(given: readonly Pattern[]): RecursiveAccess {
	const start = given.findIndex((word) => /^(?:-(?![HLP]$|O\d)|\\?[(!])/.test(word));
	const names = given.flatMap((word, at) => (/^-i?(?:name|path|wholename)$/.test(word) ? [at] : []));
	const isExcluded = (at: number) => given[at + 2] === '-prune' || /^(?:!|-not)$/.test(given[at - 1] ?? '');
	const globs = (which: readonly number[]) => which.map((at) => rawText(given[at + 1] ?? ''));
	const isPlain = !given.some((word) => /^(?:-o|-or|,)$/.test(word));
	const depth = Number.parseInt(given[given.indexOf('-maxdepth') + 1] ?? '', 10);
	return {
		roots: orHere(operandsOf(start < 0 ? given : given.slice(0, start))),
		access: {
			levels: depth >= 0 ? depth : Number.POSITIVE_INFINITY,
			globs: isPlain ? globs(names.filter((at) => !isExcluded(at))) : [],
			excluded: globs(names.filter(isExcluded)),
		},
	};
}

/** The values of options: `--name=value`, `--name value`, `-n value`, `-nvalue`. */
function valuesOf(given: readonly Pattern[], ...names: readonly string[]): string[] {
	return given.flatMap((word, at) => {
		const [, name = '', value = given[at + 1] ?? ''] = /^(--[^=]+|-\w)=?(?:(?<==|^-\w)(.+))?$/s.exec(word) ?? [];
		return names.includes(name) ? [rawText(value)] : [];
	});
}

/** Arguments that are neither an option nor an option's value. */
function operandsOf(given: readonly Pattern[], withValue = /(?!)/): Pattern[] {
	const end = given.indexOf('--');
	const before = end < 0 ? given : given.slice(0, end);
	const isOption = (word = '') => word.startsWith('-') && word !== '-';
	const operands = before.filter((word, at) => !isOption(word) && !withValue.test(before[at - 1] ?? ''));
	return end < 0 ? operands : [...operands, ...given.slice(end + 1)];
}

function orHere(roots: readonly Pattern[]): readonly Pattern[] {
	return roots.length > 0 ? roots : ['.'];
}
