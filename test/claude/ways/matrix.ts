import { markdownTable } from '../markdown-table.ts';
import { FILE_ACCESSES, type FileAccess, OBJECTS } from './file-accesses.ts';
import { QUOTATIONS } from './quotations.ts';

/** When the sessions were last looked at as a whole, beyond running green. */
const CHECKED = '2026-11-29';

/** A way that has a test of its own. */
export interface TestedWay {
	readonly way: string;
	/** In the folder of the sessions. */
	readonly file: string;
	/** As in that file. */
	readonly title: string;
	/** Where it differs from "closed". */
	readonly outcomes?: Readonly<Record<string, string>>;
}

export const TESTED_WAYS: readonly TestedWay[] = [
	{
		way: 'the main agent calls `load_context` with the right key, in default mode, allowed, and with everything allowed',
		file: 'identity.test.ts',
		title: 'the main agent is told to delegate, whether or not the key exists: %s',
	},
	{
		way: 'it asks the guard for an approval',
		file: 'identity.test.ts',
		title: 'the main agent can not ask the guard to approve its call',
	},
	{
		way: 'another subagent calls with the right key',
		file: 'identity.test.ts',
		title: 'another subagent is refused, whether or not the key exists, when everything is allowed',
	},
	{
		way: '`claude --agent` with an agent that is not listed',
		file: 'identity.test.ts',
		title: 'a main thread that was started as another agent can not',
	},
	{
		way: 'the hooks are removed, or off by settings, or by the administrator',
		file: 'hooks-off.test.ts',
		title: 'when the hook was removed, also where everything is allowed',
	},
	{
		way: 'the scanner quotes, however often it is asked not to',
		file: 'quoting.test.ts',
		title: 'the scanner is asked twice to answer without quoting, then references stand in the place of quotations',
	},
	{
		way: 'the scanner is started in the background',
		file: 'quoting.test.ts',
		title: 'started in the background (%s), the scanner still answers in the foreground',
	},
	{
		way: 'it runs in the background all the same, and a notification quotes',
		file: 'background.test.ts',
		title: 'a notification that quotes does not reach the main agent while it %s, nor when it goes on later',
		outcomes: { '2.1.126': 'nothing is loaded' },
	},
	{
		way: 'a workflow runs the scanner',
		file: 'background.test.ts',
		title: 'an agent of a workflow can not load, while one of the Agent tool can after it',
		outcomes: { '2.1.126': 'no such tool', '2.1.332': 'nothing is loaded' },
	},
	{
		way: 'a long answer is written to a file',
		file: 'quoting.test.ts',
		title: 'an answer so long that it is written to a file is redacted there too',
	},
	{
		way: 'the private file is changed or removed before the answer is checked',
		file: 'quoting.test.ts',
		title: 'an answer is compared with the file as the agent got it, though it is changed or removed meanwhile',
	},
	{
		way: 'a skill runs the scanner',
		file: 'quoting.test.ts',
		title: 'what a skill gets of the scanner has references too',
	},
	{
		way: 'another subagent starts the scanner, and it quotes',
		file: 'quoting.test.ts',
		title: 'a subagent that starts the scanner gets no more than the main agent would',
		outcomes: { '2.1.126': 'does not happen' },
	},
	{
		way: 'an agent that has loaded hands a quotation to another',
		file: 'quoting.test.ts',
		title: 'an agent can not hand a quotation to another one',
	},
	{
		way: "the main agent reads a long result of a private agent's tool from the file it was written to",
		file: 'file-access.test.ts',
		title: "from a long result of a private agent's tool, while one of the main agent's own can be read",
	},
	{
		way: 'it reads the output of a command that a private agent has left in the background',
		file: 'file-access.test.ts',
		title: 'from the output of a command that a private agent has left in the background',
	},
	{
		way: 'it lets a command wait for what a scanner will have written',
		file: 'other-ways.test.ts',
		title: 'a command that waits for what a scanner will have written is refused from its launch on',
	},
	{
		way: 'a listed agent takes its file in another way than by `load_context`',
		file: 'other-ways.test.ts',
		title: 'a listed agent gets its file by load_context only: %s',
	},
	{
		way: 'a skill that the person types runs the scanner (`context: fork`)',
		file: 'other-ways.test.ts',
		title: 'an agent that a command of the person has started loads nothing; the main agent can start it',
		outcomes: { '2.1.126': 'nothing is loaded', '2.1.332': 'nothing is loaded' },
	},
	{
		way: 'the person puts a scanner into the background that has loaded (Ctrl+B)',
		file: 'interactive.test.ts',
		title: 'an agent put into the background after its load never ends with a quotation',
		outcomes: { '2.1.332': 'all are in the background' },
	},
	{
		way: 'another main agent goes on with a conversation in which one has loaded',
		file: 'other-ways.test.ts',
		title: 'what one main agent has loaded no other one goes on with',
	},
	{
		way: 'an error of the service repeats what an agent has loaded',
		file: 'other-ways.test.ts',
		title: 'an error of the service that repeats private content goes into no request of the main agent',
	},
	{
		way: 'a hook of the user puts a quotation back',
		file: 'other-ways.test.ts',
		title: 'a hook of the user that has the last word after %s s brings no quotation back',
	},
	{
		way: 'an agent writes what it has loaded into its memory, or another file',
		file: 'other-ways.test.ts',
		title: 'an agent with a memory puts no quotation into it, and references it can keep',
	},
	{
		way: 'somebody reads every file below the home and temporary folders after a scan',
		file: 'traces.test.ts',
		title: 'of a scan; and the session can be continued, and scan again',
	},
	{
		way: 'the same after Claude Code, the broker, or all of it was killed meanwhile',
		file: 'traces.test.ts',
		title: 'when all was killed, as soon as another session starts; also of a file that is another one by then',
	},
	{
		way: 'the main agent sends the finished scanner a message',
		file: 'background.test.ts',
		title: 'no message reaches an agent that has loaded private context',
		outcomes: { '2.1.126': 'no such tool' },
	},
];

/** The matrix as Markdown: two tables. @param versions of Claude Code, the newest first */
export function matrix(versions: readonly string[]): string {
	const oldestFirst = [...versions].reverse();
	const closed = (outcomes: Readonly<Record<string, string>> = {}) =>
		oldestFirst.map((version) => outcomes[version] ?? 'closed');
	const actors = ['the main agent', 'another subagent', 'with `--continue`', 'in a new session'];
	const inAll = `closed in ${oldestFirst.length === 2 ? 'both' : 'all'}`;
	return [
		...markdownTable(
			[`way (${CHECKED})`, ...oldestFirst.map((version) => `Claude Code ${version}`)],
			[
				...TESTED_WAYS.map(({ way, outcomes }) => [way, ...closed(outcomes)]),
				[`the scanner quotes ${QUOTATIONS.map(({ way }) => way).join('; ')}`, ...closed()],
			],
		),
		'',
		...markdownTable(
			['file access, everything allowed', ...actors],
			OBJECTS.map((object) => [waysTo(object), ...actors.map(() => inAll)]),
		),
	].join('\n');
}

function waysTo(object: FileAccess['object']): string {
	const ways = FILE_ACCESSES.filter((access) => access.object === object).map(({ way }) => way);
	return `${object}: ${ways.join('; ')}`;
}
