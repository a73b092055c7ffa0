import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { brokerSession, homeForTest, LOAD, mainSession, SCANNER, userWithKey } from './broker-session.ts';
import { does } from './client-differences.ts';
import { delegate } from './harness/delegation.ts';
import { type Home, writeMap, writePrivate } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import type { Script } from './harness/model.ts';
import { mentions, toolResults } from './harness/request.ts';
import { CATALOG, leaks } from './markers.ts';
import { toldInTranscripts } from './told.ts';

const BYPASS = { extraArgs: ['--dangerously-skip-permissions'], env: { IS_SANDBOX: '1' } };

/** Of that, what is about the map, and not about a call that was refused. */
function aboutMap(told: readonly string[]): string[] {
	return told.filter((text) => !text.startsWith('Context Broker refused '));
}

describe.each(clientVersions())('Claude Code %s: a map that has a fault from the start of the session', (version) => {
	test.each([
		{
			fault: 'a misspelt table',
			map: '[keys]\nk = "catalog.md"\n\n[gaurd]\nquoting = true\n',
			place: 'line 4, column 1: there is no such table; the nearest valid one is "guard"',
			loads: true,
		},
		{
			fault: "a variable that is not set, in one server's header",
			map: `[keys]\nk = "catalog.md"\n[mcp_servers.tracker]\nurl = "https://tracker.example/mcp"\nheaders = { Authorization = "Bearer \${TRACKER_TOKEN}" }\n`,
			place: 'line 5, column 1: a variable in it is not set',
			loads: true,
		},
		{
			fault: 'no valid TOML',
			map: '[keys]\nk = "catalog.md"\nother = ~/other.md\n',
			place: 'line 3, column 9: this is not valid TOML',
			loads: false,
		},
	])('$fault: the file is closed, and the person is told', async ({ map, place, loads }) => {
		const user = await userWithKey();
		const catalog = await writePrivate(user.home, 'catalog.md', CATALOG);
		const file = await writeMap(user.home, map);
		const scan = delegate({ type: SCANNER, background: false, calls: [LOAD] });
		const calls = [
			{ tool: 'Read', input: { file_path: catalog } },
			{ tool: 'Bash', input: { command: `cat ${catalog}`, description: 'x' } },
		];
		let mainResults: readonly unknown[] = [];
		const script: Script = (request) => {
			if (request.agent === 'main') mainResults = toolResults(request);
			const done = toolResults(request).length;
			if (request.agent === 'main' && done > 0) return calls[done - 1] ?? { text: 'Done.' };
			return scan.script(request);
		};
		const { session, model } = await brokerSession({ version, ...user, ...BYPASS }, script);

		const refused = { isError: true, text: expect.stringContaining('protected_file: ') };
		expect(mainResults.slice(1)).toMatchObject([refused, refused]);
		const loaded = loads ? CATALOG : expect.stringContaining('config_invalid: ');
		expect(scan.resultsOf()).toMatchObject([{ text: loaded }]);
		expect(leaks(model.requests, loads ? scan.requestsOf() : [])).toEqual([]);

		// What a subagent is refused not every version writes down.
		const all = toldInTranscripts(user.home).filter((text) => !text.includes(SCANNER));
		expect(all).toHaveLength(3);
		const told = aboutMap(all);
		expect(told).toEqual([expect.stringContaining(`${file}, ${place}.`)]);
		expect(told[0]).toContain('context-broker doctor');
		expect(model.requests.filter((request) => all.some((text) => mentions(request, text)))).toEqual([]);
		const printed = session.events.filter(({ subtype }) => subtype === 'informational');
		const expected = all.map((text) => ({ content: expect.stringContaining(text) }));
		expect(printed).toMatchObject(does(version, 'printsMessages') ? expected : []);
	});
});

describe.each(clientVersions())('Claude Code %s: a session with another XDG_CONFIG_HOME', (version) => {
	/** What the main agent gets that reads the file, and what the person is told. */
	async function reading(user: Home, catalog: string, env: Record<string, string> = {}) {
		const extraArgs = BYPASS.extraArgs;
		const read = { tool: 'Read', input: { file_path: catalog } };
		const { results, model } = await mainSession({ version, ...user, extraArgs, env: { ...BYPASS.env, ...env } }, [
			read,
		]);
		expect(leaks(model.requests)).toEqual([]);
		expect(results).toMatchObject([{ isError: true, text: expect.stringContaining('protected_file: ') }]);
		const told = toldInTranscripts(user.home);
		expect(model.requests.filter((request) => told.some((text) => mentions(request, text)))).toEqual([]);
		return aboutMap(told);
	}

	test('finds no map where the home folder has one: the file is closed, and the person is told', async () => {
		const user = await userWithKey();
		const catalog = await writePrivate(user.home, 'catalog.md', CATALOG);
		const told = await reading(user, catalog, { XDG_CONFIG_HOME: join(user.home, 'snap') });
		expect(told).toEqual([expect.stringContaining(join(user.home, 'snap', 'context-broker', 'context-map.toml'))]);
		expect(told[0]).toContain(join(user.home, '.config', 'context-broker', 'context-map.toml'));
	});

	test('was before one that finds none: the file is closed, and the person is told', async () => {
		const user = await homeForTest();
		const folder = join(user.home, 'elsewhere', 'context-broker');
		await mkdir(folder, { recursive: true });
		const catalog = join(folder, 'catalog.md');
		await writeFile(catalog, CATALOG);
		await writeFile(join(folder, 'context-map.toml'), '[keys]\nk = "catalog.md"\n');
		expect(await reading(user, catalog, { XDG_CONFIG_HOME: join(user.home, 'elsewhere') })).toEqual([]);
		expect(await reading(user, catalog)).toEqual([expect.stringContaining(join(folder, 'context-map.toml'))]);
	});
});

test.each(clientVersions())(
	'Claude Code %s: what the person was told reaches no model of a continued session',
	async (version) => {
		const user = await userWithKey();
		await writeMap(user.home, '[keys]\nk = "catalog.md"\n[gaurd]\n');
		await mainSession({ version, ...user, ...BYPASS }, []);
		const extraArgs = [...BYPASS.extraArgs, '--continue'];
		const { model } = await mainSession({ version, ...user, ...BYPASS, extraArgs }, []);
		const [told = ''] = toldInTranscripts(user.home);
		expect(told).toContain('context-broker doctor');
		expect(model.requests.filter((request) => mentions(request, told))).toEqual([]);
	},
);
