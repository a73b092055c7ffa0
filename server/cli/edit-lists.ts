import { readEnvFile } from '../env-file/env-file.ts';
import { parseEnvFile } from '../env-file/parse.ts';
import { editEnvFile, whileLocked, writeEnvFile } from '../env-file/write.ts';
import { parseSelectors, type Selector, spelling } from '../exposure/policy.ts';
import { VARIABLES } from '../exposure/settings.ts';

type ListName = 'enabled' | 'disabled';

/** The env file's lists. Undefined if the file does not set the variable. */
type Lists = Readonly<Record<ListName, string | undefined>>;

export interface Edit {
	/** The lists that the edit is about. It may change the other one too. */
	readonly decides: readonly ListName[];
	/** Whether the edit's purpose is to show the given tools, or to hide them. */
	readonly shows: boolean;
	readonly change: (lists: Lists, selectors: readonly Selector[]) => Lists;
}

/** Adds to the allowlist (`default` if there is none), and removes the same selectors from the denylist. */
export const enable: Edit = {
	decides: ['enabled'],
	shows: true,
	change: ({ enabled, disabled }, selectors) => {
		// An empty variable counts as not set, so it must not become a list of only the added names.
		const inForce = enabled || 'default';
		const added = withAdded(inForce, selectors);
		return { enabled: added === inForce ? enabled : added, disabled: without(disabled, selectors) };
	},
};

/** Adds to the denylist. Keeps the allowlist, so that it applies again when the denial ends. */
export const disable: Edit = {
	decides: ['disabled'],
	shows: false,
	change: ({ enabled, disabled }, selectors) => {
		const added = withAdded(disabled ?? '', selectors);
		return { enabled, disabled: added === (disabled ?? '') ? disabled : added };
	},
};

/** Replaces one list. Without selectors, removes its variable, so that the default applies again. */
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

/** The text unchanged if the list has all selectors; otherwise with the missing ones appended. `none` adds nothing. */
function withAdded(text: string, selectors: readonly Selector[]): string {
	const list = parseSelectors(text).filter(({ kind }) => kind !== 'none');
	const before = list.length;
	for (const selector of selectors) {
		if (selector.kind !== 'none' && !list.some((other) => isSame(selector, other))) list.push(selector);
	}
	return list.length === before ? text : toText(list);
}

/** The text unchanged if the list has none of the selectors. Undefined if nothing is left: an empty denylist is removed. */
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
	/** Variables whose value changed; undefined if removed. If none changed, the file is not written. */
	readonly written: readonly { readonly variable: string; readonly value: string | undefined }[];
	/** Variables that the environment sets too, where they win over the file. */
	readonly overridden: readonly string[];
}

/** @throws EnvFileError if the env file cannot be read or written; then it is unchanged */
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
