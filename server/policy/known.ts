import { Client } from '../claude-code/client.ts';
import { Copies } from '../claude-code/session-copies.ts';
import type { Entries, Entry } from '../context-map/parse.ts';
import { lazyAsync } from '../memoize.ts';
import { Agents } from './agents.ts';
import { AnnouncedCalls } from './announced-calls.ts';
import { Answers } from './answers.ts';
import { Approvals } from './approvals.ts';
import type { Attachments } from './attachments.ts';
import { OthersConversations } from './conversation.ts';
import { mayLoad } from './entitlement.ts';
import { FileProtection } from './file-protection.ts';
import type { GuardOptions } from './guard-options.ts';
import { Holders } from './holders.ts';
import { LastMap } from './last-map.ts';
import { OutgoingTexts } from './outgoing-texts.ts';
import type { PrivateSession } from './private-session.ts';
import { ToolIsolation } from './tool-isolation/tool-isolation.ts';

/** What is known of the client, the map, the session, its agents and their calls. */
export interface Known {
	readonly options: GuardOptions;
	readonly client: Client;
	readonly map: LastMap;
	readonly session: PrivateSession;
	/** The sessions that began as copies of others that hold private data. */
	readonly copies: Copies;
	readonly holders: Holders;
	readonly agents: Agents;
	readonly answers: Answers;
	readonly outgoing: OutgoingTexts;
	readonly others: OthersConversations;
	readonly approvals: Approvals;
	readonly announced: AnnouncedCalls;
	readonly isolation: ToolIsolation;
	readonly files: FileProtection;
	/** No part of a start. */
	readonly attachments: () => Promise<Attachments>;
}

export function createKnown(options: GuardOptions): Known {
	const map = new LastMap(() => options.map.read(), options.findMapElsewhere);
	const agents = new Agents();
	const answers = new Answers((work) => options.later(() => void (map.isOn('quoting') && work())));
	return {
		options,
		client: new Client(options.environment, options.onKeyOnly),
		map,
		session: options.session,
		copies: new Copies((other) => options.privateSessions.has(other)),
		holders: new Holders(options.privateSessions, options.records),
		agents,
		answers,
		outgoing: new OutgoingTexts(answers, agents, {
			records: options.records,
			mayLoad: (type) => mayLoad(type, map.content.entries),
			...{ report: options.report, map: options.map },
		}),
		others: new OthersConversations(options.records),
		approvals: new Approvals(options.now),
		announced: new AnnouncedCalls(),
		isolation: new ToolIsolation(options.toolIsolation),
		files: new FileProtection(options, answers, agents),
		attachments: lazyAsync(async () => {
			const { Attachments } = await import('./attachments.ts');
			return new Attachments(options.map, options.files);
		}),
	};
}

/** The files that the map names, also those of which only the path can be read. */
export function privateEntries({ content: { entries, paths } }: LastMap): Entries {
	if (paths.length === 0) return entries;
	return new Map([...entries, ...paths.map((path): [string, Entry] => [`\0${path}`, { path, agents: [] }])]);
}
