import { markdownTable } from '../markdown-table.ts';

/** What comes of one way to give a subagent private content: the cells of its row. */
export interface Outcome {
	/** Whether the subagent gets the content. */
	readonly subagent: string;
	/** Whether the main agent is kept from it; if not, which of {@link LOOKS} show it the content. */
	readonly main: string;
	/** Whether the subagent's answer is checked for quotations; a dash where it has nothing to quote. */
	readonly answer: string;
}

/** What the main agent does after the subagent has answered, as the table names it. */
export const LOOKS = ['the same call', 'Read', '`cat`', 'a search', 'the transcript'] as const;

/** The ways that there are. */
export type Way = 'inline, plugin' | 'inline, user' | 'deny' | 'filesystem' | 'variable' | 'hook' | 'broker';

/** A way, as the table names it, and what comes of it. */
export interface Alternative extends Outcome {
	readonly way: Way;
	readonly title: string;
}

export const ALTERNATIVES: readonly Alternative[] = [
	{
		way: 'inline, plugin',
		title: "`mcpServers` in the frontmatter of a plugin's agent",
		subagent: 'no, there is no such tool',
		main: 'no: Read, `cat`, a search',
		answer: '–',
	},
	{
		way: 'inline, user',
		title: '`mcpServers` in the frontmatter of an agent of your own',
		subagent: 'yes',
		main: 'no: Read, `cat`, a search, the transcript',
		answer: 'no',
	},
	{
		way: 'deny',
		title: 'a permission rule that denies Read of the file',
		subagent: 'no, it is denied too',
		main: 'no: a search',
		answer: '–',
	},
	{
		way: 'filesystem',
		title: 'a filesystem MCP server',
		subagent: 'yes',
		main: 'no: the same call, Read, `cat`, a search, the transcript',
		answer: 'no',
	},
	{
		way: 'variable',
		title: 'an environment variable',
		subagent: 'yes',
		main: 'no: the same call, the transcript',
		answer: 'no',
	},
	{
		way: 'hook',
		title: 'a hook script that lets this agent alone name the folder',
		subagent: 'yes',
		main: 'no: a search, the transcript',
		answer: 'no',
	},
	{ way: 'broker', title: 'Context Broker', subagent: 'yes', main: 'yes', answer: 'yes' },
];

/** All of it as Markdown. */
export function alternativesTable(): string {
	return markdownTable(
		['way', 'the subagent gets the content', 'the main agent is kept from it', 'the answer is checked for quotations'],
		ALTERNATIVES.map(({ title, subagent, main, answer }) => [title, subagent, main, answer]),
	).join('\n');
}
