import { parseEnvFile } from '../env-file/parse.ts';
import { type ExposableTool, exposureOf, matches, type Selector, type ToolExposure } from '../exposure/policy.ts';
import { settingsOf, VARIABLES } from '../exposure/settings.ts';
import { SOURCE_NAMES, warningsOf } from '../exposure/warnings.ts';
import { cleaned, quote } from '../text/terminal.ts';
import type { Edited } from './edit-lists.ts';
import type { Style } from './style.ts';

export interface KnownTools {
	readonly tools: readonly ExposableTool[];
	/** Name prefixes of tools whose servers did not answer. */
	readonly expected: readonly string[];
}

export interface State {
	readonly tools: readonly ToolExposure[];
	readonly warnings: readonly string[];
}

/** @param text the env file's text */
export function stateOf(text: string, environment: NodeJS.ProcessEnv, { tools, expected }: KnownTools): State {
	const variables = parseEnvFile(text);
	const settings = settingsOf(environment, variables);
	const names = [...Object.keys(environment), ...variables.keys()];
	return { tools: exposureOf(tools, settings), warnings: warningsOf(tools, settings, names, expected) };
}

export function toJson({ tools, warnings }: State, envFile: string, edited?: Edited): string {
	const document = {
		tools: tools.map(({ name, shown, exposure, list = null, source = null, selector = null, origin }) => ({
			...{ name, shown, exposure, list, source, selector },
			...(origin === undefined ? {} : { origin }),
		})),
		envFile,
		warnings,
		...(edited && { written: edited.written.length > 0, overridden: edited.overridden }),
	};
	return `${JSON.stringify(document, null, 2)}\n`;
}

/** For each tool a line: whether it is shown, its name, and the reason. */
export function toolLines(tools: readonly ToolExposure[], style: Style): string {
	const width = Math.max(0, ...tools.map(({ name }) => name.length));
	const lines = tools.map((tool) => {
		// A server chooses its tools' names: they could contain control characters.
		const origin = tool.origin === undefined ? '' : ` (${cleaned(tool.origin)})`;
		const rest = `${tool.name.padEnd(width)}  ${reasonOf(tool)}${origin}`;
		return tool.shown ? `${style.shown('shown')}   ${rest}\n` : `${style.hidden(`hidden  ${rest}`)}\n`;
	});
	return lines.join('');
}

export function editLines({ written }: Edited, envFile: string): string {
	if (written.length === 0) return `Nothing to change in ${envFile}.\n`;
	const lines = written.map(({ variable, value }) =>
		value === undefined
			? `Removed ${variable} from ${envFile}.\n`
			: `Set ${variable} to ${JSON.stringify(value)} in ${envFile}.\n`,
	);
	return lines.join('');
}

/** @param shows whether the edit's purpose is to show the covered tools, or to hide them */
export function obstacles(
	{ overridden }: Edited,
	shows: boolean,
	selectors: readonly Selector[],
	tools: readonly ToolExposure[],
): string[] {
	const covered = tools.filter((tool) => selectors.some((selector) => matches(selector, tool)));
	const others = covered.filter(({ shown }) => shown !== shows);
	return [
		...overridden.map(
			(name) =>
				`${name} is set in the environment, which wins over the env file: unset it there if the file should apply.`,
		),
		...others.map((tool) => `${tool.name} stays ${tool.shown ? 'shown' : 'hidden'}: ${reasonOf(tool)}.`),
	];
}

export function reasonOf({ shown, list, source, selector }: ToolExposure): string {
	if (list === undefined || source === undefined) {
		return shown ? 'by default' : 'high impact: shown only if it is named';
	}
	const place = `in ${VARIABLES[list]} (${SOURCE_NAMES[source]})`;
	return selector === undefined ? `not ${place}` : `${quote(selector)} ${place}`;
}
