import { isOlder, NOTIFICATION_HOOK_SINCE } from '../../server/claude-code/client.ts';

/** What a version of Claude Code does that older ones do not, by the first version in which it was seen. */
const SINCE = {
	/** A file of a project cannot take the name of an agent of a plugin. */
	keepsNamesOfPlugins: '2.1.229',
	/** Another spelling of an agent's name starts it, too. */
	takesOtherSpellings: '2.1.198',
	/** A hook is asked about each notification, also while the main agent works. */
	asksAboutNotifications: NOTIFICATION_HOOK_SINCE,
	/** There is the tool `Workflow`. */
	hasWorkflows: '2.1.198',
	/** An agent can be given a name when it is started. */
	namesAgents: '2.1.198',
	/** A subagent may start another. */
	nestsAgents: '2.1.198',
	/** An agent can start a fork of itself. */
	forks: '2.1.332',
	/** With a person at it, every agent runs in the background. */
	alwaysInBackground: '2.1.232',
	/** What a hook says to the person is an event with `-p`, too. */
	printsMessages: '2.1.229',
	/** A list of tools that has changed counts at once. */
	listsAtOnce: '2.1.198',
	/** A hook is told the server of a tool. */
	namesServers: '2.1.332',
	/** A server has the id of the session in its environment. */
	tellsSession: '2.1.198',
	/** A server that has ended is started again. */
	startsAgain: '2.1.229',
	/** `onFailure: "block"` on a hook keeps a call from running if the hook gets no answer. */
	blocksOnFailure: '2.1.295',
} as const;

/** Whether a version does something. */
export function does(version: string, what: keyof typeof SINCE): boolean {
	return !isOlder(version, SINCE[what]);
}
