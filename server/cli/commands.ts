import { disable, enable, type ListChange, type Lists, replace, reset } from './lists.ts';

/** What a command does to the env file. */
export interface Edit {
	/** The lists that it decides on; it may touch another one on the way. */
	readonly decides: readonly (keyof Lists)[];
	/** Whether it is there to show the tools that it is given, or to hide them. */
	readonly shows: boolean;
	readonly change: ListChange;
}

/** A command below `context-broker`, with its part of the help. */
export interface Command {
	readonly name: string;
	/** What follows the name. */
	readonly operands: string;
	/** Whether it is to be told which tools, by name or by one of its options. */
	readonly takesTools: boolean;
	readonly options: readonly string[];
	/** Undefined for a command that only shows. */
	readonly edit?: Edit;
	readonly summary: string;
	/** What one could write, where no tool was enabled or disabled before… */
	readonly example: string;
	/** …and a line that one then sees. */
	readonly sees: string;
}

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
	{
		name: 'tools list',
		operands: '[--json]',
		takesTools: false,
		options: ['--json'],
		summary: 'Each tool: shown or hidden, and what decided. The same as list-tools.',
		example: 'tools list',
		sees: 'shown   load_context       by default',
	},
	{
		name: 'tools enable',
		operands: '<tool…> [--json]',
		takesTools: true,
		options: ['--json'],
		edit: { decides: ['enabled'], shows: true, change: enable },
		summary: 'Adds tools to the allowlist, and takes them out of the denylist.',
		example: 'tools enable run_shell_command',
		sees: 'shown   run_shell_command  "run_shell_command" in CONTEXT_BROKER_ENABLED_TOOLS (env file)',
	},
	{
		name: 'tools disable',
		operands: '<tool…> [--json]',
		takesTools: true,
		options: ['--json'],
		edit: { decides: ['disabled'], shows: false, change: disable },
		summary: 'Adds tools to the denylist, which wins over the allowlist.',
		example: 'tools disable load_context',
		sees: 'hidden  load_context       "load_context" in CONTEXT_BROKER_DISABLED_TOOLS (env file)',
	},
	{
		name: 'tools set-enabled',
		operands: '(<tool…> | --all | --none | --clear) [--json]',
		takesTools: true,
		options: ['--all', '--none', '--clear', '--json'],
		edit: { decides: ['enabled'], shows: true, change: replace('enabled') },
		summary: 'Replaces the allowlist; --clear removes it, so that the default counts.',
		example: 'tools set-enabled safe',
		sees: 'shown   load_context       "safe" in CONTEXT_BROKER_ENABLED_TOOLS (env file)',
	},
	{
		name: 'tools set-disabled',
		operands: '(<tool…> | --clear) [--json]',
		takesTools: true,
		options: ['--clear', '--json'],
		edit: { decides: ['disabled'], shows: false, change: replace('disabled') },
		summary: 'Replaces the denylist; --clear removes it, so that nothing is denied.',
		example: "tools set-disabled 'load*'",
		sees: 'hidden  load_context       "load*" in CONTEXT_BROKER_DISABLED_TOOLS (env file)',
	},
	{
		name: 'tools reset',
		operands: '[--json]',
		takesTools: false,
		options: ['--json'],
		edit: { decides: ['enabled', 'disabled'], shows: true, change: reset },
		summary: 'Removes both lists, so that the default counts.',
		example: 'tools reset',
		sees: 'shown   load_context       by default',
	},
	{
		name: 'doctor',
		operands: '[--json]',
		takesTools: false,
		options: ['--json'],
		summary: 'Whether all that the broker needs is there and right, and what to do where not.',
		example: 'doctor',
		sees: '✔ map          /home/jo/.config/context-broker/context-map.toml, 1 key',
	},
];
