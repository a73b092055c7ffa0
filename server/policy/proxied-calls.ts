import type { ClientInfo } from '../claude-code/client.ts';
import { type HookEvent, hookEventSchema } from '../claude-code/hooks.ts';
import { OWN_TOOLS, shellOf } from '../claude-code/tools.ts';
import { BrokerError } from '../errors.ts';
import type { Caller } from '../record/session.ts';
import type { Call } from './options.ts';
import { protectedFile } from './rules.ts';
import type { State } from './state.ts';
import type { RelayedTool } from './tool-isolation/tool-isolation.ts';

/** Checks a command of the broker's shell again: hooks can be off, and only here the folder is known. @throws BrokerError */
export async function permitCommand(
	{ client, toolUseId }: Call,
	command: string,
	directory: string,
	state: State,
): Promise<void> {
	const caller = state.toolUses.takeCaller(toolUseId);
	const tool = shellOf(state.options.files.platform);
	await permit(caller, client, callEvent(tool, { command }, directory, caller), { command }, state);
}

/** The same for a call to an upstream server. @param directory the project */
export async function permitRelay(
	call: Call,
	tool: RelayedTool,
	input: unknown,
	directory: string,
	state: State,
): Promise<void> {
	const caller = state.toolUses.takeCaller(call.toolUseId);
	if (caller !== undefined) state.relaying.set(call, caller);
	const event = callEvent(`${OWN_TOOLS}${tool.name}`, input, directory, caller);
	await permit(caller, call.client, event, input, state);
	state.isolation.permit(caller, tool, state.map.content.isolation);
}

/** Records that the server gave no result for a relayed call. */
export function noteFailed({ toolUseId }: Call, { toolUses }: State): void {
	const call = toolUses.get(toolUseId ?? '')?.delegated;
	if (call !== undefined) call.hasFailed = true;
}

/**
 * Records that the caller gets private data. If it is an executor, its starter gets it as well.
 *
 * @param given the result, or an error
 * @throws BrokerError `state_unwritable`
 */
export async function noteRelayed(call: Call, given: unknown, state: State): Promise<void> {
	const { relaying, agents, session, map, options } = state;
	const caller = relaying.get(call);
	if (caller === undefined) {
		session.suspectAll();
		await session.mark([]);
		return;
	}
	const starter = agents.get(caller.agent_id)?.delegation?.starter;
	const holders = starter === undefined ? [caller] : [caller, starter];
	await session.mark(
		holders.map(({ session_id, agent_id }) => ({ session: session_id, agent: agent_id, private: true })),
	);
	const { session_id, agent_id: agent, transcript_path: transcript } = caller;
	// Not what the main agent gets itself: that is a part of the conversation, which can be continued.
	if (agent === '' || !map.isOn('traces')) return;
	for (const text of textsOf(given)) options.traces.load({ session: session_id, agent, transcript }, text);
}

/** The texts in a result or an error. Structured content counts: Claude Code can show it instead of texts. */
function textsOf(given: unknown): string[] {
	if (given instanceof Error) return [given.message];
	const { content, structuredContent } = Object(given);
	const blocks = (Array.isArray(content) ? content : []).map(Object);
	const texts = blocks.map(({ text, resource }) => text ?? Object(resource).text);
	texts.push(JSON.stringify(structuredContent));
	return texts.filter((text) => typeof text === 'string');
}

async function permit(
	caller: Caller | undefined,
	client: ClientInfo | undefined,
	event: HookEvent,
	input: unknown,
	{ client: clients, session, map, files, options }: State,
): Promise<void> {
	const loads = await options.journal.loads();
	await session.refresh();
	// Without a hook the session is unknown, and so counts as private: the id in the environment is not that of a
	// continued session (2.1.332).
	if (!caller?.session_id && clients.identify(client) !== 'key_only') await session.markFound();
	const content = await map.read();
	if (content instanceof BrokerError && content.code !== 'config_missing') throw content;
	if (!map.isOn('files')) return;
	const evidence = await files.reachedBy(event, input, map.content, loads);
	if (evidence) throw protectedFile(evidence, false);
}

function callEvent(tool_name: string, input: unknown, cwd: string, caller: Caller | undefined): HookEvent {
	const tool_input = JSON.stringify(input ?? {});
	return hookEventSchema().parse({ hook_event_name: 'PreToolUse', tool_name, tool_input, cwd, ...caller });
}
