import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ContextMap } from '../../server/context-map/context-map.ts';
import { createIsolation } from '../../server/isolation/isolation.ts';
import { Watchdog } from '../../server/processes/watchdog.ts';
import { createShell } from '../../server/shell/shell.ts';
import { findContext } from '../../server/tools/find-context.ts';
import { guardTool } from '../../server/tools/guard.ts';
import { loadContext } from '../../server/tools/load-context.ts';
import { runShellCommand } from '../../server/tools/run-shell-command.ts';
import { createGuard } from '../support/guard.ts';
import { PLUGIN_ROOT } from '../support/paths.ts';

const map = new ContextMap('/none', '/none');
const { state } = createGuard(map);

const folder = '/none';
const isolation = createIsolation({ process, folder, find: () => undefined });
const watchdog = new Watchdog(() => null);
const shell = createShell({ process, folder, isolation, watchdog, now: () => 0 });

/** Every tool of the broker that is listed. */
export const TOOLS = [
	loadContext(map, state),
	findContext({ map, state, project: '/none', find: async () => await Promise.reject(new Error('not here')) }),
	runShellCommand({ map, state, shell, project: '/none' }),
	guardTool(state),
].filter(({ listing }) => listing !== undefined);

const plugin = JSON.parse(readFileSync(join(PLUGIN_ROOT, '.claude-plugin', 'plugin.json'), 'utf8')) as { name: string };
const mcp = JSON.parse(readFileSync(join(PLUGIN_ROOT, '.mcp.json'), 'utf8')) as { mcpServers: object };
const [server] = Object.keys(mcp.mcpServers);

/** Their names as Claude Code gives them to a model. */
export const FULL_TOOL_NAMES = TOOLS.map(({ name }) => `mcp__plugin_${plugin.name}_${server}__${name}`);
