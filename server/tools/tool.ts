import type * as z from 'zod/mini';
import { BrokerError } from '../errors.ts';
import type { Call } from '../policy/guard-options.ts';

/** How a tool presents itself to a model that has seen no other text of the broker. */
export interface Listing {
	readonly title: string;
	/** Claude Code cuts at about 2 KB. */
	readonly description: string;
	readonly annotations: Readonly<Record<string, boolean>>;
	readonly meta?: Readonly<Record<string, unknown>>;
	/** The schema of the structured result, where there is one. */
	readonly output?: () => z.ZodMiniObject;
}

/** A call as a tool sees it. */
export interface ToolCall extends Call {
	/** Aborted where the client does not want it any more, or is gone. */
	readonly signal: AbortSignal;
	/** Tells the client how far it is; undefined where it did not ask. */
	readonly progress: ((message: string) => void) | undefined;
}

/** What a tool gives. */
export interface ToolResult {
	readonly text: string;
	/** In the shape of `listing.output`. A client can show the model this in place of the text. */
	readonly structured?: Readonly<Record<string, unknown>>;
}

/** A tool as a plain object: what the listing says, the schema of its arguments, and what it does. */
export interface Tool {
	readonly name: string;
	/** A tool without one is not listed, and not the user's to show. */
	readonly listing?: Listing;
	/** Whether there is such a tool for whoever makes the call; by default there is. */
	readonly isVisibleTo?: (call: Call) => boolean;
	readonly input: () => z.ZodMiniObject;
	/** Whether a cancelled call is answered all the same, with what there was. */
	readonly answersCancelled?: boolean;
	/** Does the tool's work with arguments of any shape. @throws BrokerError */
	readonly call: (input: unknown, call: ToolCall) => Promise<ToolResult>;
}

/** What a tool's file says: as {@link Tool}, with a handler that gets its arguments checked and typed. */
export interface ToolDefinition<Input extends z.ZodMiniObject> extends Omit<Tool, 'input' | 'call'> {
	readonly input: () => Input;
	readonly handle: (input: z.infer<Input>, call: ToolCall) => Promise<ToolResult>;
}

/** Joins schema and handler, so that the one checks what the other gets. */
export function defineTool<Input extends z.ZodMiniObject>({ handle, ...tool }: ToolDefinition<Input>): Tool {
	return {
		...tool,
		call: async (input, call) => {
			const checked = tool.input().safeParse(input);
			if (!checked.success) throw new BrokerError('invalid_arguments');
			return await handle(checked.data, call);
		},
	};
}

/** The same tool; when it was called for the first time, `then` is called. */
export function onFirstCall(tool: Tool, then: (call: ToolCall) => void): Tool {
	let isFirst = true;
	return {
		...tool,
		call: async (input, call) => {
			try {
				return await tool.call(input, call);
			} finally {
				if (isFirst) then(call);
				isFirst = false;
			}
		},
	};
}
