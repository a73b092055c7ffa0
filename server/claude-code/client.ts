/** As an MCP client introduces itself in `initialize`. */
export interface ClientInfo {
	readonly name: string;
	readonly version: string;
}

/**
 * What the broker can know of who calls:
 *
 * - `hooks`: Claude Code tells before each call which agent makes it
 * - `too_old`: a Claude Code that does not
 * - `key_only`: another MCP client; the key alone decides
 */
export type ClientKind = 'hooks' | 'too_old' | 'key_only';

/**
 * The first version whose hooks can ask an MCP server (from 2.1.118) and change what the main agent gets of a subagent's
 * answer. Measured, see CONTRIBUTING.
 */
export const OLDEST_CLAUDE_CODE = '2.1.126';

/** Variables that Claude Code gives to the MCP servers of plugins, or to the shells that it runs. */
export const CLAUDE_CODE_VARIABLES = ['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_PLUGIN_ROOT'];

/**
 * Decided from what the client and the environment say. One sign of Claude Code is enough: from inside its sessions,
 * the shell included, there is no way to the mode in which the key alone decides. Neither is there before the client
 * has introduced itself.
 */
export function kindOfClient(client: ClientInfo | undefined, environment: NodeJS.ProcessEnv): ClientKind {
	if (isNamed(client)) return isOlder(client.version, OLDEST_CLAUDE_CODE) ? 'too_old' : 'hooks';
	const isAround = CLAUDE_CODE_VARIABLES.some((name) => (environment[name] ?? '') !== '');
	return isAround || client === undefined ? 'hooks' : 'key_only';
}

/** The client of this process, as it has introduced itself so far. */
export class Client {
	readonly #environment: NodeJS.ProcessEnv;
	readonly #onKeyOnly: () => void;
	#wasClaudeCode = false;
	#wasKeyOnly = false;

	/** @param onKeyOnly told once, if the key alone decides */
	constructor(environment: NodeJS.ProcessEnv, onKeyOnly: () => void) {
		this.#environment = environment;
		this.#onKeyOnly = onKeyOnly;
	}

	/** What it is. One that was Claude Code once stays it. */
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

/** The first version that asks a hook before a notification, and those that run every agent in the background before. */
export const NOTIFIES_SINCE = '2.1.260';
export const ALWAYS_BACKGROUND = { first: '2.1.232', last: '2.1.259' };

/** Whether a hook is asked before a notification of a background agent's answer reaches the main agent. Measured. */
export function asksAboutNotifications(client: ClientInfo | undefined): boolean {
	return client !== undefined && !isOlder(client.version, NOTIFIES_SINCE);
}

/**
 * Whether a version runs every agent in the background if a person is at it, and asks no hook about its answer: nothing can
 * be loaded in such a session. Measured.
 */
export function loadsWithoutPersonOnly(version: string): boolean {
	return !isOlder(version, ALWAYS_BACKGROUND.first) && isOlder(version, NOTIFIES_SINCE);
}

/**
 * Milliseconds after its start that a question for the broker's tools waits for servers that are on their way. Claude Code
 * waits that long by itself before its first request. With `-p`, 2.1.126 asks once, waits longer, and heeds no later word of
 * other tools; 2.1.332 asks again.
 */
export function listingPatience(client: ClientInfo | undefined): number {
	return isNamed(client) && isOlder(client.version, '2.1.332') ? 5_000 : 2_000;
}

function isNamed(client: ClientInfo | undefined): client is ClientInfo {
	return client !== undefined && /^claude[-_ ]?code/i.test(client.name);
}

/** Whether a version comes before another; one that can't be read does. What follows the three numbers is not looked at. */
export function isOlder(version: string, other: string): boolean {
	const [left, right] = [numbersOf(version), numbersOf(other)];
	const [difference] = right.map((number, index) => (left[index] ?? -1) - number).filter((number) => number !== 0);
	return difference !== undefined && difference < 0;
}

function numbersOf(version: string): number[] {
	const [, ...numbers] = /^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
	return numbers.map(Number);
}
