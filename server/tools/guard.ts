import { hookEventSchema } from '../claude-code/hooks.ts';
import { answerHook, isHookCall } from '../policy/answer-hook.ts';
import type { State } from '../policy/state.ts';
import { defineTool, type Tool } from './tool.ts';

/** `guard`: called by the hooks in `hooks/hooks.json`. For other callers it does not exist. */
export function guardTool(state: State): Tool {
	return defineTool({
		name: 'guard',
		isVisibleTo: (call) => isHookCall(call, state),
		input: hookEventSchema,
		handle: async (event, call) => ({ text: JSON.stringify(await answerHook(event, call, state)) }),
	});
}
