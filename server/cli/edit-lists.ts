import { readEnvFile } from '../env-file/env-file.ts';
import { parseEnvFile } from '../env-file/parse.ts';
import { editEnvFile, whileLocked, writeEnvFile } from '../env-file/write.ts';
import { parseSelectors, type Selector, spelling } from '../exposure/policy.ts';
import { VARIABLES } from '../exposure/settings.ts';

type ListName = 'enabled' | 'disabled';

/** The allowlist and the denylist of the env file; undefined if a variable is not in it. */
type Lists = Readonly<Record<ListName, string | undefined>>;

export interface Edit {
	/** The lists that it decides on; it may touch another one on the way. */
	readonly decides: readonly ListName[];
	/** Whether it is there to show the tools that it is given, or to hide them. */
	readonly shows: boolean;
	readonly change: (lists: Lists, selectors: readonly Selector[]) => Lists;
}

/** Adds to the allowlist, which is `default` if there is none, and takes the same selectors out of the denylist. */
export const enable: Edit = {
	decides: ['enabled'],
	shows: true,
	change: ({ enabled, disabled }, selectors) => {
		// A variable without a value counts as not set, so it must not become a list of the added names only.
		const inForce = enabled || 'default';
		const added = withAdded(inForce, selectors);
		return { enabled: added === inForce ? enabled : added, disabled: without(disabled, selectors) };
	},
};

/** Adds to the denylist. The allowlist stays: once the denial ends, it holds as before. */
export const disable: Edit = {
	decides: ['disabled'],
	shows: false,
	change: ({ enabled, disabled }, selectors) => {
		const added = withAdded(disabled ?? '', selectors);
		return { enabled, disabled: added === (disabled ?? '') ? disabled : added };
	},
};

/** Replaces one list. Without selectors its variable is removed, so that the default is in force again. */
export function replace(list: ListName): Edit {
	const text = (selectors: readonly Selector[]) =>
		selectors.length === 0 ? undefined : withAdded('', selectors) || 'none';
	return {
		decides: [list],
		shows: list === 'enabled',
		change: (lists, selectors) => ({ ...lists, [list]: text(selectors) }),
	};
}

export const reset: Edit = {
	decides: ['enabled', 'disabled'],
	shows: true,
	change: () => ({ enabled: undefined, disabled: undefined }),
};

/** The list as written if it has them all, else with the missing ones at its end. `none` adds nothing to a list. */
function withAdded(text: string, selectors: readonly Selector[]): string {
	const list = parseSelectors(text).filter(({ kind }) => kind !== 'none');
	const before = list.length;
	for (const selector of selectors) {
		if (selector.kind !== 'none' && !list.some((other) => isSame(selector, other))) list.push(selector);
	}
	return list.length === before ? text : toText(list);
}

/** The list as written if it has none of them. Undefined if nothing is left: no denial is no denylist. */
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

export interface Edited {
	readonly text: string;
	/** The variables with another value, undefined if removed. If there is none, the file is not written. */
	readonly written: readonly { readonly variable: string; readonly value: string | undefined }[];
	/** The variables to be decided that the environment sets as well: there they win. */
	readonly overridden: readonly string[];
}

/** @throws EnvFileError if the env file cannot be read or written; then it is as it was */
export async function editLists(
	path: string,
	edit: Edit,
	selectors: readonly Selector[],
	environment: NodeJS.ProcessEnv,
): Promise<Edited> {
	const editedFile = async () => editedText(await readEnvFile(path), edit, selectors, environment);
	const first = await editedFile();
	if (first.written.length === 0) return first;
	return await whileLocked(path, async () => {
		const edited = await editedFile();
		await writeEnvFile(path, edited.text);
		return edited;
	});
}

function editedText(
	before: string,
	{ change, decides }: Edit,
	selectors: readonly Selector[],
	environment: NodeJS.ProcessEnv,
): Edited {
	const variables = parseEnvFile(before);
	const lists = { enabled: variables.get(VARIABLES.enabled), disabled: variables.get(VARIABLES.disabled) };
	const wanted = change(lists, selectors);
	const changed = (['enabled', 'disabled'] as const).filter((list) => wanted[list] !== lists[list]);
	const written = changed.map((list) => ({ variable: VARIABLES[list], value: wanted[list] }));
	const text = written.reduce((edited, { variable, value }) => editEnvFile(edited, variable, value), before);
	const decided = [...new Set([...decides, ...changed])].map((list) => VARIABLES[list]);
	return { text, written, overridden: decided.filter((variable) => (environment[variable] ?? '') !== '') };
}
