import type * as z from 'zod/mini';
import { BrokerError } from '../errors.ts';
import type { ExposableTool } from '../exposure/policy.ts';
import type { Call } from '../policy/options.ts';

/** The broker's own tools that the user can show and hide. */
export const OWN_TOOLS: readonly ExposableTool[] = [
	{ name: 'load_context', exposure: 'safe' },
	{ name: 'find_context', exposure: 'safe' },
	{ name: 'run_shell_command', exposure: 'named' },
];

/** For a model that has seen no other text of the broker. */
export interface Listing {
	readonly title: string;
	/** Claude Code cuts at about 2 KB. */
	readonly description: string;
	readonly annotations: Readonly<Record<string, boolean>>;
	readonly meta?: Readonly<Record<string, unknown>>;
	/** The schema of the structured result. */
	readonly output?: () => z.ZodMiniObject;
}

export interface ToolCall extends Call {
	/** Aborted if the client cancels the call, or is gone. */
	readonly signal: AbortSignal;
	/** Undefined if the client did not ask. */
	readonly progress: ((message: string) => void) | undefined;
}

export interface ToolResult {
	readonly text: string;
	/** As `listing.output` has it. A client can show the model this in place of the text. */
	readonly structured?: Readonly<Record<string, unknown>>;
}

export interface Tool {
	readonly name: string;
	/** Without one it is hidden, and not the user's to show. */
	readonly listing?: Listing;
	/** By default it is. */
	readonly isVisibleTo?: (call: Call) => boolean;
	readonly input: () => z.ZodMiniObject;
	/** Whether a cancelled call is answered, with what there is. */
	readonly answersCancelled?: boolean;
	/** Takes arguments of any shape. @throws BrokerError */
	readonly call: (input: unknown, call: ToolCall) => Promise<ToolResult>;
}

/** A {@link Tool} whose handler gets its arguments checked and typed. */
export interface ToolDefinition<Input extends z.ZodMiniObject> extends Omit<Tool, 'input' | 'call'> {
	readonly input: () => Input;
	readonly handle: (input: z.infer<Input>, call: ToolCall) => Promise<ToolResult>;
}

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

/** The same tool, which calls `then` after its first call. */
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
