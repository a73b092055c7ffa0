import { fold } from './fold.ts';
import type { Place } from './place.ts';

/** What continues a name, on either side. */
const BEFORE = /[\p{L}\p{N}_.~-]$/u;
const AFTER = /^(?:[\p{L}\p{N}_-]|\.[\p{L}\p{N}_])/u;
const QUOTES = /['"`]/;

/** What is searched for. */
export interface Written {
	/** Names of components, folded. */
	readonly forms: readonly (readonly string[])[];
	/** See `writtenForms`. */
	readonly written: readonly string[];
}

/** A text prepared for the search. */
export function searchable(text: string, platform: NodeJS.Platform): string {
	const divided = platform === 'win32' ? text.replaceAll('\\', '/') : text;
	return fold(divided, platform).replace(/\/(?:\.?\/)+/g, '/');
}

/**
 * Whether a text names a protected path somewhere: absolute, or from the home folder.
 *
 * @param text searchable
 * @returns how it names it
 */
export function namesPath(text: string, { written }: Written): string | undefined {
	return text.includes('/') ? written.find((path) => holds(text, path, isApart)) : undefined;
}

/**
 * Whether the text of a program names a protected path: as `namesPath`, from the working folder, or by its name and
 * that of its folder, out of which a program can join it.
 *
 * @param text searchable
 * @param folders the working folders that the program can have
 * @returns how it names it
 */
export function programNamesPath(
	text: string,
	target: Written,
	folders: readonly (readonly string[])[],
): string | undefined {
	const named = namesPath(text, target);
	if (named !== undefined) return named;
	for (const form of target.forms) {
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

/** How a path is written that does not depend on the working folder, searchable. */
export function writtenForms(form: readonly string[], { home, platform }: Place): string[] {
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

function relativeTo(form: readonly string[], folder: readonly string[]): readonly string[] {
	let shared = 0;
	while (shared < folder.length && folder[shared] === form[shared]) shared++;
	// With the root alone in common, nobody writes it so.
	if (shared === 0) return [];
	return [...folder.slice(shared).map(() => '..'), ...form.slice(shared)];
}

type Bounds = (before: string, after: string) => boolean;

const isApart: Bounds = (before, after) => !BEFORE.test(before) && !AFTER.test(after);
const isQuoted: Bounds = (before, after) => QUOTES.test(before.slice(-1)) && QUOTES.test(after.slice(0, 1));
const isComponent: Bounds = (before, after) => /['"`/]$/.test(before) && /^(?:['"`/]|$)/.test(after);

function holds(text: string, sought: string, isBounded: Bounds): boolean {
	for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1)) {
		const end = at + sought.length;
		// Two code units hold any one character.
		if (isBounded(text.slice(Math.max(0, at - 2), at), text.slice(end, end + 3))) return true;
	}
	return false;
}
