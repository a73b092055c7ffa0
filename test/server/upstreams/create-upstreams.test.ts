import { expect, onTestFinished, test, vi } from 'vitest';
import { parseContextMap } from '../../../server/context-map/parse.ts';
import { createUpstreams } from '../../../server/upstreams/create-upstreams.ts';
import { pretendPlatform } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test('on Windows a server is not started by a bare name that PATH does not have', async () => {
	const folder = await temporaryFolder();
	const { servers } = parseContextMap(Buffer.from('[keys]\n[mcp_servers.s]\ncommand = "node"\n'));
	const warnings: string[] = [];
	const unused = () => {
		throw new Error('not asked for');
	};
	pretendPlatform('win32');
	vi.stubEnv('PATH', '.;tools');
	onTestFinished(() => void vi.unstubAllEnvs());
	const upstreams = createUpstreams({
		...{ servers, version: '1.0.0', resolveFolder: () => folder, isolate: unused, treeOf: unused },
		...{ watchdog: { watch: unused, forget: unused }, isGone: () => false, isPrivate: () => false, onTools: () => {} },
		warn: (sentence) => void warnings.push(sentence),
	});
	upstreams.start();
	await upstreams.started();
	expect(warnings).toEqual([expect.stringContaining('[mcp_servers.s]')]);
	expect(warnings[0]).toContain('its program was not found');
	await upstreams.close();
});
