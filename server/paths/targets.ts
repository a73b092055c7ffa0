import { fold, foldName } from './fold.ts';
import { literalPath, MAX_PATH_LENGTH, type Pattern, textOf, UNKNOWN, withoutParents } from './pattern.ts';
import type { Place, ProtectedPath } from './place.ts';
import { searchable } from './touches.ts';
import { fitsName } from './wildcards.ts';

/** The components of an absolute path, folded, without `.` and `..`. */
export type Components = readonly Pattern[];

/** Where an absolute path leads, with every link in it resolved, as far as it exists. */
export type RealPath = (path: string) => Promise<string>;

/** A protected path, ready to be compared. */
export interface Target {
	readonly isFolder: boolean;
	/** Names of components, folded: as written, and with links resolved. */
	readonly forms: readonly (readonly string[])[];
	/** How it is written that does not depend on the working folder, searchable. */
	readonly written: readonly string[];
}

export async function targetOf({ path, isFolder }: ProtectedPath, place: Place, realPath: RealPath): Promise<Target> {
	const readings = await readingsOf(literalPath(path, place.platform), place.platform, realPath);
	const forms = readings.map((reading) => reading.map((part) => textOf(part) ?? part));
	return { isFolder, forms, written: forms.flatMap((form) => writtenForms(form, place)) };
}

/**
 * What an absolute path can mean: as it is written, with its links resolved, and, if it has a `..`, with each link
 * resolved before the `..` behind it, as the system does. Of a pattern, what stands before the first wildcard is resolved.
 */
export async function readingsOf(
	absolute: Pattern,
	platform: NodeJS.Platform,
	realPath: RealPath,
): Promise<Components[]> {
	const parts = absolute.split('/').filter((part) => part !== '' && part !== '.');
	const lexical = withoutParents(parts);
	const readings = [lexical];
	if (absolute.length <= MAX_PATH_LENGTH) {
		readings.push(await resolved(lexical, platform, realPath));
		if (parts.includes('..')) readings.push(await resolved(parts, platform, realPath));
	}
	const folded = readings.map((reading) => reading.map((part) => foldName(part, platform)));
	return [...new Map(folded.map((reading) => [reading.join('/'), reading])).values()];
}

async function resolved(parts: Components, platform: NodeJS.Platform, realPath: RealPath): Promise<Pattern[]> {
	const texts = parts.map(textOf);
	const end = texts.indexOf(undefined);
	const known = end < 0 ? texts : texts.slice(0, end);
	if (known.length === 0) return [...parts];
	const path = known.join('/');
	const real = literalPath(await realPath(platform === 'win32' ? path : `/${path}`), platform);
	return withoutParents([...real.split('/'), ...parts.slice(known.length)]);
}

/** How a path lies to a protected one. */
export interface Relation {
	/** It is the protected one, or lies in the protected folder. */
	readonly isAt: boolean;
	/** It is a folder so many levels above; Infinity if it is none. */
	readonly levelsAbove: number;
}

/**
 * How what a path stands for can lie to a protected path.
 *
 * @param coversHidden whether wildcards stand for hidden names as well
 */
export function relationTo({ forms, isFolder }: Target, path: Components, coversHidden: boolean): Relation {
	let isAt = false;
	let levelsAbove = Number.POSITIVE_INFINITY;
	for (const form of forms) {
		let shared = 0;
		while (shared < form.length && path[shared] === form[shared]) shared++;
		// Nearly all differ in a plain name: with many keys, more than this would count.
		if (shared < form.length && !/[\\*?[\0]/.test(path[shared] ?? '*')) continue;
		if (isFolder && shared === form.length) isAt = true;
		/** How many components of the form the path can have come down by so far. */
		let reached = [shared];
		for (const part of path.slice(shared)) {
			reached = step(reached, part, form, coversHidden);
			if (reached.length === 0) break;
			if (isFolder && reached.includes(form.length)) isAt = true;
		}
		if (reached.includes(form.length)) isAt = true;
		for (const depth of reached) if (depth < form.length) levelsAbove = Math.min(levelsAbove, form.length - depth);
	}
	return { isAt, levelsAbove };
}

function step(reached: readonly number[], part: Pattern, form: readonly string[], coversHidden: boolean): number[] {
	if (part !== '**') {
		return reached
			.filter((depth) => depth < form.length && fitsName(part, form[depth] ?? '', coversHidden))
			.map((depth) => depth + 1);
	}
	const all = new Set(reached);
	for (let depth = reached[0] ?? form.length; depth < form.length; depth++) {
		if (all.has(depth) && (coversHidden || !form[depth]?.startsWith('.'))) all.add(depth + 1);
	}
	return [...all].sort((a, b) => a - b);
}

/** Whether what is known after the last UNKNOWN of a pattern ends like a protected path: at least its name is the same. */
export function endsLike(pattern: Pattern, { forms, isFolder }: Target, platform: NodeJS.Platform): boolean {
	const at = pattern.lastIndexOf(UNKNOWN);
	if (at < 0) return false;
	const [first = '', ...others] = pattern.slice(at + 1).split('/');
	const tail = withoutParents(others.length === 0 ? [first] : others).map((part) => foldName(part, platform));
	const lengths = isFolder ? tail.map((_, index) => index + 1) : [tail.length];
	return forms.some((form) =>
		lengths.some((length) => {
			if (length === 0 || length > form.length) return false;
			const names = form.slice(-length);
			const known = tail.slice(0, length);
			return known.some(isTelling) && known.every((part, index) => fitsName(part, names[index] ?? '', false));
		}),
	);
}

/** `*.md` fits any name of its kind; something of the name itself has to be there. */
function isTelling(part: Pattern): boolean {
	const stem = part.replace(/(?<=.)\.[^.]*$/s, '');
	return /[^*?.]/.test(stem.replace(/\[[^\]]*\]/g, ''));
}

/**
 * Whether names that the use of a folder is limited to can fit nothing of what is protected: none of them fits its name.
 * What is in a folder can have any name.
 *
 * @param globs of names, or of paths whose last component is what counts; those of names to leave out are passed over
 */
export function leavesOut(globs: readonly Pattern[], target: Target, platform: NodeJS.Platform): boolean {
	const wanted = globs.filter((glob) => !glob.startsWith('!'));
	if (target.isFolder || wanted.length === 0) return false;
	// Case is passed over everywhere: a search can be told to.
	const names = wanted.map((glob) => fold(glob.slice(glob.lastIndexOf('/') + 1), platform).toLowerCase());
	return !target.forms.some((form) =>
		names.some((name) => name === '' || fitsName(name, (form.at(-1) ?? '').toLowerCase(), true)),
	);
}

function writtenForms(form: readonly string[], { home, platform }: Place): string[] {
	const path = form.join('/');
	const forms = [platform === 'win32' ? path : `/${path}`];
	if (platform === 'win32') forms.push(`/${path.replace(':', '')}`);
	const folder = searchable(home, platform).split('/').filter(Boolean);
	if (folder.some((name, index) => form[index] !== name)) return forms;
	const rest = form.slice(folder.length).join('/');
	const names = ['HOME', 'env:HOME', 'env:USERPROFILE'];
	const starts = ['~', '%USERPROFILE%', ...names.flatMap((name) => [`$${name}`, `\${${name}}`])];
	return [...forms, ...starts.map((start) => fold(`${start}/${rest}`, platform))];
}

/** What continues a name, on either side. */
const BEFORE = /[\p{L}\p{N}_.~-]$/u;
const AFTER = /^(?:[\p{L}\p{N}_-]|\.[\p{L}\p{N}_])/u;
const QUOTES = /['"`]/;

type Bounds = (before: string, after: string) => boolean;

const isApart: Bounds = (before, after) => !BEFORE.test(before) && !AFTER.test(after);
const isQuoted: Bounds = (before, after) => QUOTES.test(before.slice(-1)) && QUOTES.test(after.slice(0, 1));
const isComponent: Bounds = (before, after) => /['"`/]$/.test(before) && /^(?:['"`/]|$)/.test(after);

/**
 * How a text names a protected path: absolute, or from the home folder. The text of a program also from the folders that
 * it can be in, or by its name and that of its folder, out of which it can join it.
 *
 * @param text searchable
 */
export function namedIn(
	text: string,
	{ written, forms }: Target,
	folders: readonly (readonly string[])[] | undefined,
): string | undefined {
	// Nearly every text is done with here.
	if (!forms.some((form) => text.includes(form.at(-1) ?? ''))) return undefined;
	const named = text.includes('/') ? written.find((path) => holds(text, path, isApart)) : undefined;
	if (named !== undefined || folders === undefined) return named;
	for (const form of forms) {
		const [parent, name] = form.slice(-2);
		if (parent !== undefined && name !== undefined) {
			if (holds(text, parent, isComponent) && holds(text, name, isComponent)) return name;
		}
		for (const folder of folders) {
			const relative = relativeTo(form, folder);
			if (relative.length === 0) continue;
			if (holds(text, relative.join('/'), relative.length === 1 ? isQuoted : isApart)) return relative.join('/');
		}
	}
	return undefined;
}

function relativeTo(form: readonly string[], folder: readonly string[]): readonly string[] {
	let shared = 0;
	while (shared < folder.length && folder[shared] === form[shared]) shared++;
	// With the root alone in common, nobody writes it so.
	if (shared === 0) return [];
	return [...folder.slice(shared).map(() => '..'), ...form.slice(shared)];
}

function holds(text: string, sought: string, isBounded: Bounds): boolean {
	for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1)) {
		const end = at + sought.length;
		// Two code units hold any one character.
		if (isBounded(text.slice(Math.max(0, at - 2), at), text.slice(end, end + 3))) return true;
	}
	return false;
}

/** A folder, as its components; undefined if it can't be worked out. */
export function folderParts(folder: Pattern, platform: NodeJS.Platform): readonly string[] | undefined {
	const known = textOf(folder);
	return known === undefined ? undefined : withoutParents(known.split('/')).map((part) => foldName(part, platform));
}
