import { execFile, execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { PROMPT, scanSession } from './broker-session.ts';
import { publish } from './harness/git.ts';
import { startGitServer } from './harness/git-server.ts';
import { clientVersions, resolveClient } from './harness/installed-clients.ts';
import { nodeFolder } from './nodes.ts';

/*
 * Follows the documents for users word for word, as somebody who has never seen the plugin: types what stands behind
 * each `$`, and compares what comes with what is shown.
 */

const README = await readFile(join(PLUGIN_ROOT, 'README.md'), 'utf8');
const [TOOLS, MACHINE] = await Promise.all(
	['tools.md', 'machine.md'].map((name) => readFile(join(PLUGIN_ROOT, 'docs', name), 'utf8')),
);

interface Typed {
	readonly command: string;
	/** What is shown below it. */
	readonly shown: string;
}

/** The commands of all blocks below a heading, up to the next one. */
function typedBelow(document = '', heading: string): Typed[] {
	const [, rest = ''] = `\n${document}`.split(`\n${heading}\n`);
	const [section = ''] = rest.split(/\n#{2,3} /);
	const blocks = [...section.matchAll(/^( *)```\n([\s\S]*?)^\1```/gm)].map(([, indent = '', text = '']) =>
		text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
	);
	return blocks.flatMap((block) => {
		const [, ...parts] = `\n${block}`.split(/^\$ /m);
		return parts.map((part) => {
			const [command = '', ...shown] = part.split('\n');
			return { command, shown: shown.join('\n').trim() };
		});
	});
}

/** How this machine reaches npm's registry: npm finds its own settings beside the Node.js that it came with. */
function waysToTheRegistry(): Record<string, string> {
	const setting = (name: string) => execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim();
	return { npm_config_registry: setting('registry'), npm_config_cafile: setting('cafile') };
}

/** Somebody new: nothing in the home folder, no git identity, nothing of this machine in the environment. */
async function stranger(version: string, node: string) {
	const folder = await mkdtemp(join(tmpdir(), 'context-broker-stranger-'));
	onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
	const [home, project, bin, repositories] = ['zu Hause ä', 'my project', 'bin', 'repositories'].map((name) =>
		join(folder, name),
	) as [string, string, string, string];
	await Promise.all([home, project, bin, repositories].map((each) => mkdir(each)));
	await symlink(resolveClient(version), join(bin, 'claude'));
	await publish(PLUGIN_ROOT, join(repositories, 'context-broker.git'), 'First', {});
	const server = await startGitServer(repositories);
	onTestFinished(() => server.close());
	const env = {
		HOME: home,
		USERPROFILE: home,
		PATH: [node, bin, join(home, '.npm-global', 'bin'), process.env.PATH].join(delimiter),
		LANG: 'C.UTF-8',
		TERM: 'xterm-256color',
		npm_config_prefix: join(home, '.npm-global'),
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
		DISABLE_AUTOUPDATER: '1',
		...waysToTheRegistry(),
	};
	const type = async (command: string, cwd = project) => {
		const line = command.replace('REPOSITORY', `${server.url}/context-broker.git`);
		return await new Promise<string>((resolve) => {
			execFile('bash', ['-c', line], { env, cwd }, (_, stdout, stderr) => resolve(`${stdout}${stderr}`));
		});
	};
	return { home, project, env, type };
}

const NODES = [20, 22, 24].flatMap((major) => {
	const folder = nodeFolder(major);
	return folder === undefined ? [] : [{ major, folder }];
});

/** Each Node.js with the newest client, and the oldest client with one of them. */
const MACHINES = [
	...NODES.map((node) => ({ ...node, version: clientVersions()[0] ?? '' })),
	...NODES.slice(0, 1).map((node) => ({ ...node, version: clientVersions().at(-1) ?? '' })),
];

describe.each(MACHINES)('Node.js $major, Claude Code $version', ({ folder, version }) => {
	test('a stranger who follows the README gets there', async () => {
		const { home, project, env, type } = await stranger(version, folder);

		const install = typedBelow(README, '## Install');
		expect(install).toHaveLength(2);
		for (const { command, shown } of install) expect(await type(command)).toContain(shown);

		// The first session, before there is a map: the answer tells what to do.
		const key = /^ *(\S+) = "~\/private\/catalog\.md"/m.exec(README)?.[1] ?? '';
		const session = { version, home, project, keys: [key], args: [], env: { ...env } };
		const without = await scanSession(session);
		expect(without.scan.resultsOf()).toMatchObject([{ isError: true }]);
		expect(JSON.stringify(without.scan.resultsOf())).toMatch(
			/config_missing.*~\/\.config\/context-broker\/context-map\.toml.*\[keys\]/,
		);

		const [, map = ''] = /```toml\n([\s\S]*?)```/.exec(README) ?? [];
		await mkdir(join(home, '.config', 'context-broker'), { recursive: true });
		await writeFile(join(home, '.config', 'context-broker', 'context-map.toml'), map.replace(/^ +/gm, ''));
		const [, example = ''] = /\[the example\]\(([^)]+)\)/.exec(README) ?? [];
		await mkdir(join(home, 'private'));
		await cp(join(PLUGIN_ROOT, example), join(home, 'private', 'catalog.md'));
		expect(README).toContain(`\`claude -p "${PROMPT}"\` works the same way`);
		const { scan, session: first } = await scanSession(session);
		expect(first.result).toBe('All done.');
		const catalog = await readFile(join(PLUGIN_ROOT, example), 'utf8');
		expect(scan.resultsOf()).toMatchObject([{ isError: false, parts: [catalog] }]);

		const clone = join(home, 'clone');
		await type(`git clone -q REPOSITORY '${clone}'`);
		const [global, doctor] = typedBelow(README, '## Check your setup');
		expect(global?.command).toBe('npm install --global .');
		await type(global?.command ?? '', clone);
		const looked = await type(`script -qec 'NO_COLOR=1 ${doctor?.command}' /dev/null`);
		const checks = (text: string) => [...text.matchAll(/^[✔▲✘] (.+?) {2}/gm)].map(([, check]) => check);
		// What is shown there has no map.
		expect(checks(looked).filter((check) => !['keys', 'editor', 'agents'].includes(check ?? ''))).toEqual(
			checks(doctor?.shown ?? ''),
		);
		expect(looked).toContain('✔ keys         1 of 1 lead to a file that can be loaded');
		expect(looked).toMatch(/✔ agents +with a key in the body: context-broker:privacy-scanner/);
		expect(looked).not.toContain('✘');

		const tools = typedBelow(TOOLS, '### On the command line');
		expect(tools).toHaveLength(4);
		for (const { command, shown } of tools) {
			expect((await type(command, clone)).trim()).toContain(shown.replaceAll('/home/jo', home));
		}

		const removal = typedBelow(MACHINE, '# On your machine');
		expect(removal).toHaveLength(4);
		for (const { command, shown } of removal) expect(await type(command)).toContain(shown);
		expect(await type('command -v context-broker || echo gone')).toBe('gone\n');
		expect(await type('ls ~/.claude/plugins/data')).not.toContain('context-broker');
		expect(await type('cat ~/private/catalog.md')).toBe(catalog);
	});
});
