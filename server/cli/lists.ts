import { parseSelectors, type Selector, spelling } from '../exposure/selectors.ts';

/** What the env file holds for the allowlist and for the denylist; undefined where a variable is not in it. */
export type Lists = Readonly<Record<'enabled' | 'disabled', string | undefined>>;

/** Makes of the lists in the env file those that a command wants. */
export type ListChange = (lists: Lists, selectors: readonly Selector[]) => Lists;

/** Adds to the allowlist, which is `default` where there is none, and takes the same selectors out of the denylist. */
export const enable: ListChange = ({ enabled, disabled }, selectors) => {
	// A variable without a value counts as not set, so it must not become a list of the added names only.
	const inForce = enabled || 'default';
	const added = withAdded(inForce, selectors);
	return { enabled: added === inForce ? enabled : added, disabled: without(disabled, selectors) };
};

/** Adds to the denylist. The allowlist stays: the denylist alone decides, and its end brings back what was before. */
export const disable: ListChange = ({ enabled, disabled }, selectors) => {
	const added = withAdded(disabled ?? '', selectors);
	return { enabled, disabled: added === (disabled ?? '') ? disabled : added };
};

/** Replaces one list. Without selectors its variable is removed, so that the default is in force again. */
export function replace(list: keyof Lists): ListChange {
	return (lists, selectors) => ({
		...lists,
		[list]: selectors.length === 0 ? undefined : withAdded('', selectors) || 'none',
	});
}

/** Removes both variables. */
export const reset: ListChange = () => ({ enabled: undefined, disabled: undefined });

/** The list as written if it has them all, else with the missing ones at its end. `none` adds nothing to a list. */
function withAdded(text: string, selectors: readonly Selector[]): string {
	const present = parseSelectors(text);
	const list = present.filter(({ kind }) => kind !== 'none');
	const before = list.length;
	for (const selector of selectors) {
		if (selector.kind !== 'none' && !list.some((other) => isSame(selector, other))) list.push(selector);
	}
	return list.length === before ? text : toText(list);
}

/** The list as written if it has none of them. Undefined where nothing is left: no denial is no denylist. */
function without(text: string | undefined, selectors: readonly Selector[]): string | undefined {
	const present = parseSelectors(text ?? '');
	const left = present.filter((other) => !selectors.some((selector) => isSame(selector, other)));
	if (left.length === present.length) return text;
	return left.length === 0 ? undefined : toText(left);
}

function toText(selectors: readonly Selector[]): string {
	return selectors.map(({ text }) => text).join(',');
}

function isSame(a: Selector, b: Selector): boolean {
	const isGroup = a.kind !== 'name' && a.kind !== 'prefix';
	return a.kind === b.kind && (isGroup || spelling(a.text) === spelling(b.text));
}
