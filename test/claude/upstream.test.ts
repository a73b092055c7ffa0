import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BOOTSTRAP } from '../support/paths.ts';
import { homeForTest } from './broker-session.ts';
import { runClient } from './harness/client.ts';
import { delegate } from './harness/delegation.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { startModel } from './harness/model.ts';
import { toolNames } from './harness/request.ts';

/**
 * The one path that would replace the broker's place in the plugin (anthropics/claude-code#33689): an MCP server that
 * only one agent has, by its frontmatter. The day the first test fails is the day to look at the design again; see
 * CONTRIBUTING, "Upstream issues".
 */
const AGENT = `---
name: reader
description: Reads.
tools: Read, mcp__inline__load_context
mcpServers:
  - inline:
      type: stdio
      command: ${JSON.stringify(process.execPath)}
      args: [${JSON.stringify(BOOTSTRAP)}]
---
You read.
`;

async function toolsOfAgent(version: string, home: string, project: string, type: string, args: readonly string[]) {
	const errand = delegate({ type, background: false, calls: [] });
	const model = await startModel(errand.script);
	onTestFinished(() => model.close());
	await runClient({ version, home, cwd: project, model, prompt: 'Go.', args });
	const [request] = errand.requestsOf();
	if (request === undefined) throw new Error(`${type} was not started`);
	return toolNames(request).filter((name) => name.startsWith('mcp__'));
}

describe.each(clientVersions())('Claude Code %s', (version) => {
	test('ignores mcpServers in the frontmatter of an agent from a plugin', async () => {
		const { home, project } = await homeForTest();
		const plugin = join(dirname(home), 'plugin');
		await mkdir(join(plugin, '.claude-plugin'), { recursive: true });
		await mkdir(join(plugin, 'agents'));
		await writeFile(
			join(plugin, '.claude-plugin', 'plugin.json'),
			'{"name":"scoped","version":"1.0.0","description":"x"}',
		);
		await writeFile(join(plugin, 'agents', 'reader.md'), AGENT);
		expect(await toolsOfAgent(version, home, project, 'scoped:reader', ['--plugin-dir', plugin])).toEqual([]);
	});

	test('honours the same frontmatter in an agent of the user, so the test above can fail', async () => {
		const { home, project } = await homeForTest();
		await mkdir(join(home, '.claude', 'agents'), { recursive: true });
		await writeFile(join(home, '.claude', 'agents', 'reader.md'), AGENT);
		// All of the server, though the file names one.
		expect((await toolsOfAgent(version, home, project, 'reader', [])).sort()).toEqual([
			'mcp__inline__find_context',
			'mcp__inline__load_context',
		]);
	});
});
