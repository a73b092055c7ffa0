import * as z from 'zod/mini';
import { FIND_CONTEXT } from '../claude-code/tools.ts';
import type { ContextMap } from '../context-map/context-map.ts';
import { BrokerError } from '../errors.ts';
import { readMarkdown } from '../files/read-markdown.ts';
import type { ReadFile } from '../files/read-stable.ts';
import { lazy } from '../memoize.ts';
import { admitLoad, noteLoad } from '../policy/before-load.ts';
import { entryFor } from '../policy/entitlement.ts';
import type { State } from '../policy/state.ts';
import type { FindRequest } from '../search/find.ts';
import type { Findings } from '../search/findings.ts';
import { defineTool, type Tool } from './tool.ts';

export interface FindContextOptions {
	readonly map: ContextMap;
	readonly state: State;
	readonly readFile?: ReadFile;
	/** The folder that `path` is relative to; absolute. */
	readonly project: string;
	readonly find: (request: FindRequest) => Promise<Findings>;
}

/** At the same time: each search has its own threads. */
const MAX_SEARCHES = 2;

const input = lazy(() =>
	z.strictObject({
		key: z.string().check(z.describe('The key, exactly as your instructions give it.')),
		path: z.optional(z.string().check(z.describe('A file or folder of the project; by default the whole project.'))),
		history: z.optional(
			z.boolean().check(z.describe('Also search every version in the git history: files, messages, authors, tags.')),
		),
		ignored: z.optional(z.boolean().check(z.describe('Also search what git ignores.'))),
	}),
);

/** `find_context(key, path?, …)`: finds a private file's entries in the project, for an agent that may load the file. */
export function findContext({ map, state, readFile, project, find }: FindContextOptions): Tool {
	const search = limitConcurrency(MAX_SEARCHES, find);
	return defineTool({
		name: 'find_context',
		listing: {
			title: 'Find private context',
			description: [
				'Searches the project for all entries of a private Markdown file at once, in whatever spelling they occur. Returns places: file, line, column, the line of the entry as [context:L12], and how certain it is. It also searches the names of files and folders.',
				'It returns neither entries nor text. If a place is not certain, read the lines around it yourself.',
				'Call it only if your own instructions give you a key, and pass that key exactly as given.',
				'It also reports what was not searched and why, and which lines of the private file are rules or prose that a search cannot cover. Call load_context only for these lines.',
				'The text at the places is private: refer to it as [context:L12] in answers, files and commands, and do not quote it.',
				'If it fails, the result gives the reason and the next step: report that step and stop.',
			].join(' '),
			annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
		},
		input,
		handle: async ({ key, path = '', history = false, ignored = false }, call) => {
			const approval = admitLoad(call, key, FIND_CONTEXT, state);
			// Checked again: the map may have changed since the approval.
			const entry = entryFor(approval?.caller.type, key, await map.read());
			if (entry instanceof BrokerError) throw entry;
			const file = map.resolve(entry);
			const text = await readMarkdown(file, readFile);
			await noteLoad(approval, { path: file, text }, entry.isPrivate !== false, state);
			const { signal, progress } = call;
			const request: FindRequest = {
				...{ project, cwd: approval?.cwd ?? '', path, file, text, history, ignored, signal },
				onProgress: progress && (({ files, places }) => progress(`${files} files searched, ${places} places found`)),
			};
			const findings = await search(request).catch((error: unknown) => {
				if (signal.aborted) return undefined;
				throw error;
			});
			// The client has cancelled the call and gets no answer.
			if (findings === undefined) return { text: 'Cancelled.' };
			const { reportOf } = await import('../search/report.ts');
			return { text: reportOf(findings) };
		},
	});
}

/** The same function; further calls wait while `count` calls run. */
function limitConcurrency<Argument, Result>(
	count: number,
	call: (argument: Argument) => Promise<Result>,
): (argument: Argument) => Promise<Result> {
	const waiting: (() => void)[] = [];
	let running = 0;
	return async (argument) => {
		if (running === count) await new Promise<void>((resolve) => waiting.push(resolve));
		else running += 1;
		try {
			return await call(argument);
		} finally {
			const next = waiting.shift();
			// The waiting call takes over this one's place, so the count stays.
			if (next !== undefined) next();
			else running -= 1;
		}
	};
}
