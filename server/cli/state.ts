import { parseEnvFile } from '../env-file/parse.ts';
import { type ExposableTool, exposureOf, type ToolExposure } from '../exposure/policy.ts';
import { settingsOf } from '../exposure/settings.ts';
import { warningsOf } from '../exposure/warnings.ts';

/** How things stand, to be shown. */
export interface State {
	readonly tools: readonly ToolExposure[];
	readonly warnings: readonly string[];
}

/** Which tools there are. */
export interface KnownTools {
	/** All that can be shown. */
	readonly tools: readonly ExposableTool[];
	/** How the names of others begin: those of servers that could not be asked. */
	readonly expected: readonly string[];
}

/** @param text the env file's */
export function stateOf(text: string, environment: NodeJS.ProcessEnv, { tools, expected }: KnownTools): State {
	const variables = parseEnvFile(text);
	const settings = settingsOf(environment, variables);
	const names = [...Object.keys(environment), ...variables.keys()];
	return { tools: exposureOf(tools, settings), warnings: warningsOf(tools, settings, names, expected) };
}
