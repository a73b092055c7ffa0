import { absolutePattern } from './absolute.ts';
import { expandBraces } from './braces.ts';
import { fitsName } from './fits-name.ts';
import { fold } from './fold.ts';
import type { Inspection } from './inspection.ts';
import { literalPath, type Pattern } from './pattern.ts';
import type { Target } from './targets.ts';

type Input = Readonly<Record<string, unknown>>;

/** Grep searches a folder with all that is below it, unless the names that it is limited to fit none there. */
export function judgeGrep(input: Input, inspection: Inspection): void {
	const { platform } = inspection.place;
	const globs = typeof input.glob === 'string' ? globsOf(input.glob) : [];
	inspection.look(folderOf(input, inspection), inspection.cwd, {
		levels: Number.POSITIVE_INFINITY,
		leavesOut: (target) => leavesOut(globs, target, platform),
	});
}

/** Glob lists names: that of a protected file says nothing, those in a protected folder do. */
export function judgeGlob(input: Input, inspection: Inspection): void {
	const folder = absolutePattern(folderOf(input, inspection), inspection.cwd, inspection.place);
	const use = { coversHidden: true, foldersOnly: true };
	inspection.look(folder, folder, use);
	if (typeof input.pattern !== 'string') return;
	for (const pattern of expandBraces(globPath(input.pattern, inspection.place.platform))) {
		inspection.look(pattern, folder, use);
	}
}

/**
 * Whether globs that a search is limited to can fit nothing of what is protected: none of them fits its name. What is in
 * a folder can have any name.
 *
 * @param globs of names, or of paths whose last component is what counts; those of names to leave out are passed over
 */
export function leavesOut(globs: readonly Pattern[], target: Target, platform: NodeJS.Platform): boolean {
	const wanted = globs.filter((glob) => !glob.startsWith('!'));
	if (target.isFolder || wanted.length === 0) return false;
	const names = wanted.map((glob) => fold(glob.slice(glob.lastIndexOf('/') + 1), platform));
	// Case is passed over everywhere: a search can be told to.
	return !target.forms.some((form) =>
		names.some((name) => name === '' || fitsName(name.toLowerCase(), (form.at(-1) ?? '').toLowerCase(), true)),
	);
}

/** Globs apart by spaces, and by commas outside of braces. */
function globsOf(text: string): Pattern[] {
	return text
		.split(/\s+/)
		.flatMap((part) => expandBraces(`{${part},}`))
		.filter((glob) => glob !== '');
}

function folderOf({ path }: Input, { cwd, place }: Inspection): Pattern {
	return typeof path === 'string' ? literalPath(path.trim(), place.platform) : cwd;
}

function globPath(pattern: string, platform: NodeJS.Platform): Pattern {
	return platform === 'win32' ? pattern.replaceAll('\\', '/') : pattern;
}
