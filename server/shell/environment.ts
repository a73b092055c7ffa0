import { COMMAND_VARIABLE } from '../processes/process-table.ts';
import { looksSecret } from '../text/secrets.ts';

export interface CommandEnvironmentOptions {
	readonly platform: NodeJS.Platform;
	readonly commandId: string;
	readonly isNetworkIsolated: boolean;
}

/** Without secrets, without what bash would run before the command, and without colours, pagers and questions. */
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
		// Names of variables have no case there.
		const spelling = platform === 'win32' ? name.toUpperCase() : name;
		if (value === undefined || replaced.has(spelling) || EXPORTED_FUNCTION.test(spelling)) return false;
		return !looksSecret(name, value);
	});
	return { ...Object.fromEntries(kept), ...set };
}

const NETWORK_VARIABLE = 'CONTEXT_BROKER_NETWORK';

/** Names in upper case. */
const SET: Readonly<Record<string, string>> = {
	// Colours: no-color.org, BSD, and a terminal without any.
	NO_COLOR: '1',
	CLICOLOR: '0',
	TERM: 'dumb',
	// Pagers: all but the first precede PAGER, or a configuration that does.
	PAGER: 'cat',
	GIT_PAGER: 'cat',
	MANPAGER: 'cat',
	SYSTEMD_PAGER: 'cat',
	GH_PAGER: 'cat',
	AWS_PAGER: '', // Empty switches it off.
	// No questions: nobody could answer.
	GIT_TERMINAL_PROMPT: '0',
};

const REMOVED: readonly string[] = [
	'BASH_ENV',
	'ENV',
	// As many distributions build it, bash runs ~/.bashrc if one of these is set and SHLVL is not.
	'SSH_CLIENT',
	'SSH2_CLIENT',
	// Can switch tracing on, for which bash runs PS4.
	'SHELLOPTS',
	'FORCE_COLOR',
	'CLICOLOR_FORCE',
	'COLORTERM',
];

/** A function that bash exported, which would replace the program of its name: bash 4.3 and newer, and Apple's. */
const EXPORTED_FUNCTION = /^(?:BASH_FUNC_|__BASH_FUNC<)/;
