import type { ToolExposure } from '../exposure/policy.ts';
import { matches, type Selector } from '../exposure/selectors.ts';
import { VARIABLES } from '../exposure/settings.ts';
import { SOURCE_NAMES } from '../exposure/warnings.ts';
import { cleaned } from '../text/cleaned.ts';
import { quote } from '../text/quote.ts';
import type { Edited } from './edit-lists.ts';
import type { Style } from './style.ts';

/** A line for each tool: whether it is shown, its name, and what decided. */
export function toolLines(tools: readonly ToolExposure[], style: Style): string {
	const width = Math.max(0, ...tools.map(({ name }) => name.length));
	return tools
		.map((tool) => {
			// A server can name its tools as it likes, and mean something to the terminal.
			const origin = tool.origin === undefined ? '' : ` (${cleaned(tool.origin)})`;
			const rest = `${tool.name.padEnd(width)}  ${reasonOf(tool)}${origin}`;
			return tool.shown ? `${style.shown('shown')}   ${rest}\n` : `${style.hidden(`hidden  ${rest}`)}\n`;
		})
		.join('');
}

/** What became of the env file, a line for each variable. */
export function editLines({ written }: Edited, envFile: string): string {
	if (written.length === 0) return `Nothing to change in ${envFile}.\n`;
	return written
		.map(({ variable, value }) =>
			value === undefined
				? `Removed ${variable} from ${envFile}.\n`
				: `Set ${variable} to ${JSON.stringify(value)} in ${envFile}.\n`,
		)
		.join('');
}

/**
 * What keeps an edit from having the effect it is for, a sentence each.
 *
 * @param shows whether the edit is there to show the tools that the selectors cover, or to hide them
 */
export function obstacles(
	{ overridden }: Edited,
	shows: boolean,
	selectors: readonly Selector[],
	tools: readonly ToolExposure[],
): string[] {
	const covered = tools.filter((tool) => selectors.some((selector) => matches(selector, tool)));
	return [
		...overridden.map(
			(name) =>
				`${name} is set in the environment, which wins over the env file: unset it there for the file to count.`,
		),
		...covered
			.filter(({ shown }) => shown !== shows)
			.map((tool) => `${tool.name} stays ${tool.shown ? 'shown' : 'hidden'}: ${reasonOf(tool)}.`),
	];
}

/** What decided. */
export function reasonOf({ shown, list, source, selector }: ToolExposure): string {
	if (list === undefined || source === undefined) {
		return shown ? 'by default' : 'high impact: shown only where it is named';
	}
	const place = `in ${VARIABLES[list]} (${SOURCE_NAMES[source]})`;
	return selector === undefined ? `not ${place}` : `${quote(selector)} ${place}`;
}
