import type { Pattern } from '../pattern.ts';
import { globsOf, hasOption, operandsOf, searchedFolders } from './arguments.ts';

/** What a command does with all that is in some folders. */
export interface Sweep {
	readonly roots: readonly Pattern[];
	/** It only writes names: whether anything is reached depends on who reads them. */
	readonly isListing: boolean;
	/** How deep it goes. */
	readonly levels: number;
	/** Names that it is limited to. */
	readonly globs: readonly Pattern[];
}

type Rule = (given: readonly Pattern[]) => Sweep | undefined;

const HERE = ['.'];
/** Options that have a program tell of itself, if there is nothing beside them. */
const INFORMING = /^(?:-V|--(?:version|help|type-list))$/;
const RECURSIVE = /^--(?:dereference-)?recursive$|^--directories=recurse$/;

/**
 * The folders that a command goes through, and how.
 *
 * @param name of the program
 * @param given its arguments
 * @returns undefined if it goes through none
 */
export function sweepOf(name: string, given: readonly Pattern[]): Sweep | undefined {
	if (given.length === 1 && INFORMING.test(given[0] ?? '')) return undefined;
	const rule = RULES.get(name);
	if (rule !== undefined) return rule(given);
	return hasOption(given, 'R', RECURSIVE) && !NAMING.has(name) ? reading(operandsOf(given)) : undefined;
}

/** Programs that tell of folders nothing but names and sizes. */
const NAMING = new Set('du stat test [ [[ cd mkdir echo printf'.split(' '));

const search: Rule = (given) => reading(orHere(searchedFolders(given)), globsOf(given, /^(?:--include|--i?glob|-g)$/));

const searchIfRecursive: Rule = (given) =>
	hasOption(given, 'rR', RECURSIVE) || given.includes('recurse') ? search(given) : undefined;

const find: Rule = (given) => {
	const isExpression = (argument: Pattern) => /^(?:-(?![HLP]$|O\d)|\\?[(!])/.test(argument);
	const start = given.findIndex(isExpression);
	const roots = operandsOf(start < 0 ? given : given.slice(0, start));
	const acts = given.some((argument) => /^-(?:exec|execdir|ok|okdir|delete|fprint.*|fls|files0-from)$/.test(argument));
	const isPlain = !given.some((argument) => /^(?:-o|-or|-not|!|,)$/.test(argument));
	const globs = isPlain ? globsOf(given, /^-i?name$/) : [];
	const depth = Number.parseInt(given[given.indexOf('-maxdepth') + 1] ?? '', 10);
	const levels = given.includes('-maxdepth') && depth >= 0 ? depth : Number.POSITIVE_INFINITY;
	return { ...reading(orHere(roots), globs), isListing: !acts, levels };
};

const fd: Rule = (given) => {
	const acts = hasOption(given, 'xX', /^--exec/);
	return { ...reading(orHere(searchedFolders(given))), isListing: !acts };
};

const list: Rule = (given) => ({
	...reading(orHere(operandsOf(given))),
	isListing: true,
	levels: hasOption(given, 'R', RECURSIVE) ? Number.POSITIVE_INFINITY : 1,
});

const tree: Rule = (given) => ({ ...reading(orHere(operandsOf(given))), isListing: true });

/** What is copied; if it is copied to comes last. */
const copy: Rule = (given) => {
	const operands = operandsOf(given);
	const isElsewhere = given.some((argument) => /^(?:-[a-zA-Z]*t|--target-directory.*|--delete.*)$/.test(argument));
	return reading(isElsewhere || operands.length < 2 ? operands : operands.slice(0, -1));
};

const copyIfRecursive: Rule = (given) =>
	hasOption(given, 'rRa', /^--(?:recursive|archive)$/) ? copy(given) : undefined;

const changeIfRecursive: Rule = (given) =>
	hasOption(given, 'rR', /^--recursive$/) ? reading(operandsOf(given)) : undefined;

const archive: Rule = (given) => {
	const [mode = ''] = given;
	const isUnpacking = /^-?(?!-)[a-zA-Z]*[xt]/.test(mode) && !/^-?[a-zA-Z]*c/.test(mode);
	const isNamed = given.some((argument) => /^--(?:extract|get|list|diff|compare)$/.test(argument));
	return isUnpacking || isNamed ? undefined : reading(operandsOf(given, /^(?:-[a-zA-Z]*[Cf]|--(?:directory|file))$/));
};

const pack: Rule = (given) => (/^[xelt]$/.test(given[0] ?? '') ? undefined : reading(operandsOf(given)));

const git: Rule = (given) => {
	const start = given.findIndex(
		(argument, index) => !argument.startsWith('-') && !/^-[Cc]$/.test(given[index - 1] ?? ''),
	);
	const [command, rest] = [given[start], given.slice(start + 1)];
	if (command === 'grep') return search(rest);
	if (command === 'ls-files') return tree(rest);
	if (command === 'add' && hasOption(rest, 'Au', /^--(?:all|update)$/)) return reading(orHere(operandsOf(rest)));
	if (command === 'add' || command === 'mv' || (command === 'diff' && rest.includes('--no-index'))) {
		return reading(operandsOf(rest));
	}
	return command === 'clean' ? reading(orHere(operandsOf(rest))) : undefined;
};

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
	...entries('grep egrep fgrep ggrep zgrep bzgrep xzgrep zstdgrep pcregrep pcre2grep', searchIfRecursive),
	...entries('rgrep rg rga ag ack ugrep ug', search),
	...entries('find bfs gfind', find),
	...entries('fd fdfind', fd),
	...entries('ls dir vdir', list),
	...entries('tree', tree),
	...entries('cp gcp scp', copyIfRecursive),
	...entries('mv ln rsync ditto', copy),
	...entries('rm chmod chown chgrp gzip', changeIfRecursive),
	...entries('diff', changeIfRecursive),
	...entries('tar bsdtar gtar', archive),
	...entries('zip 7z 7za 7zz', pack),
	...entries('git', git),
]);

function entries(names: string, rule: Rule): [string, Rule][] {
	return names.split(' ').map((name) => [name, rule]);
}

function reading(roots: readonly Pattern[], globs: readonly Pattern[] = []): Sweep {
	return { roots, isListing: false, levels: Number.POSITIVE_INFINITY, globs };
}

function orHere(roots: readonly Pattern[]): readonly Pattern[] {
	return roots.length > 0 ? roots : HERE;
}
