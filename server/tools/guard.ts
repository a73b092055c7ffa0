import { hookEventSchema } from '../claude-code/hooks.ts';
import type { Guard } from '../policy/guard.ts';
import { defineTool, type Tool } from './tool.ts';

/** Called by the hooks in `hooks/hooks.json`, and hidden from everybody else. */
export function guardTool(guard: Guard): Tool {
	return defineTool({
		name: 'guard',
		isVisibleTo: (call) => guard.isHookCall(call),
		input: hookEventSchema,
		handle: async (event, call) => ({ text: JSON.stringify(await guard.answer(event, call)) }),
	});
}
