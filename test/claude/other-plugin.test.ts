import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LOAD_CONTEXT } from '../../server/claude-code/tools.ts';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { brokerSession, homeForTest, SCANNER } from './broker-session.ts';
import { freshPlugin, withLinkedPackages } from './fresh-plugin.ts';
import { runClientCommand } from './harness/client.ts';
import { delegate } from './harness/delegation.ts';
import { type Home, writeMap } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { mentions, systemText, toolResults } from './harness/request.ts';
import { CATALOG, holding, MARKERS } from './markers.ts';

/** The example, as docs/agents.md has it. */
const EXAMPLE = readExample();
const [, KEY = ''] = /the key `([^`]+)`/.exec(EXAMPLE.agent) ?? [];
const SCANNERS_KEY = 'catalog-q7v2mx9k';

const CUSTOMERS = '- Philippa Quuxington\n- Ottokar Markwardt, 17 Fictional Lane\n';
const CUSTOMERS_MARKERS = ['Philippa Quuxington', '17 Fictional Lane'];

const load = (key: string) => ({ tool: LOAD_CONTEXT, input: { key } });

describe.each(clientVersions())('Claude Code %s: an agent of another plugin, by the documented example', (version) => {
	test('Context Broker comes with it, it loads its own file and not that of the scanner, and the main agent gets neither', async () => {
		const user = await homeForTest();
		await keepFiles(user);
		const claude = async (...args: string[]) => {
			const { exitCode, stdout, stderr } = await runClientCommand({
				version,
				home: user.home,
				cwd: user.project,
				args,
			});
			expect(`${exitCode} ${stderr}`).toBe('0 ');
			return stdout;
		};
		await claude('plugin', 'marketplace', 'add', await makeMarketplace(user));
		await claude('plugin', 'marketplace', 'add', await freshPlugin(user.home, 'clone'));
		expect(await claude('plugin', 'install', 'tracker@tickets')).toContain('(+ 1 dependency: context-broker)');

		const agents = delegate([
			{
				type: 'tracker:triage',
				background: false,
				calls: [load(KEY), load(SCANNERS_KEY)],
				answer: () => `These are the customers:\n${CUSTOMERS}`,
			},
			{
				type: SCANNER,
				background: false,
				calls: [load(SCANNERS_KEY), load(KEY)],
				answer: () => `This is the catalog:\n${CATALOG}`,
			},
		]);
		const own = [load(KEY), load(SCANNERS_KEY)];
		const env = await withLinkedPackages(user.home);
		const session = { version, ...user, env, args: ['--allowedTools', LOAD_CONTEXT] };
		const { model } = await brokerSession(session, (request) => {
			const done = toolResults(request).length;
			return (request.agent !== 'subagent' && done >= 2 && own[done - 2]) || agents.script(request);
		});

		const refused = (code: string) => ({ isError: true, text: expect.stringContaining(`${code}: `) });
		expect(agents.resultsOf(0)).toMatchObject([{ isError: false, parts: [CUSTOMERS] }, refused('agent_not_listed')]);
		expect(agents.resultsOf(1)).toMatchObject([{ isError: false, parts: [CATALOG] }, refused('agent_not_listed')]);
		const newest = model.requests.findLast(({ agent }) => agent === 'main');
		expect(newest && toolResults(newest).slice(2)).toMatchObject([refused('agents_only'), refused('agents_only')]);

		const [triage, scanner] = [agents.requestsOf(0), agents.requestsOf(1)];
		const others = model.requests.filter((request) => !triage.includes(request) && !scanner.includes(request));
		expect(holding([...others, ...scanner], CUSTOMERS_MARKERS)).toEqual([]);
		expect(holding([...others, ...triage], MARKERS)).toEqual([]);
		// Nobody is told the key but the agent whose it is; here the others know it from the script.
		expect(triage[0] && systemText(triage[0])).toContain(KEY);
		expect(scanner[0] && mentions(scanner[0], KEY)).toBe(false);
		const first = others.find(({ agent }) => agent === 'main');
		expect(first && mentions(first, KEY)).toBe(false);
	});
});

/** The scanner's catalog and what the example's agent is to load, and a map of both. */
async function keepFiles({ home }: Home): Promise<void> {
	await write(join(home, 'private', 'catalog.md'), CATALOG);
	await write(join(home, 'private', 'customers.md'), CUSTOMERS);
	await writeMap(home, `[keys]\n${SCANNERS_KEY} = "~/private/catalog.md"\n\n${EXAMPLE.map}`);
}

/** A marketplace with the example's plugin in it. @returns its folder */
async function makeMarketplace({ home }: Home): Promise<string> {
	const root = join(dirname(home), 'tickets');
	const plugins = [{ name: 'tracker', source: './tracker', description: 'Sorts tickets.' }];
	const marketplace = { name: 'tickets', owner: { name: 'Jo' }, plugins, ...EXAMPLE.marketplaceFields };
	await write(join(root, '.claude-plugin', 'marketplace.json'), JSON.stringify(marketplace));
	await write(join(root, 'tracker', '.claude-plugin', 'plugin.json'), EXAMPLE.manifest);
	await write(join(root, 'tracker', 'agents', 'triage.md'), EXAMPLE.agent);
	return root;
}

async function write(file: string, text: string): Promise<void> {
	await mkdir(dirname(file), { recursive: true });
	await writeFile(file, text);
}

function readExample() {
	const agents = readFileSync(join(PLUGIN_ROOT, 'docs', 'agents.md'), 'utf8');
	const [, rest = ''] = agents.split('\n## An agent of another plugin\n');
	const [section = ''] = rest.split('\n## ');
	const block = (language: string) => {
		const [, text = ''] = new RegExp(`^ *\`\`\`${language}\n(.*?)\`\`\``, 'ms').exec(section) ?? [];
		return text.replace(/^ {3}/gm, '');
	};
	const [field = ''] = /"allowCrossMarketplaceDependenciesOn": \[.*?\]/.exec(section) ?? [];
	return {
		manifest: block('json'),
		agent: block('markdown'),
		map: block('toml'),
		marketplaceFields: JSON.parse(`{${field}}`) as object,
	};
}
