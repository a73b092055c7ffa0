import type { ExposureSettings, SourcedList } from './policy.ts';

export const VARIABLES = {
	enabled: 'CONTEXT_BROKER_ENABLED_TOOLS',
	disabled: 'CONTEXT_BROKER_DISABLED_TOOLS',
} as const;

/** Every variable that the user can set. */
export const KNOWN_VARIABLES: readonly string[] = [...Object.values(VARIABLES), 'CONTEXT_BROKER_ENV_FILE'];

/** The broker sets these for its commands. A broker that such a command starts does not warn of them. */
export const GIVEN_TO_COMMANDS: readonly string[] = ['CONTEXT_BROKER_COMMAND', 'CONTEXT_BROKER_NETWORK'];

/** Whether a name looks like a variable of the broker, but is none. */
export function isUnknownVariable(name: string): boolean {
	return /^CONTEXT_BROKER_/i.test(name) && ![...KNOWN_VARIABLES, ...GIVEN_TO_COMMANDS].includes(name);
}

/** The environment wins over the `file`; an empty variable counts as not set. */
export function settingsOf(environment: NodeJS.ProcessEnv, file: ReadonlyMap<string, string>): ExposureSettings {
	const list = (name: string): SourcedList | undefined => {
		const [own, inFile] = [environment[name] ?? '', file.get(name) ?? ''];
		if (own !== '') return { text: own, source: 'environment' };
		return inFile === '' ? undefined : { text: inFile, source: 'env_file' };
	};
	return { enabled: list(VARIABLES.enabled), disabled: list(VARIABLES.disabled) };
}
