import { expect, onTestFinished, test, vi } from 'vitest';
import { parseContextMap } from '../../../server/context-map/parse.ts';
import { createUpstreams, type Warn } from '../../../server/upstreams/create-upstreams.ts';
import { pretendPlatform } from '../../support/platform.ts';
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
	const folder = await temporaryFolder();
	const { servers } = parseContextMap(Buffer.from(`[keys]\n[mcp_servers.s]\ncommand = "${command}"\n`));
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
	expect(warnings).toEqual([
		[expect.stringContaining('[mcp_servers.s]'), expect.objectContaining({ next: expect.stringContaining(next) })],
	]);
	expect(warnings[0]?.[0]).toContain(reason);
	await upstreams.close();
});
