import { hookEventSchema } from '../claude-code/hooks.ts';
import type { Guard } from '../policy/guard.ts';
import { defineTool, type Tool } from './tool.ts';

/** `guard`: asked by the hooks in `hooks/hooks.json`. For everybody else there is no such tool. */
export function guardTool(guard: Guard): Tool {
	return defineTool({
		name: 'guard',
		isVisibleTo: (call) => guard.isHookCall(call),
		input: hookEventSchema,
		handle: async (event, call) => ({ text: JSON.stringify(await guard.answer(event, call)) }),
	});
}
