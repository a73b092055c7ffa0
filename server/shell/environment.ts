import { COMMAND_VARIABLE } from '../processes/process-table.ts';
import { looksSecret } from '../text/secrets.ts';

export interface CommandEnvironmentOptions {
	/** Where the command runs; on `win32` names of variables have no case. */
	readonly platform: NodeJS.Platform;
	/** Tells the processes of one command from all others. */
	readonly commandId: string;
	readonly isNetworkIsolated: boolean;
}

/**
 * The environment of a command: the given one without secrets and without what makes bash run something before the
 * command, and with what keeps programs from colours, pagers and questions.
 *
 * @returns a new object; the given one stays as it is
 */
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
	const kept: [string, string][] = [];
	for (const [name, value] of Object.entries(environment)) {
		const spelling = platform === 'win32' ? name.toUpperCase() : name;
		if (value === undefined || replaced.has(spelling) || EXPORTED_FUNCTION.test(spelling)) continue;
		if (!looksSecret(name, value)) kept.push([name, value]);
	}
	return { ...Object.fromEntries(kept), ...set };
}

/** Set where the command can not reach the network, and only there. */
const NETWORK_VARIABLE = 'CONTEXT_BROKER_NETWORK';

/** Names in upper case. */
const SET: Readonly<Record<string, string>> = {
	// Colours: no-color.org, the convention of BSD, and for what knows neither a terminal that has none.
	NO_COLOR: '1',
	CLICOLOR: '0',
	TERM: 'dumb',
	// Pagers. All but the first have precedence over PAGER, or over a configuration that has.
	PAGER: 'cat',
	GIT_PAGER: 'cat',
	MANPAGER: 'cat',
	SYSTEMD_PAGER: 'cat',
	GH_PAGER: 'cat',
	// Empty is how the AWS CLI has it off.
	AWS_PAGER: '',
	// Git asks for no user name or password: nobody could answer.
	GIT_TERMINAL_PROMPT: '0',
};

/** Names in upper case. */
const REMOVED: readonly string[] = [
	// Files that bash, and sh, run before the command.
	'BASH_ENV',
	'ENV',
	// As many distributions build it, bash runs ~/.bashrc before a command where one of these is set and SHLVL is not.
	'SSH_CLIENT',
	'SSH2_CLIENT',
	// Can have bash trace the command, for which it runs what stands in PS4.
	'SHELLOPTS',
	// Colours, even where the output is no terminal.
	'FORCE_COLOR',
	'CLICOLOR_FORCE',
	'COLORTERM',
];

/** A function that a bash exported, which would stand in for the program of its name: bash 4.3 and newer, and Apple's. */
const EXPORTED_FUNCTION = /^(?:BASH_FUNC_|__BASH_FUNC<)/;
