import type { Script } from './model.ts';
import type { Reply, ReplyBlock } from './reply.ts';
import { type DeliveredResult, type ModelRequest, toolNames, toolResults, toolUses, userText } from './request.ts';

/** A tool call and its input. */
export interface ToolCall {
	readonly tool: string;
	readonly input: object;
}

/** One subagent's task. */
export interface Errand {
	/** The agent's type, for example `context-broker:privacy-scanner`. */
	readonly type: string;
	/** The subagent's prompt, by which errands are told apart: none may contain another. Default: `Errand 1.` and so on. */
	readonly prompt?: string;
	/** Sent only if given. Without it, 2.1.126 waits for a subagent, and 2.1.332 runs it in the background. */
	readonly background?: boolean;
	/** Its tool calls, one for each turn. A list instead of a call is one turn with several calls. */
	readonly calls: readonly (ToolCall | readonly ToolCall[])[];
	/** Its answer to the main agent. Default: `Done.` */
	readonly answer?: (results: readonly DeliveredResult[]) => string;
}

/** A script in which the main agent starts subagents in one turn, and answers when it gets their results. */
export interface Delegation {
	readonly script: Script;
	/** The requests for an errand's subagent so far, in order. */
	requestsOf(errand?: number): readonly ModelRequest[];
	/**
	 * The tool results of an errand's subagent so far, in order. Read from its newest request, which has the older ones too.
	 */
	resultsOf(errand?: number): readonly DeliveredResult[];
}

/**
 * Scripts errands. Reads the state of a conversation from each request, so that a retry gets the same answer.
 *
 * @param last the main agent's final answer
 */
export function delegate(errands: Errand | readonly Errand[], last = 'All done.'): Delegation {
	const list = (Array.isArray(errands) ? errands : [errands]) as readonly Errand[];
	const prompts = list.map(({ prompt }, index) => prompt ?? `Errand ${index + 1}.`);
	const seen: ModelRequest[][] = list.map(() => []);

	function subagent(request: ModelRequest): Reply {
		const asked = userText(request);
		const index = prompts.findIndex((prompt) => asked.includes(prompt));
		const errand = list[index];
		if (!errand) throw new Error(`A subagent was asked something that is no errand: ${asked}`);
		seen[index]?.push(request);
		const results = toolResults(request);
		let done = 0;
		for (const turn of errand.calls) {
			const calls = (Array.isArray(turn) ? turn : [turn]) as readonly ToolCall[];
			if (done === results.length) return calls;
			done += calls.length;
		}
		return { text: errand.answer?.(results) ?? 'Done.' };
	}

	function main(request: ModelRequest): Reply {
		const tool = ['Agent', 'Task'].find((name) => toolNames(request).includes(name));
		if (tool === undefined) throw new Error(`The main agent can start no subagent: ${toolNames(request).join(', ')}`);
		if (toolUses(request).some(({ name }) => name === tool)) return { text: last };
		return list.map(
			({ type, background }, index): ReplyBlock => ({
				tool,
				input: {
					description: `Errand ${index + 1}`,
					prompt: prompts[index],
					subagent_type: type,
					...(background === undefined ? {} : { run_in_background: background }),
				},
			}),
		);
	}

	return {
		script: (request) => (request.agent === 'subagent' ? subagent(request) : main(request)),
		requestsOf: (errand = 0) => seen[errand] ?? [],
		resultsOf: (errand = 0) => {
			const newest = seen[errand]?.at(-1);
			return newest ? toolResults(newest) : [];
		},
	};
}
