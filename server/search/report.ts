import { referenceTo } from '../redaction/tokens.ts';
import type { Findings, FoundFile } from './findings.ts';
import type { Unsearched } from './list-files.ts';

export { referenceTo };

/** In UTF-16 code units. Claude Code writes a longer result to a file. */
const MAX_LENGTH = 40_000;

/** Places that are listed for each file. */
const MAX_PLACES = 50;

/** Lines of the private file whose places are counted one by one. */
const MAX_ENTRIES = 200;

export const REASONS: Readonly<Record<Unsearched, string>> = {
	archive: 'archive',
	binary: 'binary, no text',
	changing: 'keeps changing',
	gone: 'no longer there',
	ignored: 'ignored by git',
	link: 'link out of the folder',
	not_fetched: 'in the history, not fetched by a shallow or partial clone',
	special: 'not a regular file',
	too_large: 'larger than 50 MB',
	unreadable: 'not readable',
};

export const CERTAINTIES = {
	exact: 'as written',
	spelling: 'in another spelling',
	part: 'in part of a longer word',
	likely: 'likely',
} as const;

/** The findings for a model, in bounded length. What is cut is counted. */
export function reportOf(findings: Findings): string {
	const { files, total, moreFiles, searched, entries } = findings;
	const where = count(files.length + moreFiles, 'file or folder', 'files and folders');
	const head = `${total === 0 ? 'No places' : `${count(total, 'place')} in ${where}`}; ${searchedFiles(searched)} searched.`;
	const perEntry = [...entries].map(([line, each]) => `${referenceTo(line)} ${each}`);
	const tail = [
		...(total === 0 ? [] : [`Places for each line of the private file: ${cut(perEntry, MAX_ENTRIES, 'line')}.`]),
		`Not searched: ${notSearched(findings).join('; ') || 'nothing'}.`,
		unsearchableSentence(findings),
	];
	let left = MAX_LENGTH - head.length - tail.join('\n').length;
	const lines: string[] = [];
	for (const [index, file] of files.entries()) {
		const text = fileLines(file);
		left -= text.length + 1;
		if (left < 0) {
			const rest = files.slice(index);
			const places = rest.reduce((sum, each) => sum + each.count, 0);
			lines.push(
				`… and ${count(places, 'more place')} in ${count(rest.length, 'more file')}: search their folders one by one.`,
			);
			break;
		}
		lines.push(text);
	}
	if (moreFiles > 0) lines.push(`… and ${count(moreFiles, 'more file')}, with their places counted but not listed.`);
	return [head, ...(lines.length > 0 ? ['', ...lines, ''] : []), ...tail].join('\n');
}

/** The number of files, and of their versions in the history. */
export function searchedFiles({ files, versions }: Findings['searched']): string {
	return (
		count(files, 'file') +
		(versions > 0 ? ` and ${count(versions, 'version in the history', 'versions in the history')}` : '')
	);
}

/** The name of a place's file, or of its commit and what it is in there. */
export function nameOf({ path, commit, of }: FoundFile): string {
	if (commit === undefined) return quoted(path);
	return `commit ${commit.slice(0, 12)} ${of ?? quoted(path)}`;
}

function fileLines(file: FoundFile): string {
	const { inName, places, count: all } = file;
	const names = inName.map(({ entry, certainty }) => `  name ${referenceTo(entry)} ${CERTAINTIES[certainty]}`);
	const shown = places.slice(0, MAX_PLACES);
	const lines = shown.map(
		({ line, column, entry, certainty }) => `  ${line}:${column} ${referenceTo(entry)} ${CERTAINTIES[certainty]}`,
	);
	const more = all - names.length - shown.length;
	return [nameOf(file), ...names, ...lines, ...(more > 0 ? [`  … and ${count(more, 'more place')}`] : [])].join('\n');
}

/** For each reason, the number of files and the first paths. */
export function notSearched({ unsearched }: Findings): string[] {
	return [...unsearched].map(([reason, { count: all, paths }]) => {
		const more = all > paths.length ? `, and ${all - paths.length} more` : '';
		return `${REASONS[reason]}: ${all} (${paths.map(quoted).join(', ')}${more})`;
	});
}

export function unsearchableSentence({ unsearchable }: Findings): string {
	if (unsearchable.length === 0) return 'Each line of the private file was searched for.';
	const lines = cut(ranges(unsearchable), MAX_ENTRIES, 'range');
	return `Rules, prose or ordinary words, for which a search is not enough: ${lines}.`;
}

function ranges(lines: readonly number[]): string[] {
	const found: string[] = [];
	for (let at = 0; at < lines.length; at++) {
		const first = lines[at] ?? 0;
		let last = first;
		while (lines[at + 1] === last + 1) last = lines[++at] ?? 0;
		found.push(first === last ? referenceTo(first) : `${referenceTo(first)} to ${referenceTo(last)}`);
	}
	return found;
}

function cut(parts: readonly string[], most: number, what: string): string {
	const more = parts.length > most ? `, and ${count(parts.length - most, `more ${what}`)}` : '';
	return parts.slice(0, most).join(', ') + more;
}

/** Writes a path with line breaks or the like as in JSON. */
export function quoted(path: string): string {
	return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"\ufffd]|^\s|\s$/u.test(path) ? escaped(path) : path;
}

function escaped(path: string): string {
	return JSON.stringify(path).replace(/[\x7f-\x9f]|\p{Cf}|\p{Zl}|\p{Zp}/gu, (character) =>
		Array.from(
			{ length: character.length },
			(_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
		).join(''),
	);
}

export function count(number: number, one: string, many = `${one}s`): string {
	return `${number} ${number === 1 ? one : many}`;
}
