import { COMMAND_VARIABLE } from '../processes/process-table.ts';
import { looksSecret } from '../text/secrets.ts';

export interface CommandEnvironmentOptions {
	readonly platform: NodeJS.Platform;
	readonly commandId: string;
	readonly isNetworkIsolated: boolean;
}

/** Removes secrets, anything that bash would run before the command, colours, pagers and prompts. */
export function commandEnvironment(
	environment: NodeJS.ProcessEnv,
	{ platform, commandId, isNetworkIsolated }: CommandEnvironmentOptions,
): Record<string, string> {
	const set = {
		...SET,
		CONTEXT_BROKER: '1',
		[COMMAND_VARIABLE]: commandId,
		...(isNetworkIsolated && { [NETWORK_VARIABLE]: 'none' }),
	};
	const replaced = new Set([...REMOVED, NETWORK_VARIABLE, ...Object.keys(set)]);
	const kept = Object.entries(environment).filter((entry): entry is [string, string] => {
		const [name, value] = entry;
		// Windows ignores the case of variable names.
		const spelling = platform === 'win32' ? name.toUpperCase() : name;
		if (value === undefined || replaced.has(spelling) || EXPORTED_FUNCTION.test(spelling)) return false;
		return !looksSecret(name, value);
	});
	return { ...Object.fromEntries(kept), ...set };
}

const NETWORK_VARIABLE = 'CONTEXT_BROKER_NETWORK';

/** Names in upper case. */
const SET: Readonly<Record<string, string>> = {
	// No colours: no-color.org, BSD, and a terminal without them.
	NO_COLOR: '1',
	CLICOLOR: '0',
	TERM: 'dumb',
	// No pagers: all but the first take precedence over PAGER, or over a configuration that does.
	PAGER: 'cat',
	GIT_PAGER: 'cat',
	MANPAGER: 'cat',
	SYSTEMD_PAGER: 'cat',
	GH_PAGER: 'cat',
	AWS_PAGER: '', // Empty switches it off.
	// No prompts: nobody could answer.
	GIT_TERMINAL_PROMPT: '0',
};

const REMOVED: readonly string[] = [
	'BASH_ENV',
	'ENV',
	// In many distributions, bash runs ~/.bashrc if one of these is set and SHLVL is not.
	'SSH_CLIENT',
	'SSH2_CLIENT',
	// Can turn on tracing, for which bash runs the code in PS4.
	'SHELLOPTS',
	'FORCE_COLOR',
	'CLICOLOR_FORCE',
	'COLORTERM',
];

/** A function that bash exported; it would replace the program of the same name. Bash 4.3 and newer, and Apple's. */
const EXPORTED_FUNCTION = /^(?:BASH_FUNC_|__BASH_FUNC<)/;
