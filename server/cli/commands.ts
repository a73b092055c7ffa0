import { disable, type Edit, enable, replace, reset } from './edit-lists.ts';

/** A subcommand of `context-broker`, with its part of the help. */
interface Row {
	readonly name: string;
	/** Options that can take the place of tools. Undefined if the command takes no tools. */
	readonly inPlaceOfTools?: readonly string[];
	/** Undefined for a command that only shows something. */
	readonly edit?: Edit;
	/** Options in addition to `--json`. */
	readonly flags?: readonly string[];
	/** Rest of the usage line, for a command without tools. */
	readonly words?: string;
	readonly summary: string;
	/** A call, for a setup in which no tool was enabled or disabled before. */
	readonly example: string;
	/** A line of that call's output. */
	readonly sees: string;
}

export interface Command extends Row {
	readonly options: readonly string[];
	/** Rest of the usage line. */
	readonly operands: string;
}

const ROWS: readonly Row[] = [
	{
		name: 'tools list',
		summary: 'Shows for each tool whether it is shown or hidden, and why. The same as list-tools.',
		example: 'tools list',
		sees: 'shown   load_context       by default',
	},
	{
		name: 'tools enable',
		inPlaceOfTools: [],
		edit: enable,
		summary: 'Adds tools to the allowlist, and removes them from the denylist.',
		example: 'tools enable run_shell_command',
		sees: 'shown   run_shell_command  "run_shell_command" in CONTEXT_BROKER_ENABLED_TOOLS (env file)',
	},
	{
		name: 'tools disable',
		inPlaceOfTools: [],
		edit: disable,
		summary: 'Adds tools to the denylist, which wins over the allowlist.',
		example: 'tools disable load_context',
		sees: 'hidden  load_context       "load_context" in CONTEXT_BROKER_DISABLED_TOOLS (env file)',
	},
	{
		name: 'tools set-enabled',
		inPlaceOfTools: ['--all', '--none', '--clear'],
		edit: replace('enabled'),
		summary: 'Replaces the allowlist; --clear removes it, so that the default applies.',
		example: 'tools set-enabled safe',
		sees: 'shown   load_context       "safe" in CONTEXT_BROKER_ENABLED_TOOLS (env file)',
	},
	{
		name: 'tools set-disabled',
		inPlaceOfTools: ['--clear'],
		edit: replace('disabled'),
		summary: 'Replaces the denylist; --clear removes it, so that nothing is denied.',
		example: "tools set-disabled 'load*'",
		sees: 'hidden  load_context       "load*" in CONTEXT_BROKER_DISABLED_TOOLS (env file)',
	},
	{
		name: 'tools reset',
		edit: reset,
		summary: 'Removes both lists, so that the default applies.',
		example: 'tools reset',
		sees: 'shown   load_context       by default',
	},
	{
		name: 'doctor',
		summary: 'Checks your setup, and says how to fix what is wrong.',
		example: 'doctor',
		sees: '✔ map          /home/jo/.config/context-broker/context-map.toml, 1 key',
	},
	{
		name: 'scan',
		flags: ['--history', '--ignored', '--sarif', '--key'],
		words: '[path] [--history] [--ignored] [--json | --sarif] [--key <key>]',
		summary:
			'Finds the entries of a private file in a project. Without --key, it uses the file of the privacy scanner.',
		example: 'scan src',
		sees: 'src/seed.ts:3:14: [context:L5] as written',
	},
];

export const COMMANDS: readonly Command[] = ROWS.map((row) => {
	const { inPlaceOfTools: options = [] } = row;
	const tools = ['<tool…>', ...options].join(' | ');
	const operand = options.length > 0 ? `(${tools}) ` : row.inPlaceOfTools ? `${tools} ` : '';
	const { flags = [], words = `${operand}[--json]` } = row;
	return { ...row, options: [...options, ...flags, '--json'], operands: words };
});
