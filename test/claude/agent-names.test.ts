import { describe, expect, test } from 'vitest';
import { addAgent, homeForTest, SCANNER, scanSession } from './broker-session.ts';
import { does } from './client-differences.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { toolNames } from './harness/request.ts';

/**
 * The guard knows an agent by its name, so it matters who can take a name. These are facts about the client, for
 * docs/design.md, "Threat model"; the broker can not change them.
 */
async function toolsOf(type: string, version: string, home: string, project: string): Promise<string[]> {
	const { scan } = await scanSession({ version, home, project, keys: [], type });
	const [request] = scan.requestsOf();
	return request === undefined ? [] : toolNames(request);
}

describe.each(clientVersions())('Claude Code %s', (version) => {
	test('whether a file of the project can take the name of an agent of a plugin', async () => {
		const { home, project } = await homeForTest();
		await addAgent(project, SCANNER, 'Bash');
		const canTake = !does(version, 'keepsNamesOfPlugins');
		expect((await toolsOf(SCANNER, version, home, project)).includes('Bash')).toBe(canTake);
	});

	test('a file of the project takes the name of an agent in the home folder', async () => {
		const { home, project } = await homeForTest();
		await addAgent(home, 'reader', 'Read');
		await addAgent(project, 'reader', 'Bash');
		expect(await toolsOf('reader', version, home, project)).toContain('Bash');
	});
});
