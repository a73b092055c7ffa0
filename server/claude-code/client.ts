/** What an MCP client says about itself in `initialize`. */
export interface ClientInfo {
	readonly name: string;
	readonly version: string;
}

/**
 * How the broker learns who calls:
 *
 * - `hooks`: before each call, Claude Code reports the agent that makes it
 * - `too_old`: a Claude Code that does not
 * - `key_only`: another MCP client; the key alone decides
 */
export type ClientKind = 'hooks' | 'too_old' | 'key_only';

/**
 * The first version whose hooks can call an MCP server (since 2.1.118), and can change a subagent's answer before the main
 * agent gets it. Measured, see CONTRIBUTING.
 */
export const OLDEST_CLAUDE_CODE = '2.1.126';

/** Variables that Claude Code sets for the MCP servers of plugins, or for the shells that it runs. */
export const CLAUDE_CODE_VARIABLES = ['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_PLUGIN_ROOT'];

/**
 * One sign of Claude Code is enough, in the client's name or in the environment. So nothing inside its sessions, the shell
 * included, can reach the mode in which the key alone decides. That mode is also closed before `initialize`.
 */
export function kindOfClient(client: ClientInfo | undefined, environment: NodeJS.ProcessEnv): ClientKind {
	if (isNamed(client)) return isOlder(client.version, OLDEST_CLAUDE_CODE) ? 'too_old' : 'hooks';
	const isAround = CLAUDE_CODE_VARIABLES.some((name) => (environment[name] ?? '') !== '');
	return isAround || client === undefined ? 'hooks' : 'key_only';
}

/** The client of this process, by what it has said so far. */
export class Client {
	readonly #environment: NodeJS.ProcessEnv;
	readonly #onKeyOnly: () => void;
	#wasClaudeCode = false;
	#wasKeyOnly = false;

	/** @param onKeyOnly called once, if the key alone decides */
	constructor(environment: NodeJS.ProcessEnv, onKeyOnly: () => void) {
		this.#environment = environment;
		this.#onKeyOnly = onKeyOnly;
	}

	/** The client's kind. Once Claude Code, it stays Claude Code. */
	identify(info: ClientInfo | undefined): ClientKind {
		const kind = kindOfClient(info, this.#environment);
		if (kind !== 'key_only') this.#wasClaudeCode = true;
		else if (this.#wasClaudeCode) return 'hooks';
		else if (!this.#wasKeyOnly) {
			this.#wasKeyOnly = true;
			this.#onKeyOnly();
		}
		return kind;
	}
}

/** The first version that calls a hook before a notification; and the older ones that run all agents in the background. */
export const NOTIFICATION_HOOK_SINCE = '2.1.260';
export const ALWAYS_BACKGROUND = { first: '2.1.232', last: '2.1.259' };

/** Whether a hook is called before a background agent's answer reaches the main agent as a notification. Measured. */
export function hasNotificationHook(client: ClientInfo | undefined): boolean {
	return client !== undefined && !isOlder(client.version, NOTIFICATION_HOOK_SINCE);
}

/**
 * Whether a version runs every agent in the background if a person uses it, and calls no hook for the answer. Nothing can
 * be loaded in such a session. Measured.
 */
export function loadsOnlyHeadless(version: string): boolean {
	return !isOlder(version, ALWAYS_BACKGROUND.first) && isOlder(version, NOTIFICATION_HOOK_SINCE);
}

/**
 * Milliseconds since the broker's start for which a listing of tools waits for servers that are still connecting. Claude
 * Code itself waits that long before its first request. With `-p`, 2.1.126 lists the tools once, waits longer, and ignores
 * later changes; 2.1.332 lists them again.
 */
export function listingDeadlineMs(client: ClientInfo | undefined): number {
	return isNamed(client) && isOlder(client.version, '2.1.332') ? 5_000 : 2_000;
}

function isNamed(client: ClientInfo | undefined): client is ClientInfo {
	return client !== undefined && /^claude[-_ ]?code/i.test(client.name);
}

/** Whether a version comes before another. One that cannot be read does. A suffix after the three numbers is ignored. */
export function isOlder(version: string, other: string): boolean {
	const [left, right] = [numbersOf(version), numbersOf(other)];
	const [difference] = right.map((number, index) => (left[index] ?? -1) - number).filter((number) => number !== 0);
	return difference !== undefined && difference < 0;
}

function numbersOf(version: string): number[] {
	const [, ...numbers] = /^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
	return numbers.map(Number);
}
