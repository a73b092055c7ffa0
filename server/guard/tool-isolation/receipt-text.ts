import type { StartedErrand, ToolCall } from './errands.ts';

/** What the agent that has started an executor is told of what that one has really done. */
export function receiptText({ calls }: StartedErrand): string {
	if (calls.size === 0) {
		return 'Context Broker: this agent has run no tool. If its answer speaks of a result, it is made up.';
	}
	const lines = [...calls.values()].map((call) => `- ${callText(call)}`);
	return `Context Broker has seen what this agent ran; its answer is its own words.\n${lines.join('\n')}`;
}

function callText({ tool, arguments: digest, asAsked, outcome, bytes, sha256 }: ToolCall): string {
	const how = asAsked === true ? 'the arguments that you gave' : 'OTHER arguments than you gave';
	const result = sha256 === undefined ? '' : `, result ${bytes} bytes, SHA-256 ${sha256}`;
	return `${tool} with ${how} (SHA-256 ${digest}): ${OUTCOMES[outcome]}${result}`;
}

const OUTCOMES: Readonly<Record<ToolCall['outcome'], string>> = {
	ok: 'ok',
	error: 'the tool reported an error',
	unknown: 'not carried out, or broken off: Claude Code has told no outcome',
};

/** In the place of receipts, where the answer comes later. */
export const STILL_RUNNING =
	'Context Broker: this agent goes on in the background. What it has really run comes with its answer; the user also sees it with "context-broker receipts".';
