/** Every error of the broker's tools. Models read the texts, so they contain no path, no key and no content. */
const ERRORS = {
	config_missing: {
		message: 'There is no context map.',
		next: 'Ask the user to create ~/.config/context-broker/context-map.toml (where $XDG_CONFIG_HOME is set: context-broker/context-map.toml in that folder) with two lines: "[keys]", and below it "KEY = \'~/private/catalog.md\'" with the key from the body of the agent and the path of a Markdown file. "context-broker doctor" shows both lines. No restart is needed.',
	},
	config_unreadable: {
		message: 'The context map could not be read.',
		next: 'Ask the user to make context-map.toml a readable file. No restart is needed afterwards.',
	},
	config_invalid: {
		message: 'The context map is not valid.',
		next: 'Ask the user to correct context-map.toml at that place; "context-broker doctor" shows the line. No restart is needed afterwards.',
	},
	unknown_key: {
		message: 'The context map has no such key.',
		next: 'Use the key exactly as it stands in your instructions. If it is the same, ask the user to add it to context-map.toml, in the [keys] table.',
	},
	agents_only: {
		message: 'Private context is for the agents that the user keeps it for, not for the main agent.',
		next: 'Delegate: start the agent that needs it with the Agent tool (context-broker:privacy-scanner for a privacy scan). It loads what it needs by itself.',
	},
	agent_not_listed: {
		message: 'The context map has no such key for this agent.',
		next: 'Use the key exactly as it stands in your instructions. If it is the same, ask the user to add this name to the agents of that key in context-map.toml.',
	},
	caller_unverified: {
		message: 'It is not proven which agent calls, so nothing is loaded.',
		next: 'Call the tool once more. If that fails too, ask the user to look at the hooks of Claude Code: /hooks has to show the PreToolUse hook of Context Broker, and disableAllHooks and allowManagedHooksOnly keep it from working.',
	},
	client_too_old: {
		message: 'This Claude Code is too old for the checks that private content needs, so nothing is loaded.',
		next: 'Ask the user to update Claude Code ("claude update"), and to start a new session.',
	},
	unchecked_background: {
		message: 'The answer of this agent can not be checked for quotations on its way back, so nothing is loaded.',
		next: 'Report this and stop. It can load if whoever starts it waits for its answer.',
	},
	protected_file: {
		message:
			'This call would get at a private file, or at what Claude Code has written down of one. It is for the agents that the user keeps it for, and for nobody else.',
		next: 'Leave it alone, and do not look for its content in another way. A search of a folder above it can be narrowed to other folders. If you need something of it, start the agent that may load it; if it has to be changed, ask the user.',
	},
	attached_file: {
		message: 'Claude Code would put a private file into this conversation by itself.',
		next: 'Start a new session.',
	},
	do_not_quote: {
		message:
			'What you hand to another agent, or write into a file, repeats private context, or can not be checked for it.',
		next: 'Put a reference such as [context:L12] in the place of each passage: the line of it in what you have loaded. If Claude Code was restarted since, load that once more.',
	},
	do_not_fork: {
		message: 'This agent holds private context, and a fork of it would hold the same.',
		next: 'Start an agent of another type, and tell it what it needs to know without quoting.',
	},
	do_not_resume: {
		message: 'That agent has loaded private context, so it takes no further messages.',
		next: 'Start a new agent of its kind with the Agent tool, and tell it all that it needs to know.',
	},
	do_not_continue: {
		message: 'This conversation holds private context that only one kind of agent may have.',
		next: 'Start a new session; or, if that agent is named as the main one, go on with "claude --continue --agent" and its name.',
	},
	answer_withheld: {
		message:
			'The answer of an agent was withheld: it repeats private context, or can not be checked for it since the broker was restarted.',
		next: 'Ask Claude to start a new agent of that kind.',
	},
	result_withheld: {
		message: 'The result of this call was withheld: it repeats a private file, which is for other agents.',
		next: 'Go on without it, and do not look for it in another way. If you need something of it, start the agent that may load it; if your instructions have a key, load it by that.',
	},
	check_timeout: {
		message: 'The broker could not check this call in time.',
		next: 'Try again. If it stays so, ask the user to look for a file system that does not answer, such as a network drive, and to run "context-broker doctor".',
	},
	state_unwritable: {
		message: 'The broker can not note down which agent loads private context, so nothing is loaded.',
		next: 'Ask the user to look whether the disk is full, and whether the data folder of the plugin can be written.',
	},
	state_unreadable: {
		message: 'A note of which agent has loaded private context can not be read, so its transcript is not protected.',
		next: 'Ask the user to remove that file, and the transcript with it.',
	},
	file_missing: {
		message: 'The file that belongs to this key does not exist.',
		next: 'Ask the user to create that file, or to correct its path in context-map.toml.',
	},
	file_unreadable: {
		message: 'The file that belongs to this key could not be read.',
		next: 'Ask the user to make that file readable for their own account, then try again.',
	},
	not_markdown: {
		message: 'Only Markdown files are served, and this key does not lead to a file named *.md.',
		next: 'Ask the user to give the file, and whatever a link to it points at, a name that ends in .md.',
	},
	not_a_file: {
		message: 'This key leads to something that is not a regular file.',
		next: 'Ask the user to let the key in context-map.toml name a Markdown file.',
	},
	not_text: {
		message: 'The file that belongs to this key is not UTF-8 text.',
		next: 'Ask the user to save the file as UTF-8, without NUL characters.',
	},
	too_large: {
		message: 'The file that belongs to this key is too large to be delivered whole.',
		next: 'Ask the user to shorten the file, or to split it into several files with a key each.',
	},
	path_outside: {
		message: 'That path leads out of the project.',
		next: 'Give the path of a file or folder in the project, or leave it out to search all of it.',
	},
	path_missing: {
		message: 'There is nothing at that path.',
		next: 'Look at the path: it counts from the project, and names a file or a folder that can be read.',
	},
	not_searched: {
		message: 'What is at that path could not be searched.',
		next: 'Report it as not searched, with this reason.',
	},
	no_history: {
		message: 'There is no git history to search: the project is no git repository, or git was not found.',
		next: 'Leave "history" out, or report this and stop.',
	},
	git_failed: {
		message: 'git could not read the repository, so the search was not done.',
		next: 'A search that leaves "history" out, and includes what git ignores with "ignored", needs no git. Ask the user to find the cause with "git status" and "git fsck".',
	},
	command_not_started: {
		message: 'The command could not be started.',
		next: 'Try it in another way, or report this and stop.',
	},
	network_isolation_unavailable: {
		message:
			'This session holds private context, so commands run without a network only, and this system gives the broker no way to make sure of that.',
		next: 'Report this and stop. The user can install bubblewrap (Linux), or have the command run in a session that has loaded no private context.',
	},
	outward_tool: {
		message: 'This agent holds private data, and that tool leads outside.',
		next: 'Do without it. If the user wants it used all the same, they can name it in allow_tools, in the table [private_data] of context-map.toml.',
	},
	isolated_tool: {
		message: 'The user keeps this tool from the main agent: it runs in a subagent only.',
		next: 'Report this. In Claude Code, where the hooks of Context Broker are on, the same call is answered with what to do instead.',
	},
	ambiguous_tool: {
		message:
			'Claude Code does not tell which MCP server this tool is of, and the user has it isolated on one of them only.',
		next: 'Report this. The user can rename one of the servers, isolate the tool on both, or update Claude Code.',
	},
	executor_prompt: {
		message: 'The prompt does not say which tool context-broker:mcp-executor is to run.',
		next: 'Let it begin with one line of JSON such as {"server":"db","tool":"query","name":"mcp__db__query","arguments":{"sql":"select 1"}}, with the full name of a tool of an MCP server; then say what to answer.',
	},
	not_delegated: {
		message: 'This agent was started for one tool, and this is another.',
		next: 'Report this and stop.',
	},
	executor_done: {
		message: 'A context-broker:mcp-executor answers once and takes no further messages.',
		next: 'Start another one with the Agent tool.',
	},
	upstream_unavailable: {
		message: 'The MCP server behind this tool can not be reached now.',
		next: 'Do without it, or report this. The next call tries again; the user finds the reason with "context-broker doctor".',
	},
	upstream_lost: {
		message:
			'The MCP server behind this tool was gone before it answered, so nobody knows whether the call had an effect.',
		next: 'It is not repeated for you. Look whether it had an effect before you call again.',
	},
	upstream_timeout: {
		message: 'The MCP server behind this tool did not answer in time, so nobody knows whether the call had an effect.',
		next: 'It is not repeated for you. Look whether it had an effect before you call again. The user can set read_timeout of that server, in seconds, in context-map.toml.',
	},
	isolated_instance_unavailable: {
		message:
			'This session holds private data, so the tool may be used on the isolated instance of its MCP server only, and that one can not be reached.',
		next: 'Do without it, or report this. The next call tries again; the user finds the reason with "context-broker doctor".',
	},
	refused_when_private: {
		message: 'This session holds private data, and the user has this tool refused in such sessions.',
		next: 'Do without it, or use it in a session that has loaded no private context.',
	},
	invalid_arguments: {
		message: 'The arguments do not fit the tool.',
		next: 'Call the tool again with exactly the arguments that its schema lists.',
	},
	internal_error: {
		message: 'The broker met an error of its own.',
		next: 'Try again. If it stays, ask the user to start a new session and to report it.',
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
		const note = `It is called ${thrown instanceof Error ? thrown.name : typeof thrown}`;
		return new BrokerError('internal_error', { cause: thrown, note });
	}

	get text(): string {
		return `${this.code}: ${this.message} ${this.next}`;
	}
}
