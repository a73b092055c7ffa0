import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CONTENT_LIMIT } from '../../server/files/read-markdown.ts';
import { homeForTest } from './broker-session.ts';
import { runClient } from './harness/client.ts';
import { delegate } from './harness/delegation.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { startModel } from './harness/model.ts';

const SERVER = fileURLToPath(new URL('sized-server.mjs', import.meta.url));
const GIVE = 'mcp__plugin_sized_server__give';

/** What a subagent gets for calls of a tool whose listing asks for results of a million characters. */
async function deliver(version: string, calls: readonly { letter: string; count: number }[]): Promise<string[]> {
	const { home, project } = await homeForTest();
	const plugin = join(dirname(home), 'sized');
	await mkdir(join(plugin, '.claude-plugin'), { recursive: true });
	await mkdir(join(plugin, 'agents'));
	const manifest = { name: 'sized', version: '1.0.0', description: 'x' };
	await writeFile(join(plugin, '.claude-plugin', 'plugin.json'), JSON.stringify(manifest));
	const server = { command: process.execPath, args: [SERVER, '1000000'] };
	await writeFile(join(plugin, '.mcp.json'), JSON.stringify({ mcpServers: { server } }));
	const agent = `---\nname: reader\ndescription: Reads.\ntools: ${GIVE}\n---\nYou read.\n`;
	await writeFile(join(plugin, 'agents', 'reader.md'), agent);
	const errand = delegate({
		type: 'sized:reader',
		background: false,
		calls: calls.map((input) => ({ tool: GIVE, input })),
	});
	const model = await startModel(errand.script);
	onTestFinished(() => model.close());
	const args = ['--plugin-dir', plugin, '--allowedTools', GIVE];
	await runClient({ version, home, cwd: project, model, prompt: 'Go.', args });
	return errand.resultsOf().map(({ text }) => text);
}

/** Whatever a listing asks for, the client has a bound of its own: the broker's limit is exactly that. */
describe.each(clientVersions())('Claude Code %s', (version) => {
	test.each([
		['ASCII', 'x'],
		['three bytes each', '漢'],
		['a surrogate pair each', '😀'],
	])('delivers as many UTF-16 code units as the limit whole, and cuts one more: %s', async (_, letter) => {
		const count = CONTENT_LIMIT / letter.length;
		const [whole, cut] = await deliver(version, [
			{ letter, count },
			{ letter, count: count + 1 },
		]);
		expect(whole).toBe(letter.repeat(count));
		expect(cut).toMatch(/^<persisted-output>/);
		expect(cut?.length).toBeLessThan(5_000);
	});
});
