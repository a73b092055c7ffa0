import { type Pattern, rawText } from './pattern.ts';
import type { Use } from './touches.ts';

/** What a program does with all that is in some folders. */
export interface Sweep {
	readonly roots: readonly Pattern[];
	readonly use: Use;
	/** What it searches for. */
	readonly sought?: Pattern | undefined;
}

/** Options of programs that search, pack or find, whose value is the argument behind them. */
const WITH_VALUE =
	/^(?:-[a-zA-Z]*[ABCmefgtdjM]|--(?:max-depth|max-count|context|(?:after|before)-context|i?glob|type|type-not|regexp|file|include|exclude|exclude-dir|ignore|ignore-dir|directory|sort|threads|replace|encoding|engine))$/;

const NO_VALUE = /(?!)/;

/**
 * The folders that a program goes through, to read, copy or change what is in them.
 *
 * @param isRead whether another opens the files that it lists
 */
export function sweepOf(name: string, given: readonly Pattern[], isRead: boolean): Sweep | undefined {
	const has = (option: RegExp) => given.some((word) => option.test(word));
	if (has(/^--(?:help|version|type-list)$/)) return undefined;
	const isRecursive = has(/^-[a-zA-Z]*[rR]|^--(?:dereference-)?recursive$|^--directories=recurse$|^recurse$/);
	const operands = operandsOf(given);
	if (/^(?:[a-z\d]*grep|rga?|ag|ack|ug)$/.test(name)) {
		const sought = has(/^-[ef]|^--(?:regexp|file)\b|^--files$/) ? undefined : operands[0];
		const roots = sought === undefined ? operands : operands.slice(1);
		const isHidden = /^(?:rga?|ag|ug|ugrep)$/.test(name) && !has(/^-[a-zA-Z]*[u.]|^--(?:hidden|unrestricted)/);
		const isSweep = isRecursive || !/(?<!^u|^r)grep$/.test(name);
		return { ...sweep(isSweep ? orHere(roots) : [], given, isHidden ? ['.*'] : []), sought };
	}
	if (/^(?:find|bfs|gfind)$/.test(name)) return isRead || has(/^-(?:exec|ok|delete|files0)/) ? find(given) : undefined;
	if (/^fd(?:find)?$/.test(name)) {
		const excluded = [...valuesOf(given, '-E'), ...(has(/^-[a-zA-Z]*[Hu]|^--(?:hidden|unrestricted)/) ? [] : ['.*'])];
		return isRead || has(/^-[xX]|^--exec/) ? sweep(orHere(operands.slice(1)), given, excluded) : undefined;
	}
	if (
		/^(?:mv|ln|rsync|ditto)$/.test(name) ||
		(/^g?s?cp$/.test(name) && (isRecursive || has(/^-[a-zA-Z]*a|^--archive$/)))
	) {
		const isElsewhere = operands.length < 2 || has(/^-[a-zA-Z]*t$|^--(?:target-directory|delete)/);
		return sweep(isElsewhere ? operandsOf(given, NO_VALUE) : operands.slice(0, -1), given);
	}
	if (/tar$/.test(name)) {
		return has(/^-[a-zA-Z]*[cru]|^--(?:create|append|update)$/) || /^[a-zA-Z]*[cru]/.test(given[0] ?? '')
			? sweep(operands, given)
			: undefined;
	}
	if (/^7z|^zip$/.test(name)) return /^[xelt]$/.test(given[0] ?? '') ? undefined : sweep(operands, given);
	if (name === 'git')
		return git(given.filter((word, at) => !/^-[Cc]$/.test(word) && !/^-[Cc]$/.test(given[at - 1] ?? '')));
	const isChanging = /^(?:rm|gzip|diff|shred)$/.test(name) ? isRecursive : has(/^-[a-zA-Z]*R|^--recursive$/);
	return isChanging ? sweep(operandsOf(given, NO_VALUE), given) : undefined;
}

function git([command, ...given]: readonly Pattern[]): Sweep | undefined {
	const operands = operandsOf(given);
	if (command === 'grep') return sweepOf('rgrep', given, false);
	if (command === 'clean')
		return given.some((word) => /^-\w*n|^--dry-run/.test(word)) ? undefined : sweep(orHere(operands), given);
	if (command === 'stash') return operands.length === 0 || operands[0] === 'push' ? sweep(['.'], given) : undefined;
	const isAll = given.some((word) => /^-\w*[Au]|^--(?:all|update)$/.test(word));
	if (command === 'add') return sweep(isAll ? orHere(operands) : operands, given);
	return command === 'mv' || (command === 'diff' && given.includes('--no-index')) ? sweep(operands, given) : undefined;
}

function find(given: readonly Pattern[]): Sweep {
	const start = given.findIndex((word) => /^(?:-(?![HLP]$|O\d)|\\?[(!])/.test(word));
	const roots = operandsOf(start < 0 ? given : given.slice(0, start), NO_VALUE);
	const names = given.flatMap((word, at) => (/^-i?(?:name|path|wholename)$/.test(word) ? [at] : []));
	const isExcluded = (at: number) => given[at + 2] === '-prune' || /^(?:!|-not)$/.test(given[at - 1] ?? '');
	const globs = (which: readonly number[]) => which.map((at) => rawText(given[at + 1] ?? ''));
	const isPlain = !given.some((word) => /^(?:-o|-or|,)$/.test(word));
	const depth = Number.parseInt(given[given.indexOf('-maxdepth') + 1] ?? '', 10);
	return {
		roots: orHere(roots),
		use: {
			levels: depth >= 0 ? depth : Number.POSITIVE_INFINITY,
			globs: isPlain ? globs(names.filter((at) => !isExcluded(at))) : [],
			excluded: globs(names.filter(isExcluded)),
		},
	};
}

function sweep(roots: readonly Pattern[], given: readonly Pattern[], left: readonly Pattern[] = []): Sweep {
	const globs = valuesOf(given, '-g', '--glob', '--iglob', '--include');
	const excluded = valuesOf(given, '--exclude', '--exclude-dir', '--ignore', '--ignore-dir');
	const use = {
		levels: Number.POSITIVE_INFINITY,
		globs: globs.filter((glob) => !glob.startsWith('!')),
		excluded: [...left, ...excluded, ...globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1))],
	};
	return { roots, use };
}

/** The values of options: `--name=value`, `--name value`, `-n value`, `-nvalue`. */
function valuesOf(given: readonly Pattern[], ...names: readonly string[]): string[] {
	return given.flatMap((word, at) => {
		const [, name = '', value = given[at + 1] ?? ''] = /^(--[^=]+|-\w)=?(?:(?<==|^-\w)(.+))?$/s.exec(word) ?? [];
		return names.includes(name) ? [rawText(value)] : [];
	});
}

/** What is neither an option nor the value of one. */
function operandsOf(given: readonly Pattern[], withValue = WITH_VALUE): Pattern[] {
	const end = given.indexOf('--');
	const before = end < 0 ? given : given.slice(0, end);
	const isOption = (word = '') => word.startsWith('-') && word !== '-';
	const operands = before.filter((word, at) => !isOption(word) && !withValue.test(before[at - 1] ?? ''));
	return end < 0 ? operands : [...operands, ...given.slice(end + 1)];
}

function orHere(roots: readonly Pattern[]): readonly Pattern[] {
	return roots.length > 0 ? roots : ['.'];
}
