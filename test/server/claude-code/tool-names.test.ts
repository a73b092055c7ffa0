import { expect, test } from 'vitest';
import { clientName, clientPrefix } from '../../../server/claude-code/tool-names.ts';

test.each([
	['db', 'mcp__db__'],
	['every__thing', 'mcp__every__thing__'],
	['a.b', 'mcp__a_b__'],
	['a-b', 'mcp__a-b__'],
	['plugin:x:y', 'mcp__plugin_x_y__'],
	['Ärger', 'mcp___rger__'],
	['claude.ai Google Drive', 'mcp__claude_ai_Google_Drive__'],
	['claude.ai (beta)', 'mcp__claude_ai_beta__'],
	['my claude.ai  x', 'mcp__my_claude_ai__x__'],
])('the tools of %s begin with %s', (server, prefix) => {
	expect(clientPrefix(server)).toBe(prefix);
});

test('a name as Claude Code writes it stays as it is', () => {
	for (const name of ['a.b', 'x y', 'claude.ai  x_', '__']) expect(clientName(clientName(name))).toBe(clientName(name));
});
