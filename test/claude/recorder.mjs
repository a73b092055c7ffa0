/**
 * An MCP server that hooks ask, as they ask the broker: it notes down what it gets, and answers as it is told.
 *
 *     recorder.mjs <log> <answers>
 *
 * `answers` is JSON: the answer to a hook by its event, or by its event and tool (`PreToolUse Bash`). An answer that stands in a list is
 * given once. `{ "replace": [text, other] }` after a call gives back what the call gave with another text in it.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [log = '', file = ''] = process.argv.slice(2);
const answers = JSON.parse(readFileSync(file, 'utf8'));
/** @param {object} entry */
const note = (entry) => appendFileSync(log, `${JSON.stringify(entry)}\n`);
note({ kind: 'start', env: process.env });

/** @param {Record<string, string>} input */
function answerTo(input) {
	note({ kind: 'hook', input });
	const { hook_event_name: event, tool_name: tool } = input;
	const found = answers[`${event} ${tool}`] ?? answers[`${event}`];
	const answer = Array.isArray(found) ? found.shift() : found;
	if (answer?.replace === undefined) return answer ?? {};
	const [text, other] = answer.replace;
	const updatedToolOutput = JSON.parse(`${input.tool_response}`.replaceAll(text, other));
	return { hookSpecificOutput: { hookEventName: event, updatedToolOutput } };
}

/** @param {any} params */
function call({ name, arguments: input, _meta }) {
	if (name === 'guard') return { content: [{ type: 'text', text: JSON.stringify(answerTo(input)) }] };
	note({ kind: 'call', name, _meta });
	if (name === 'die') process.exit(1);
	const content = [{ type: 'text', text: `${name} as text` }];
	return name === 'fail'
		? { isError: true, content }
		: { content, structuredContent: { says: `${name} as structure` } };
}

/** @param {any} message */
function resultOf({ method, params }) {
	if (method === 'initialize') {
		const { protocolVersion } = params;
		return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'recorder', version: '1' } };
	}
	const inputSchema = { type: 'object' };
	if (method === 'tools/list') return { tools: ['echo', 'fail', 'die'].map((name) => ({ name, inputSchema })) };
	return method === 'tools/call' ? call(params) : {};
}

createInterface({ input: process.stdin }).on('line', (line) => {
	const message = JSON.parse(line);
	if (message.id === undefined) return;
	process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message) })}\n`);
});
