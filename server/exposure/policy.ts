/**
 * Which groups of a list cover a tool. Without an allowlist, `default` applies.
 *
 * - `safe`: `safe`, `default` and `all`; it changes nothing and reaches nothing outside
 * - `default`: `default` and `all`; the user has configured its server
 * - `named`: `all` only; its impact is high
 */
export type ExposureClass = 'safe' | 'default' | 'named';

export interface ExposableTool {
	readonly name: string;
	readonly exposure: ExposureClass;
	/** `SERVER__tool` with the server's own name for it, if `name` differs. A list may use either. */
	readonly origin?: string;
}

/** One word of a list: a group of tools, a tool, or all tools with a prefix. */
export interface Selector {
	readonly kind: 'all' | 'none' | 'default' | 'safe' | 'name' | 'prefix';
	/** As written. */
	readonly text: string;
}

export const GROUPS: Readonly<Record<string, Selector['kind']>> = {
	all: 'all',
	'*': 'all',
	none: 'none',
	default: 'default',
	safe: 'safe',
};

/** Splits a list at commas, semicolons and white space. */
export function parseSelectors(text: string): Selector[] {
	const words = text.split(/[\s,;]+/).filter((word) => word !== '');
	return words.map((word) => {
		const group = Object.hasOwn(GROUPS, word.toLowerCase()) ? GROUPS[word.toLowerCase()] : undefined;
		return { kind: group ?? (word.endsWith('*') ? 'prefix' : 'name'), text: word };
	});
}

/** Whether a selector covers a tool. Only a `*` at the end is a wildcard. */
export function matches({ kind, text }: Selector, tool: ExposableTool): boolean {
	switch (kind) {
		case 'all':
			return true;
		case 'none':
			return false;
		case 'safe':
			return tool.exposure === 'safe';
		case 'default':
			return tool.exposure !== 'named';
		case 'name':
			return namesOf(tool).some((name) => spelling(name) === spelling(text));
		case 'prefix':
			return namesOf(tool).some((name) => spelling(name).startsWith(spelling(text.slice(0, -1))));
	}
}

/** The broker's name first. */
export function namesOf({ name, origin }: ExposableTool): string[] {
	return origin === undefined ? [name] : [name, origin];
}

/** For comparison: `-` and `_` are the same in a tool's name. */
export function spelling(name: string): string {
	return name.replaceAll('-', '_');
}

export type Source = 'environment' | 'env_file';

export interface SourcedList {
	readonly text: string;
	readonly source: Source;
}

/** The user's lists. Undefined if the variable is not set, or is empty. */
export interface ExposureSettings {
	readonly enabled: SourcedList | undefined;
	readonly disabled: SourcedList | undefined;
}

export interface ToolExposure extends ExposableTool {
	readonly shown: boolean;
	/** The list that decided; undefined for the default without an allowlist. */
	readonly list: 'enabled' | 'disabled' | undefined;
	readonly source: Source | undefined;
	/** The selector that decided, as written. `default` without an allowlist; undefined if none covers the tool. */
	readonly selector: string | undefined;
}

const WITHOUT_LIST = parseSelectors('default');

/** A tool is shown if the allowlist covers it and the denylist does not. @param tools all that exist, in their order */
export function exposureOf(tools: readonly ExposableTool[], { enabled, disabled }: ExposureSettings): ToolExposure[] {
	const allowed = enabled === undefined ? WITHOUT_LIST : parseSelectors(enabled.text);
	const denied = disabled === undefined ? [] : parseSelectors(disabled.text);
	return tools.map((tool) => {
		const denial = deciding(denied, tool);
		if (denial !== undefined) {
			return { ...tool, shown: false, list: 'disabled', source: disabled?.source, selector: denial.text };
		}
		const permission = deciding(allowed, tool);
		const list = enabled === undefined ? undefined : 'enabled';
		return { ...tool, shown: permission !== undefined, list, source: enabled?.source, selector: permission?.text };
	});
}

/** The selector to report: the first that names the tool, else the first that covers it. */
function deciding(selectors: readonly Selector[], tool: ExposableTool): Selector | undefined {
	const covering = selectors.filter((selector) => matches(selector, tool));
	return covering.find(({ kind }) => kind === 'name') ?? covering[0];
}
