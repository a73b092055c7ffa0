import { nearest } from '../text/nearest.ts';
import { quote } from '../text/terminal.ts';
import {
	type ExposableTool,
	type ExposureSettings,
	exposureOf,
	GROUPS,
	matches,
	parseSelectors,
	type Selector,
	type Source,
	spelling,
} from './policy.ts';
import { isUnknownVariable, KNOWN_VARIABLES, VARIABLES } from './settings.ts';

export const SOURCE_NAMES: Readonly<Record<Source, string>> = { environment: 'environment', env_file: 'env file' };

/** The words of a list that cover no tool, with the nearest valid one. @param expected prefixes of tools not listed yet */
export function unknownSelectors(
	selectors: readonly Selector[],
	tools: readonly ExposableTool[],
	expected: readonly string[] = [],
): { readonly text: string; readonly nearest: string }[] {
	const names = tools.map(({ name }) => name);
	const words = [...names, ...Object.keys(GROUPS).filter((word) => word !== '*')];
	return selectors
		.filter(({ kind }) => kind === 'name' || kind === 'prefix')
		.filter((selector) => !tools.some((tool) => matches(selector, tool)))
		.filter((selector) => !expected.some((prefix) => canCover(selector, prefix)))
		.map(({ kind, text }) => {
			const valid = kind === 'prefix' ? names.map((name) => `${name.slice(0, text.length - 1)}*`) : words;
			return { text, nearest: nearest(text.toLowerCase(), valid) ?? 'none' };
		});
}

function canCover({ kind, text }: Selector, prefix: string): boolean {
	const [word, start] = [spelling(text.replace(/\*$/, '')), spelling(prefix)];
	return word.startsWith(start) || (kind === 'prefix' && start.startsWith(word));
}

/** @param variables names of all variables that are set @param expected name prefixes of tools not listed yet */
export function warningsOf(
	tools: readonly ExposableTool[],
	settings: ExposureSettings,
	variables: Iterable<string>,
	expected: readonly string[] = [],
): string[] {
	const unknown = [...new Set(variables)].filter(isUnknownVariable).map((name) => {
		const known = nearest(name.toUpperCase(), KNOWN_VARIABLES);
		return `There is no variable ${quote(name)}; the nearest is "${known}".`;
	});
	const ofLists = (['enabled', 'disabled'] as const).flatMap((list) => {
		const setting = settings[list];
		if (setting === undefined) return [];
		const place = `${VARIABLES[list]} (${SOURCE_NAMES[setting.source]})`;
		return unknownSelectors(parseSelectors(setting.text), tools, expected).map(
			({ text, nearest: word }) =>
				`${place} has ${quote(text)}, which is not a tool; the nearest valid word is "${word}".`,
		);
	});
	const isEmpty = settings.enabled !== undefined && parseSelectors(settings.enabled.text).length === 0;
	const hidesAll = tools.length > 0 && exposureOf(tools, settings).every(({ shown }) => !shown);
	const why = isEmpty ? ` ${VARIABLES.enabled} is set, but names no tool.` : '';
	return [...unknown, ...ofLists, ...(hidesAll ? [`No tool of the broker is shown.${why}`] : [])];
}
