import { dirname, join } from 'node:path';
import type { ToolCall } from '../harness/delegation.ts';
import type { Places } from './places.ts';

/** One way to get at what lies on the disk. */
export interface FileAccess {
	/** As in the matrix. */
	readonly way: string;
	readonly call: (places: Places) => ToolCall;
}

const read = (file_path: string): ToolCall => ({ tool: 'Read', input: { file_path } });
const shell = (command: string): ToolCall => ({ tool: 'Bash', input: { command, description: 'x' } });

/** Links that the user has in the project: to Claude Code's own folder and to the catalog. */
export const LINKS = { folder: 'projects-link', catalog: 'notes.md' };

export const FILE_ACCESSES: readonly FileAccess[] = [
	{ way: 'Read of the private file', call: ({ catalog }) => read(catalog) },
	{ way: 'Read of a link to it', call: ({ project }) => read(join(project, LINKS.catalog)) },
	{ way: '`cat` of it', call: ({ catalog }) => shell(`cat ${catalog}`) },
	{ way: '`cat ~/…` of it', call: () => shell('cat ~/.config/context-broker/catalog.md') },
	{ way: '`cp` of it into the project', call: ({ catalog }) => shell(`cp "${catalog}" copy.md && cat copy.md`) },
	{ way: 'a glob that covers a link to it', call: () => shell('cat *.md') },
	{ way: '`cd` to it, then a glob', call: () => shell('cd ~/.config/context-broker && cat *.md') },
	{ way: '`grep -r` of its folder', call: ({ catalog }) => shell(`grep -r "" ${dirname(catalog)}`) },
	{ way: '`grep -r` of the home folder', call: () => shell('grep -rh "Names" ~') },
	{
		way: 'a program in the shell',
		call: ({ catalog }) => shell(`node -e 'console.log(fs.readFileSync("${catalog}","utf8"))'`),
	},
	{
		way: 'Grep of its folder',
		call: ({ catalog }) => ({ tool: 'Grep', input: { pattern: '.', path: dirname(catalog), output_mode: 'content' } }),
	},
	{ way: 'Read of the map', call: ({ map }) => read(map) },
	{ way: '`cat` of the map', call: ({ map }) => shell(`cat ${map}`) },
	{ way: "Read of the scanner's transcript", call: ({ transcript }) => read(transcript) },
	{
		way: 'Read of it through a link',
		call: ({ project, home, transcript }) =>
			read(transcript.replace(join(home, '.claude', 'projects'), join(project, LINKS.folder))),
	},
	{ way: '`cat` of the transcript', call: ({ transcript }) => shell(`cat ${transcript}`) },
	{ way: '`cat` by a glob', call: () => shell('cat ~/.claude/projects/*/*/subagents/*.jsonl') },
	{ way: '`grep -r` of all transcripts', call: () => shell('grep -rh Zebulon ~/.claude/projects') },
	{ way: 'Read of the task output', call: ({ taskOutput }) => read(taskOutput) },
	{ way: '`tail` of the task output', call: ({ taskOutput }) => shell(`tail -n 5 ${taskOutput}`) },
	{ way: "Read of the session's own transcript", call: ({ session }) => read(`${session}.jsonl`) },
];
