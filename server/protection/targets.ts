import { fitsName } from './fits-name.ts';
import { literalPath, type Pattern, textOf, UNKNOWN } from './pattern.ts';
import type { Place, ProtectedPath } from './place.ts';
import { type Written, writtenForms } from './plain-search.ts';
import { type Components, readingsOf, withoutParents } from './readings.ts';

/** A protected path, ready to be compared. */
export interface Target extends Written {
	readonly isFolder: boolean;
}

/** As written, and with links resolved. */
export function targetOf({ path, isFolder }: ProtectedPath, place: Place): Target {
	const readings = readingsOf(literalPath(path, place.platform), place.realPath, place.platform);
	const forms = readings.map((reading) => reading.map((part) => textOf(part) ?? part));
	return { isFolder, forms, written: forms.flatMap((form) => writtenForms(form, place)) };
}

/** How a path lies to a protected one. */
export interface Relation {
	/** It is the protected one, or lies in the protected folder. */
	readonly isAt: boolean;
	/** It is a folder so many levels above; Infinity where it is none. */
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
		/** How many components of the form the path can have come down by so far. */
		let reached = [0];
		for (const part of path) {
			reached = step(reached, part, form, coversHidden);
			if (isFolder && reached.includes(form.length)) isAt = true;
			if (reached.length === 0) break;
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
export function endsLike(pattern: Pattern, { forms, isFolder }: Target): boolean {
	const at = pattern.lastIndexOf(UNKNOWN);
	if (at < 0) return false;
	const [first = '', ...others] = pattern.slice(at + 1).split('/');
	const tail = others.length === 0 ? withoutParents([first]) : withoutParents(others);
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
