/** Every error of the broker's tools. Models read the texts, so they contain no path, no key and no content. */
const ERRORS = {
	config_missing: {
		message: 'There is no context map.',
		next: 'Ask the user to create ~/.config/context-broker/context-map.toml (if $XDG_CONFIG_HOME is set: context-broker/context-map.toml in that folder) with two lines: "[keys]", and below it "KEY = \'~/private/catalog.md\'". KEY is the key in the body of the agent, and the path is that of a Markdown file. "context-broker doctor" shows both lines. No restart is needed.',
	},
	config_unreadable: {
		message: 'The context map cannot be read.',
		next: 'Ask the user to make context-map.toml a readable file. No restart is needed.',
	},
	config_invalid: {
		message: 'The context map is not valid.',
		next: 'Ask the user to correct that place in context-map.toml; "context-broker doctor" shows the line. No restart is needed.',
	},
	unknown_key: {
		message: 'The context map has no such key.',
		next: 'Use the key exactly as your instructions give it. If you did, ask the user to add it to the [keys] table of context-map.toml.',
	},
	agents_only: {
		message: 'Private context is for the agents that the user chose, not for the main agent.',
		next: 'Delegate: start the agent that needs it with the Agent tool (context-broker:privacy-scanner for a privacy scan). It loads the private context itself.',
	},
	agent_not_listed: {
		message: 'The context map has no such key for this agent.',
		next: 'Use the key exactly as your instructions give it. If you did, ask the user to add this name to the agents of that key in context-map.toml.',
	},
	caller_unverified: {
		message: 'The broker could not verify which agent is calling, so nothing was loaded.',
		next: 'Call the tool once more. If that fails too, ask the user to check the hooks of Claude Code: /hooks must show the PreToolUse hook of Context Broker, and the settings disableAllHooks and allowManagedHooksOnly must be off.',
	},
	client_too_old: {
		message: 'This version of Claude Code is too old to protect private content, so nothing was loaded.',
		next: 'Ask the user to update Claude Code ("claude update") and to start a new session.',
	},
	unchecked_background: {
		message: 'The answer of this agent cannot be checked for quotations, so nothing was loaded.',
		next: 'Report this and stop. The agent can load if its starter waits for its answer.',
	},
	protected_file: {
		message:
			'This call would reach a private file, or what Claude Code has stored about one. Only the agents that the user chose may read it.',
		next: 'Do not look for its content in another way. If you searched a parent folder, search other folders only. If you need something from it, start the agent that may load it. If it must be changed, ask the user.',
	},
	attached_file: {
		message: 'Claude Code would add a private file to this conversation by itself.',
		next: 'Start a new session.',
	},
	do_not_quote: {
		message: 'Your text for another agent, or for a file, repeats private context or cannot be checked for it.',
		next: 'Replace each passage with a reference such as [context:L12], its line in the file that you loaded. If Claude Code was restarted since then, load the file again.',
	},
	do_not_fork: {
		message: 'This agent holds private context, and a fork would hold it too.',
		next: 'Start an agent of another type, and tell it what it needs without quoting.',
	},
	do_not_resume: {
		message: 'That agent has loaded private context, so it takes no more messages.',
		next: 'Start a new agent of its type with the Agent tool, and tell it everything it needs.',
	},
	do_not_continue: {
		message: 'This conversation holds private context that only another agent may have.',
		next: 'Start a new session, or continue as the agent that loaded it: "claude --continue --agent" and its name.',
	},
	answer_withheld: {
		message:
			'The answer of an agent was withheld: it repeats private context, or cannot be checked because the broker was restarted.',
		next: 'Ask Claude to start a new agent of that type.',
	},
	result_withheld: {
		message: 'The result of this call was withheld: it repeats a private file that is for other agents.',
		next: 'Continue without it, and do not look for it in another way. If your instructions give you a key, load the file with it. Otherwise, if you need something from it, start the agent that may load it.',
	},
	check_timeout: {
		message: 'The broker could not check this call in time.',
		next: 'Try again. If it happens again, ask the user to look for a file system that does not answer, such as a network drive, and to run "context-broker doctor".',
	},
	state_unwritable: {
		message: 'The broker cannot record which agent loads private context, so nothing was loaded.',
		next: 'Ask the user to check that the disk is not full, and that the data folder of the plugin is writable.',
	},
	state_unreadable: {
		message:
			'The record of an agent that has loaded private context cannot be read, so its transcript is not protected.',
		next: 'Ask the user to remove that file and the transcript.',
	},
	file_missing: {
		message: 'The file of this key does not exist.',
		next: 'Ask the user to create the file, or to correct its path in context-map.toml.',
	},
	file_unreadable: {
		message: 'The file of this key cannot be read.',
		next: 'Ask the user to make the file readable for their account, then try again.',
	},
	not_markdown: {
		message: 'The file of this key is not named *.md, and only Markdown files are served.',
		next: 'Ask the user to give the file a name that ends in .md. If it is a link, its target needs such a name too.',
	},
	not_a_file: {
		message: 'This key leads to something that is not a regular file.',
		next: 'Ask the user to give this key the path of a Markdown file in context-map.toml.',
	},
	not_text: {
		message: 'The file of this key is not UTF-8 text.',
		next: 'Ask the user to save the file as UTF-8, without NUL characters.',
	},
	too_large: {
		message: 'The file of this key is too large to be loaded whole.',
		next: 'Ask the user to shorten the file, or to split it into several files with a key each.',
	},
	path_outside: {
		message: 'That path is outside the project.',
		next: 'Give the path of a file or folder in the project, or leave it out to search the whole project.',
	},
	path_missing: {
		message: 'There is nothing at that path.',
		next: 'Check the path: it is relative to the project, and must name a readable file or folder.',
	},
	not_searched: {
		message: 'That path could not be searched.',
		next: 'Report it as not searched, with this reason.',
	},
	no_history: {
		message: 'There is no git history to search: the project is not a git repository, or git was not found.',
		next: 'Leave out "history", or report this and stop.',
	},
	git_failed: {
		message: 'Git could not read the repository, so nothing was searched.',
		next: 'To search without git, leave out "history" and set "ignored", which includes what git ignores. Ask the user to find the cause with "git status" and "git fsck".',
	},
	command_not_started: {
		message: 'The command could not be started.',
		next: 'Try another way, or report this and stop.',
	},
	network_isolation_unavailable: {
		message:
			'This session holds private context, so commands must run without a network, and the broker cannot ensure that on this system.',
		next: 'Report this and stop. The user can install bubblewrap (Linux), or run the command in a session that has loaded no private context.',
	},
	outward_tool: {
		message: 'This agent holds private data, and that tool can send data out.',
		next: 'Continue without it. If the user wants to allow it, they can add it to allow_tools in the [private_data] table of context-map.toml.',
	},
	isolated_tool: {
		message: 'The user allows this tool only in subagents, not in the main agent.',
		next: 'Report this. In Claude Code with the hooks of Context Broker on, the refusal says what to do instead.',
	},
	ambiguous_tool: {
		message:
			'Claude Code does not say which MCP server this tool belongs to, and the user has isolated it on only one of them.',
		next: 'Report this. The user can rename one of the servers, isolate the tool on both, or update Claude Code.',
	},
	executor_prompt: {
		message: 'The prompt does not say which tool context-broker:mcp-executor should run.',
		next: 'Begin it with one line of JSON such as {"server":"db","tool":"query","name":"mcp__db__query","arguments":{"sql":"select 1"}}, with the full name of an MCP tool. Then say what to answer.',
	},
	not_delegated: {
		message: 'This agent may run only the tool that it was started for, and this is another.',
		next: 'Report this and stop.',
	},
	executor_done: {
		message: 'A context-broker:mcp-executor answers once and takes no more messages.',
		next: 'Start a new one with the Agent tool.',
	},
	upstream_unavailable: {
		message: 'The MCP server of this tool cannot be reached now.',
		next: 'Continue without it, or report this. The next call tries again. "context-broker doctor" shows the user the reason.',
	},
	upstream_lost: {
		message: 'The MCP server of this tool ended before it answered, so it is unknown whether the call had an effect.',
		next: 'The broker does not repeat the call. Check whether it had an effect before you call again.',
	},
	upstream_timeout: {
		message: 'The MCP server of this tool did not answer in time, so it is unknown whether the call had an effect.',
		next: 'The broker does not repeat the call. Check whether it had an effect before you call again. The user can raise read_timeout (in seconds) of that server in context-map.toml.',
	},
	isolated_instance_unavailable: {
		message:
			'This session holds private data, so this tool may use only the isolated instance of its MCP server, and that cannot be reached.',
		next: 'Continue without it, or report this. The next call tries again. "context-broker doctor" shows the user the reason.',
	},
	refused_when_private: {
		message: 'This session holds private data, and the user does not allow this tool in such sessions.',
		next: 'Continue without it, or use it in a session that has loaded no private context.',
	},
	invalid_arguments: {
		message: 'The arguments do not fit the tool.',
		next: 'Call the tool again with exactly the arguments in its schema.',
	},
	internal_error: {
		message: 'The broker had an internal error.',
		next: 'Try again. If it happens again, ask the user to start a new session and to report it.',
	},
} as const;

export type ErrorCode = keyof typeof ERRORS;

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/** Why a call would reach a protected file. Only the person sees it. */
export interface Evidence {
	/** The protected file or folder: absolute. */
	readonly path: string;
	/** `written_down`: Claude Code's record of an agent. */
	readonly kind: 'map' | 'private_file' | 'written_down';
	/** The word of the call that reaches it, as written; '' for the call as a whole. */
	readonly word: string;
	/** `search`: a recursive read or listing of a parent folder. `too_complex`: the call could not be analysed. */
	readonly how: 'named' | 'link' | 'pattern' | 'search' | 'too_complex';
}

export interface ErrorDetails {
	/** A sentence after the code's message. The model reads it: no path, key or content. */
	readonly detail?: string | undefined;
	/** Replaces the code's own next step. */
	readonly next?: string;
	/** Only for standard error. No path of the map, key or content either. */
	readonly note?: string | undefined;
	readonly cause?: unknown;
	/** Not for a model, and not for standard error. */
	readonly evidence?: Evidence | undefined;
}

/** `createServer` turns it into a tool result, in one place. */
export class BrokerError extends Error {
	readonly code: ErrorCode;
	readonly next: string;
	readonly note: string | undefined;
	readonly evidence: Evidence | undefined;

	constructor(code: ErrorCode, { detail, note, cause, evidence, next = ERRORS[code].next }: ErrorDetails = {}) {
		const { message } = ERRORS[code];
		super(detail === undefined ? message : `${message} ${detail}`, { cause });
		this.code = code;
		this.next = next;
		this.note = note;
		this.evidence = evidence;
	}

	/** Reports only the name of an unforeseen error: its message can contain anything. */
	static from(thrown: unknown): BrokerError {
		if (thrown instanceof BrokerError) return thrown;
		const note = `The error is ${thrown instanceof Error ? thrown.name : typeof thrown}`;
		return new BrokerError('internal_error', { cause: thrown, note });
	}

	get text(): string {
		return `${this.code}: ${this.message} ${this.next}`;
	}
}
