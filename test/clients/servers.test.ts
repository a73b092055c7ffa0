import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { loadPrivate, outcome, startBrokerWith, toolNames } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary.ts';

/** The first table of docs/servers.md about a server, for another folder. */
function documentedServer(folder: string): string {
	const document = readFileSync(join(PLUGIN_ROOT, 'docs', 'servers.md'), 'utf8');
	const [, fields = ''] = /^\[mcp_servers\.files\].*\n((?:\w.*\n)+)/m.exec(document) ?? [];
	expect(fields).toContain('isolate_network = true');
	expect(fields).toContain('"."');
	return fields.replace('"."', JSON.stringify(folder));
}

/** npm downloads the server here, for a user who has never used it. */
test('the example of a server without a network works as it is printed, also in a private session', async () => {
	const folder = join(await temporaryFolder(), 'project');
	await mkdir(folder);
	const broker = await startBrokerWith({ files: documentedServer(folder) }, []);
	await writeFile(join(folder, 'orders.txt'), '');
	const list = () => outcome(broker, 'files__list_directory', { path: folder });
	await expect.poll(() => toolNames(broker)).toContain('files__list_directory');
	expect(await list()).toContain('orders.txt');
	expect(JSON.stringify(await loadPrivate(broker))).toContain('Jane');
	const begun = performance.now();
	expect(await list()).toContain('orders.txt');
	// Else npm asks the registry again for 70 seconds, and the limit is 60.
	expect(performance.now() - begun).toBeLessThan(30_000);
});
