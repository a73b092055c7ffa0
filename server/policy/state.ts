import { Client } from '../claude-code/client.ts';
import type { Entries, Entry } from '../context-map/parse.ts';
import { lazyAsync } from '../memoize.ts';
import { Agents } from '../record/agents.ts';
import type { Caller, Session } from '../record/session.ts';
import { ToolUses } from '../record/tool-uses.ts';
import type { Attachments } from './attachments.ts';
import { FileProtection } from './file-protection.ts';
import { LastMap } from './last-map.ts';
import { MapNotice } from './map-notice.ts';
import type { Call, PolicyOptions } from './options.ts';
import { OthersConversations } from './others-conversations.ts';
import { PrivateFiles } from './private-files.ts';
import { Quotations } from './quotations.ts';
import { ToolIsolation } from './tool-isolation/tool-isolation.ts';

/** What decisions depend on: the client, the map, tool uses, agents and the session. */
export interface State {
	readonly options: PolicyOptions;
	readonly client: Client;
	readonly map: LastMap;
	readonly notice: MapNotice;
	readonly toolUses: ToolUses;
	/** The callers of relayed calls. Not by the id of the tool use, which can be used again meanwhile. */
	readonly relaying: WeakMap<Call, Caller>;
	readonly agents: Agents;
	readonly session: Session;
	readonly quotations: Quotations;
	readonly others: OthersConversations;
	readonly isolation: ToolIsolation;
	readonly files: FileProtection;
	/** What results are compared with. */
	readonly privateFiles: PrivateFiles;
	/** Imported on first use to keep the start fast. */
	readonly attachments: () => Promise<Attachments>;
	/** Whether a hook has asked about any call yet. */
	wasAsked: boolean;
}

export function createState(options: PolicyOptions): State {
	const map = new LastMap(() => options.map.read(), options.findMapElsewhere);
	const toolUses = new ToolUses(options.now);
	const agents = new Agents(toolUses);
	const files = new FileProtection(options, agents);
	return {
		...{ options, map, toolUses, agents, files },
		client: new Client(options.environment, options.onKeyOnly),
		notice: new MapNotice(options.map.file, map),
		relaying: new WeakMap(),
		privateFiles: new PrivateFiles(options),
		session: options.session,
		quotations: new Quotations(),
		others: new OthersConversations(options.journal),
		isolation: new ToolIsolation(options.toolIsolation, toolUses, agents),
		attachments: lazyAsync(async () => {
			const { Attachments } = await import('./attachments.ts');
			return new Attachments(options.map, options.files);
		}),
		wasAsked: false,
	};
}

/** The files that the map names. If only a file's path can be read, the file is included. */
export function privateEntries({ content: { entries, paths } }: LastMap): Entries {
	if (paths.length === 0) return entries;
	return new Map([...entries, ...paths.map((path): [string, Entry] => [`\0${path}`, { path, agents: [] }])]);
}
