import * as z from 'zod/mini';
import { LOAD_CONTEXT } from '../claude-code/tools.ts';
import type { ContextMap } from '../context-map/context-map.ts';
import { BrokerError } from '../errors.ts';
import { CONTENT_LIMIT, readMarkdown } from '../files/read-markdown.ts';
import type { ReadFile } from '../files/read-stable.ts';
import { lazy } from '../memoize.ts';
import { admitLoad, noteLoad } from '../policy/before-load.ts';
import { entryFor } from '../policy/entitlement.ts';
import type { State } from '../policy/state.ts';
import { defineTool, type Tool } from './tool.ts';

const input = lazy(() =>
	z.strictObject({ key: z.string().check(z.describe('The key, exactly as your instructions give it.')) }),
);

/** `load_context(key)`: returns the private Markdown file of a key to an agent that may have it. */
export function loadContext(map: ContextMap, state: State, readFile?: ReadFile): Tool {
	return defineTool({
		name: 'load_context',
		listing: {
			title: 'Load private context',
			description: [
				'Returns the whole text of a private Markdown file that the user keeps for certain agents, such as a catalog of personal identifiers to look for.',
				'Call it only if your own instructions give you a key, and pass that key exactly as given. Keys cannot be listed or guessed.',
				'One call returns everything; there are no pages.',
				'The text is private: use it for your task. In answers, files and commands, refer to its entries by line, as in [context:L12], and do not quote them.',
				'If it fails, the result gives the reason and the next step: report that step and stop. Do not look for the file in another way.',
			].join(' '),
			annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
			meta: { 'anthropic/maxResultSizeChars': CONTENT_LIMIT },
		},
		input,
		handle: async ({ key }, call) => {
			const approval = admitLoad(call, key, LOAD_CONTEXT, state);
			// Checked again: the map may have changed since the approval.
			const entry = entryFor(approval?.caller.type, key, await map.read());
			if (entry instanceof BrokerError) throw entry;
			const path = map.resolve(entry);
			const text = await readMarkdown(path, readFile);
			await noteLoad(approval, { path, text }, entry.isPrivate !== false, state);
			return { text };
		},
	});
}
