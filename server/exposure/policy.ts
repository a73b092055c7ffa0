import { matches, parseSelectors, type Selector } from './selectors.ts';

/**
 * When a tool is shown without being named:
 *
 * - `safe`: always by default; it changes nothing and reaches nothing outside
 * - `default`: by default, since the user has configured it
 * - `named`: never; its impact is high
 */
export type ExposureClass = 'safe' | 'default' | 'named';

/** A tool, as far as its exposure goes. */
export interface ExposableTool {
	readonly name: string;
	readonly exposure: ExposureClass;
	/** `SERVER__tool` as its server names it; only where that is another name. A list may have either. */
	readonly origin?: string;
}

/** Where a list was found. */
export type Source = 'environment' | 'env_file';

/** A list as the user wrote it. */
export interface SourcedList {
	readonly text: string;
	readonly source: Source;
}

/** What the user says of tools. Undefined where a variable is not set, or is empty. */
export interface ExposureSettings {
	readonly enabled: SourcedList | undefined;
	readonly disabled: SourcedList | undefined;
}

/** Whether a tool is shown, and what decided. */
export interface ToolExposure extends ExposableTool {
	readonly shown: boolean;
	/** The list that decided; undefined for the rule that holds without one. */
	readonly list: 'enabled' | 'disabled' | undefined;
	/** Where that list was found. */
	readonly source: Source | undefined;
	/** The selector that decided, as written; `default` without a list, and undefined where no selector covers the tool. */
	readonly selector: string | undefined;
}

/** The allowlist in force where the user gives none. */
const WITHOUT_LIST = parseSelectors('default');

/**
 * Which tools are shown: those that the allowlist covers, less those that the denylist covers.
 *
 * @param tools all that exist, in the order in which they are listed
 */
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

/** The first selector that covers a tool: one that names it before one that stands for many. */
function deciding(selectors: readonly Selector[], tool: ExposableTool): Selector | undefined {
	const covering = selectors.filter((selector) => matches(selector, tool));
	return covering.find(({ kind }) => kind === 'name') ?? covering[0];
}
