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

/** What a model reads. It has seen no other text of the broker. */
export interface Listing {
	readonly title: string;
	/** Claude Code cuts it at about 2 KB. */
	readonly description: string;
	readonly annotations: Readonly<Record<string, boolean>>;
	readonly meta?: Readonly<Record<string, unknown>>;
	/** The schema of the structured result. */
	readonly output?: () => z.ZodMiniObject;
}

export interface ToolCall extends Call {
	/** Aborted if the client cancels the call. */
	readonly signal: AbortSignal;
	/** Undefined if the client did not ask for progress. */
	readonly progress: ((message: string) => void) | undefined;
}

export interface ToolResult {
	readonly text: string;
	/** Fits `listing.output`. A client can show the model this instead of the text. */
	readonly structured?: Readonly<Record<string, unknown>>;
}

export interface Tool {
	readonly name: string;
	/** Without it the tool is hidden, and the user cannot show it. */
	readonly listing?: Listing;
	/** Only for a tool without a listing: whether it exists for this caller. By default it does. */
	readonly isVisibleTo?: (call: Call) => boolean;
	readonly input: () => z.ZodMiniObject;
	/** Whether a cancelled call gets an answer, with the output so far. */
	readonly answersCancelled?: boolean;
	/** Validates `input`. @throws BrokerError */
	readonly call: (input: unknown, call: ToolCall) => Promise<ToolResult>;
}

/** A {@link Tool} whose handler gets validated and typed arguments. */
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

/** The same tool. After its first call, also a failed one, it calls `then`. */
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
