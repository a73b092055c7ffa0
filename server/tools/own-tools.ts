import type { ExposableTool } from '../exposure/policy.ts';

/** The broker's own tools that the user can show and hide, and when each is shown. */
export const OWN_TOOLS: readonly ExposableTool[] = [
	{ name: 'load_context', exposure: 'safe' },
	{ name: 'run_shell_command', exposure: 'named' },
];
