import type { DelegatedCall, Delegation } from '../../record/tool-uses.ts';

/** What an executor has really run, for the agent that started it. @param agent the executor's id, as Claude Code gives it */
export function receiptText({ description, calls }: Delegation, agent: string): string {
	const who = `Context Broker, about agent ${agent} (${description}):`;
	if (calls.size === 0) return `${who} it ran no tool. If its answer reports a result, that result is made up.`;
	const lines = [...calls.values()].map((call) => `- ${callText(call)}`);
	return `${who} this is what it ran. Its answer is in its own words.\n${lines.join('\n')}`;
}

function callText({ tool, argumentsDigest, isAsRequested, outcome, bytes, sha256 }: DelegatedCall): string {
	const how = isAsRequested ? 'the arguments that you gave' : 'OTHER arguments than you gave';
	const result = sha256 === undefined ? '' : `, result ${bytes} bytes, SHA-256 ${sha256}`;
	return `${tool} with ${how} (SHA-256 ${argumentsDigest}): ${OUTCOMES[outcome]}${result}`;
}

const OUTCOMES: Readonly<Record<DelegatedCall['outcome'], string>> = {
	ok: 'ok',
	error: 'the tool reported an error',
	unknown: 'no result: it did not run, or was interrupted',
};

/** The same for an executor in the background. @param receiptsFollow whether the receipt comes with its answer */
export function runningText({ description }: Delegation, agent: string, receiptsFollow: boolean): string {
	const when = receiptsFollow ? 'comes with its answer' : 'is not reported by any hook';
	return `Context Broker, about agent ${agent} (${description}): it continues in the background. A list of what it really runs ${when}.`;
}
