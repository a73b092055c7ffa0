import { loadsOnlyHeadless } from '../../../server/claude-code/client.ts';
import { QUOTATIONS } from './quotations.ts';

/** A way that was tried: a row of the table. */
export interface Way {
	readonly way: string;
	/** In the folder of the sessions. */
	readonly file: string;
	/** Of its tests in that file. */
	readonly titles: readonly string[];
	/** Whether there are machines on which it can not be tried. */
	readonly mayBeSkipped?: boolean;
	/** What came of it if the test says nothing else; by default "closed". */
	readonly outcome?: string;
	/** Of which versions it is not asked, and what stands there instead. */
	readonly unless?: { readonly of: (version: string) => boolean; readonly cell: string };
}

export const WAYS: readonly Way[] = [
	{
		way: 'a scan with `claude -p`',
		file: 'identity.test.ts',
		titles: ['the scanner can load, without any settings and without a question'],
		outcome: 'works',
	},
	{
		way: 'a scan with a person at it',
		file: 'interactive.test.ts',
		titles: ['a scan is done, or refused if nobody could check its answer'],
		outcome: 'works',
	},
	{
		way: 'a scan in the background with `claude -p` (`background = false` under `[guard]`)',
		file: 'background.test.ts',
		titles: ['in the background, the scanner loads only where the notification of its answer can be held back'],
		outcome: 'works',
	},
	{
		way: '`claude --agent` with an agent that is listed',
		file: 'identity.test.ts',
		titles: ['a main thread that was started as the scanner can load'],
		outcome: 'works',
	},
	{
		way: "a job's scan, with its exit status",
		file: 'job.test.ts',
		titles: ['ends with status 0 if the scan ran, and prints nothing of the catalog', 'ends with status 1 if %s'],
		outcome: 'works',
	},
	{
		way: 'a tool of a server behind the broker, run in a subagent',
		file: 'tool-isolation.test.ts',
		titles: ['the main agent is told the way on, and gets the answer and receipts, not the result'],
		outcome: 'works',
	},
	{
		way: "Claude Code's sandbox hides the file from commands",
		file: 'sandbox.test.ts',
		titles: ['%s, hides a file from all commands, with the settings that the doctor prints'],
		mayBeSkipped: true,
		outcome: 'works',
	},
	{
		way: 'the main agent calls `load_context` with the right key, in default mode, allowed, and with everything allowed',
		file: 'identity.test.ts',
		titles: ['the main agent is told to delegate, whether or not the key exists: %s'],
	},
	{
		way: 'it asks the guard for an approval',
		file: 'identity.test.ts',
		titles: ['the main agent can not ask the guard to approve its call'],
	},
	{
		way: 'another subagent calls with the right key',
		file: 'identity.test.ts',
		titles: ['another subagent is refused, whether or not the key exists, when everything is allowed'],
	},
	{
		way: '`claude --agent` with an agent that is not listed',
		file: 'identity.test.ts',
		titles: ['a main thread that was started as another agent can not'],
	},
	{
		way: 'the hooks are removed, or off by settings',
		file: 'hooks-off.test.ts',
		titles: [
			'when the hook was removed, also where everything is allowed',
			'when the settings in the %s switch hooks off',
		],
	},
	{
		way: 'the hooks are off by the administrator',
		file: 'hooks-off.test.ts',
		titles: ['when the administrator has set %s'],
		mayBeSkipped: true,
	},
	{
		way: 'the scanner quotes, however often it is asked not to',
		file: 'quoting.test.ts',
		titles: ['the scanner is asked twice to answer without quoting, then references stand in the place of quotations'],
	},
	{
		way: 'the scanner is started in the background',
		file: 'quoting.test.ts',
		titles: ['started in the background (%s), the scanner still answers in the foreground'],
	},
	{
		way: 'it runs in the background all the same, and a notification quotes',
		file: 'background.test.ts',
		titles: ['a notification that quotes does not reach the main agent while it %s, nor when it goes on later'],
	},
	{
		way: 'a workflow runs the scanner',
		file: 'background.test.ts',
		titles: ['an agent of a workflow can not load, while one of the Agent tool can after it'],
	},
	{
		way: 'a long answer is written to a file',
		file: 'quoting.test.ts',
		titles: ['an answer so long that it is written to a file is redacted there too'],
	},
	{
		way: 'the private file is changed or removed before the answer is checked',
		file: 'quoting.test.ts',
		titles: ['an answer is compared with the file as the agent got it, though it is changed or removed meanwhile'],
	},
	{
		way: 'a skill runs the scanner',
		file: 'quoting.test.ts',
		titles: ['what a skill gets of the scanner has references too'],
	},
	{
		way: 'another subagent starts the scanner, and it quotes',
		file: 'quoting.test.ts',
		titles: ['a subagent that starts the scanner gets no more than the main agent would'],
	},
	{
		way: 'an agent that has loaded hands a quotation to another',
		file: 'quoting.test.ts',
		titles: ['an agent can not hand a quotation to another one'],
	},
	{
		way: "the main agent reads a long result of a private agent's tool from the file it was written to",
		file: 'file-access.test.ts',
		titles: ["from a long result of a private agent's tool, while one of the main agent's own can be read"],
	},
	{
		way: 'it reads the output of a command that a private agent has left in the background',
		file: 'file-access.test.ts',
		titles: ['from the output of a command that a private agent has left in the background'],
	},
	{
		way: 'it lets a command wait for what a scanner will have written',
		file: 'other-ways.test.ts',
		titles: ['a command that waits for what a scanner will have written is refused from its launch on, as %s'],
	},
	{
		way: 'a listed agent takes its file in another way than by `load_context`',
		file: 'other-ways.test.ts',
		titles: ['a listed agent gets its file by load_context only: %s'],
	},
	{
		way: 'a skill that the person types runs the scanner (`context: fork`)',
		file: 'other-ways.test.ts',
		titles: ['an agent that a command of the person has started loads nothing; the main agent can start it'],
	},
	{
		way: 'the person puts a scanner into the background that has loaded (Ctrl+B)',
		file: 'interactive.test.ts',
		titles: ['an agent put into the background after its load never ends with a quotation'],
		unless: { of: loadsOnlyHeadless, cell: 'nothing is loaded' },
	},
	{
		way: 'another main agent goes on with a conversation in which one has loaded',
		file: 'other-ways.test.ts',
		titles: ['what one main agent has loaded no other one goes on with'],
	},
	{
		way: 'an error of the service repeats what an agent has loaded',
		file: 'other-ways.test.ts',
		titles: ['an error of the service that repeats private content goes into no request of the main agent'],
	},
	{
		way: 'a hook of the user puts a quotation back',
		file: 'other-ways.test.ts',
		titles: ['a hook of the user that has the last word after %s s brings no quotation back'],
	},
	{
		way: 'an agent writes what it has loaded into its memory, or another file',
		file: 'other-ways.test.ts',
		titles: ['an agent with a memory puts no quotation into it, and references it can keep'],
	},
	{
		way: 'somebody reads every file below the home and temporary folders after a scan',
		file: 'traces.test.ts',
		titles: ['of a scan; and the session can be continued, and scan again'],
	},
	{
		way: 'the same after Claude Code, the broker, or all of it was killed meanwhile',
		file: 'traces.test.ts',
		titles: [
			'of a client that was killed while the model of its %s agent was asked',
			'of a broker that was killed',
			'when all was killed, as soon as another session starts; also of a file that is another one by then',
		],
	},
	{
		way: 'the main agent sends the finished scanner a message',
		file: 'background.test.ts',
		titles: ['no message reaches an agent that has loaded private context'],
	},
	{
		way: `the scanner quotes ${QUOTATIONS.map(({ way }) => way).join('; ')}`,
		file: 'quoting.test.ts',
		titles: ['no disguise of a quotation reaches the main agent'],
	},
	{
		way: 'the main agent tries each file access below',
		file: 'file-access.test.ts',
		titles: ['by the main agent'],
	},
	{
		way: 'another subagent tries each file access',
		file: 'file-access.test.ts',
		titles: ['by another subagent'],
	},
	{
		way: 'the main agent tries each file access later, with `--continue` and in a new session',
		file: 'file-access.test.ts',
		titles: ['by the main agent later on: --continue', 'by the main agent later on: a new session'],
	},
];
