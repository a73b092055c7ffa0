import { expect, onTestFinished, test, vi } from 'vitest';
import { parseContextMap } from '../../../server/context-map/parse.ts';
import { createUpstreams, type Warn } from '../../../server/upstreams/create-upstreams.ts';
import { failFor, pretendPlatform } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test.each([
	['by a bare name that PATH does not have', 'node', 'its program was not found', 'Install it'],
	[
		'as a script',
		'./server.js',
		'does not end with .exe',
		'write the program that runs it, for example command = "node"',
	],
])('on Windows a server is not started %s', async (_, command, reason, next) => {
	const warnings = await warningsOnWindows(`command = "${command}"`);
	expect(warnings).toEqual([
		[expect.stringContaining('[mcp_servers.s]'), expect.objectContaining({ next: expect.stringContaining(next) })],
	]);
	expect(warnings[0]?.[0]).toContain(reason);
});

test('on Windows the program of a server is looked for in its own PATH', async () => {
	const files: string[] = [];
	failFor('statSync', '', (file) => {
		files.push(file);
		return false;
	});
	await warningsOnWindows(`command = "node"\nenv = { Path = 'C:\\tools\\none' }`);
	expect(files).toContain('C:\\tools\\none\\node.exe');
});

/** Starts a server whose program is not there. */
async function warningsOnWindows(table: string) {
	const folder = await temporaryFolder();
	const { servers } = parseContextMap(Buffer.from(`[keys]\n[mcp_servers.s]\n${table}\n`));
	const warnings: Parameters<Warn>[] = [];
	const unused = () => {
		throw new Error('not asked for');
	};
	pretendPlatform('win32');
	vi.stubEnv('PATH', '.;tools');
	onTestFinished(() => void vi.unstubAllEnvs());
	const upstreams = createUpstreams({
		...{ servers, version: '1.0.0', resolveFolder: () => folder, isolate: unused, treeOf: unused },
		...{ watchdog: { watch: unused, forget: unused }, isGone: () => false, isPrivate: () => false, onTools: () => {} },
		warn: (...warning) => void warnings.push(warning),
	});
	upstreams.start();
	await upstreams.started();
	await upstreams.close();
	return warnings;
}
