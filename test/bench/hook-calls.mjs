import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './user.mjs';

/** @typedef {import('./client.mjs').ToolCall} ToolCall */

/** The client whose hooks ask. */
export const CLAUDE_CODE = { name: 'claude-code', version: '2.1.332' };

const { hooks } = JSON.parse(readFileSync(join(ROOT, 'hooks', 'hooks.json'), 'utf8'));

/**
 * Claude Code's call for a hook, with every field in hooks.json; "" if the event has no such field.
 *
 * @param {string} event
 * @param {Record<string, string>} fields
 * @returns {ToolCall}
 */
export function hookCall(event, fields) {
	const [{ tool, input }] = hooks[event][0].hooks;
	const known = {
		hook_event_name: event,
		session_id: 'b7c1f8a2-3d4e-4f50-8a6b-9c0d1e2f3a4b',
		transcript_path: '/home/jo/.claude/projects/-project/b7c1f8a2-3d4e-4f50-8a6b-9c0d1e2f3a4b.jsonl',
		cwd: '/project',
		...fields,
	};
	const empty = Object.fromEntries(Object.keys(input).map((field) => [field, '']));
	return { name: tool, arguments: { ...empty, ...known } };
}

/** The hook's call before the scanner loads. @param {string} key @param {string} toolUseId @returns {ToolCall} */
export function loadHook(key, toolUseId) {
	return hookCall('PreToolUse', {
		agent_id: 'a1',
		agent_type: 'context-broker:privacy-scanner',
		tool_name: 'mcp__plugin_context-broker_broker__load_context',
		tool_use_id: toolUseId,
		tool_input: JSON.stringify({ key }),
	});
}
