import { chmod, mkdir, realpath, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { styleFor } from '../../../server/cli/style.ts';
import { keysIn } from '../../../server/doctor/agents.ts';
import { examine } from '../../../server/doctor/doctor.ts';
import { exitStatusOf, findingLines, findingsJson } from '../../../server/doctor/finding.ts';
import { shortened } from '../../../server/doctor/keys.ts';
import { BrokerError } from '../../../server/errors.ts';
import { Journal } from '../../../server/record/journal.ts';
import { LastSession } from '../../../server/record/last-session.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { createContext, INSTALLED } from './context.ts';

/** All that is needed, in order. */
async function createHealthy() {
	const created = await createContext();
	const { user, context } = created;
	await mkdir(join(context.data, 'builds'), { recursive: true });
	await writeFile(join(context.data, 'builds', 'a.cjs'), '');
	const session = new LastSession(context.data, () => Date.UTC(2026, 10, 28, 9, 15));
	await session.connected('2.1.332', { file: context.map.file });
	await session.asked('2.1.332');
	await user.write('catalog.md', '- Zebulon Quux\n');
	await user.writeMap('[keys]\ncatalog-q7v2mx9k = "catalog.md"\n');
	const filesystem = { denyRead: [await realpath(user.configFolder)] };
	const sandbox = { enabled: true, failIfUnavailable: true, allowUnsandboxedCommands: false, filesystem };
	await user.write('../../.claude/settings.json', JSON.stringify({ sandbox }));
	return created;
}

test('where all is well, each line says so, and what was found', async () => {
	const { context, user } = await createHealthy();
	const findings = await examine(context);
	expect(findingLines(findings, '1.2.3', styleFor({ isTTY: false }, {}))).toBe(`Context Broker 1.2.3

✔ Node.js      20.0.0
✔ npm          11.0.0
✔ data folder  ${context.data}
✔ Claude Code  2.1.332
✔ plugin       context-broker@context-broker 1.2.3, enabled
✔ hooks        reach the broker: seen in the last session (2026-11-28 09:15Z, Claude Code 2.1.332)
✔ map          ${user.mapFile}, 1 key
✔ keys         1 of 1 lead to a file that can be loaded
✔ sandbox      Claude Code hides the private files from all shell commands
✔ editor       text that you select in an editor connected to Claude Code is sent with your prompt: no hook checks it
✔ agents       none names a key
✔ shown        load_context: by default
✔ hidden       run_shell_command: high impact: shown only if it is named
✔ isolation    programs can be run without a network: proven now

All is well.
`);
	expect(exitStatusOf(findings)).toBe(0);
	expect(JSON.parse(findingsJson(findings, '1.2.3'))).toMatchObject({ version: '1.2.3', status: 'ok' });
});

test('of a key only its beginning is told, and nothing of what a file holds', async () => {
	const { context, user } = await createContext();
	await user.write('long.md', `- Zebulon Quux\n`.repeat(31_000));
	await user.write('open.md', '- Zebulon Quux\n');
	await user.write('binary.md', 'Zebulon Quux\0');
	await user.write(
		'../../.claude/agents/a.md',
		'---\nname: a\n---\nCall load_context with the key `other-k7v2mx9q`.\n',
	);
	const keys = ['long', 'open', 'binary', 'gone'].map((name) => `k-${name}-q7v2mx9k = "${name}.md"\n`);
	await user.writeMap(`[keys]\n${keys.join('')}[keys.k-agent-q7v2mx9k]\npath = "open.md"\nagents = ["nobody"]\n`);
	const told = findingsJson(await examine(context), '1.2.3');
	expect(told.match(/(?:key|a key,) [\w-]+…/g)?.length).toBeGreaterThan(4);
	expect(told).not.toMatch(/q7v2mx9k|k7v2mx9q|Zebulon|Quux/);
});

test('whatever a finding holds means nothing to the terminal', () => {
	const text = 'a\u202eb\u001b[2J';
	const finding = { check: text, status: 'failure', message: text, next: `${text}\n${text}`, excerpt: [text] } as const;
	const lines = findingLines([finding], '1.2.3', styleFor({ isTTY: false }, {}));
	expect(lines.match(/a\ufffdb\ufffd\[2J/g)).toHaveLength(5);
	expect(lines).not.toMatch(/\p{Cf}|[^\P{Cc}\n]/u);
});

describe('the map', () => {
	test('where there is none, its two lines are offered, for the scanner that comes with the plugin', async () => {
		const { findings, user } = await createContext();
		const [{ next = '', status } = { status: 'ok' }] = await findings('map');
		expect(status).toBe('failure');
		const [first, ...lines] = next.split('\n');
		expect(first).toContain(`Create ${user.mapFile} with these two lines`);
		await user.writeMap(`${lines.join('\n')}\n`);
		expect((await findings('map')).map(({ message }) => message)).toEqual([`${user.mapFile}, 1 key`]);
		expect((await findings('key cata…'))[0]?.next).toBe('Create the file, or correct its path in the map.');
	});

	test('a table of an older version is said to have no effect any more', async () => {
		const { findings, user } = await createContext();
		await user.writeMap('[keys]\n[log]\ndecisions = true\n');
		expect(await findings('map')).toMatchObject([
			{ status: 'ok' },
			{ status: 'warning', message: expect.stringContaining('[log] has no effect any more'), next: 'Remove it.' },
		]);
	});

	test.each(['', '# nothing yet\n', '[guard]\n'])(
		'one without keys (%j) is told which lines it lacks',
		async (text) => {
			const { findings, user } = await createContext();
			await user.writeMap(text);
			expect(await findings('map')).toMatchObject([
				{
					status: 'failure',
					message: `${user.mapFile}, line 1, column 1: the table [keys] is missing.`,
					next: expect.stringMatching(
						/^Add these two lines.*\n\[keys\]\ncatalog-q7v2mx9k = "~\/private\/catalog\.md"$/,
					),
				},
			]);
		},
	);

	test('a fault is shown with its line, and what stands around', async () => {
		const { findings, user } = await createContext();
		await user.writeMap('[keys]\n\tk = catalog.md\n[guard]\n');
		expect(await findings('map')).toEqual([
			{
				check: 'map',
				status: 'failure',
				message: `${user.mapFile}, line 2, column 6: this is not valid TOML.`,
				next: 'Correct it there. No restart is needed.',
				excerpt: ['1 | [keys]', '2 | \tk = catalog.md', '  | \t    ^', '3 | [guard]'],
			},
		]);
	});
});

describe('a map that is right but for some places', () => {
	test('each of them is shown, and all the rest is looked at', async () => {
		const { findings, user, context } = await createHealthy();
		await user.writeMap(
			'[gaurd]\n[keys]\ncatalog-q7v2mx9k = "catalog.md"\nmissing-12345 = "none.md"\nb = 5\n[mcp_servers.s]\nurl = "ftp://x/"\n',
		);
		const shown = (await findings('map')).map(({ status, message, excerpt }) => [status, message, excerpt?.[1]]);
		expect(shown).toEqual([
			[
				'failure',
				`${user.mapFile}, line 1, column 1: there is no such table; the nearest valid one is "guard".`,
				'  | ^',
			],
			['failure', `${user.mapFile}, line 5, column 1: a path must be text in quotes.`, '5 | b = 5'],
			[
				'failure',
				`${user.mapFile}, line 7, column 1: url must begin with https:// or http://.`,
				'7 | url = "ftp://x/"',
			],
		]);
		expect((await findings('keys'))[0]?.message).toBe('1 of 2 lead to a file that can be loaded');
		expect(await findings('key miss…')).toMatchObject([{ status: 'failure' }]);
		expect(exitStatusOf(await examine(context))).toBe(2);
	});

	test('of many the first are shown, and how many more there are', async () => {
		const { findings, user } = await createHealthy();
		const keys = Array.from({ length: 30 }, (_, index) => `k${index} = ${index}`);
		await user.writeMap(`[keys]\n${keys.join('\n')}\n`);
		const shown = await findings('map');
		expect(shown).toHaveLength(21);
		expect(shown.at(-1)).toMatchObject({ status: 'failure', message: 'It has 10 more faults.' });
		expect(await findings('keys')).toEqual([]);
	});

	test('a key that an agent names can be one of the faulty, so it is not said to be missing', async () => {
		const { findings, user, context } = await createHealthy();
		const folder = join(context.project, '.claude', 'agents');
		await mkdir(folder, { recursive: true });
		await writeFile(join(folder, 'reader.md'), '---\nname: reader\n---\nload_context: the key `notes-4kd82hq1`.\n');
		await user.writeMap('[keys]\ncatalog-q7v2mx9k = "catalog.md"\nnotes-4kd82hq1 = 5\n');
		expect(await findings('agent reader')).toEqual([]);
	});
});

describe('the map of the last session', () => {
	async function sessionWith(map: { file: string; error?: string }) {
		const created = await createHealthy();
		await new LastSession(created.context.data, () => Date.now() + 60_000).connected('2.1.332', map);
		const found = (await created.findings('map')).slice(1);
		return { ...created, found };
	}

	test('that is another is told, with both places', async () => {
		const { found, user } = await sessionWith({ file: '/snap/context-map.toml', error: 'config_missing' });
		expect(found).toEqual([
			{
				check: 'map',
				status: 'warning',
				message: `Claude Code looks for the map at /snap/context-map.toml, where there is none; this shell has it at ${user.mapFile}. Their XDG_CONFIG_HOME differs.`,
				next: expect.stringContaining('XDG_CONFIG_HOME'),
			},
		]);
		const { found: other } = await sessionWith({ file: '/snap/context-map.toml' });
		expect(other).toMatchObject([{ status: 'warning', message: expect.not.stringContaining('none') }]);
	});

	test('that is the same is not, also by a link', async () => {
		const { context, user, findings } = await createHealthy();
		expect((await findings('map')).slice(1)).toEqual([]);
		const link = join(await temporaryFolder(), 'context-map.toml');
		await symlink(user.mapFile, link);
		await new LastSession(context.data, Date.now).connected('2.1.332', { file: link });
		expect((await findings('map')).slice(1)).toEqual([]);
	});

	test('that was not valid there and is here, unchanged, is told', async () => {
		const { user, context, findings } = await createHealthy();
		const noted = async (now: number) => {
			const session = new LastSession(context.data, () => now);
			await session.connected('2.1.332', { file: user.mapFile, error: 'config_invalid' });
			return (await findings('map')).slice(1);
		};
		expect(await noted(Date.now() + 60_000)).toMatchObject([
			{ status: 'warning', message: expect.stringContaining('not valid in the last session') },
		]);
		// It was corrected since.
		expect(await noted(Date.now() - 60_000)).toEqual([]);
	});
});

describe('each key', () => {
	test('that leads nowhere is told with its path and the next step, and never in full', async () => {
		const { context, user } = await createHealthy();
		await user.write('a.txt', 'text');
		await user.writeMap('[keys]\nmissing-12345 = "none.md"\nwrong-kind-12 = "a.txt"\ngood-1234567 = "catalog.md"\n');
		const findings = (await examine(context)).filter(({ check }) => check.startsWith('key'));
		expect(findings.map(({ check, status, next }) => [check, status, next])).toEqual([
			['keys', 'ok', undefined],
			['key miss…', 'failure', 'Create the file, or correct its path in the map.'],
			['key wron…', 'failure', 'Give the file a name that ends in .md, and correct the path in the map.'],
		]);
		expect(findings[0]?.message).toBe('1 of 3 lead to a file that can be loaded');
		const text = JSON.stringify(await examine(context));
		for (const hidden of ['missing-12345', 'wrong-kind-12', 'Zebulon']) expect(text).not.toContain(hidden);
	});

	test('whose file comes near the limit is told before it is over it', async () => {
		const { findings, user } = await createHealthy();
		await user.write('catalog.md', 'x'.repeat(460_000));
		expect(await findings('key cata…')).toMatchObject([{ status: 'warning' }]);
		await user.write('catalog.md', 'x'.repeat(500_001));
		expect(await findings('key cata…')).toMatchObject([{ status: 'failure' }]);
	});

	test('beyond those that results are compared with is told', async () => {
		const { findings, user } = await createHealthy();
		const names = Array.from({ length: 201 }, (_, n) => `f${n}.md`);
		for (const name of names) await user.write(name, 'x');
		await user.writeMap(`[keys]\n${names.map((name) => `key-${name.slice(1, -3)}-00000 = "${name}"\n`).join('')}`);
		expect(await findings('keys')).toMatchObject([
			{ status: 'ok' },
			{ status: 'warning', message: expect.stringContaining('1 of 201 files') },
		]);
	});

	test('whose file others may read or change is told, and only where they can come by', async () => {
		const { findings, user } = await createHealthy();
		const file = join(user.configFolder, 'catalog.md');
		await chmod(file, 0o644);
		expect(await findings('key cata…')).toEqual([]);
		for (const folder of [user.home, join(user.home, '.config'), user.configFolder]) await chmod(folder, 0o755);
		const [readable] = await findings('key cata…');
		expect(readable).toMatchObject({ status: 'warning', next: `Remove that permission: chmod o-r ${file}` });
		const spaced = await user.write("jo's catalog ä.md", '- Zebulon Quux\n');
		await chmod(spaced, 0o644);
		await user.writeMap('[keys]\ncatalog-q7v2mx9k = "jo\'s catalog ä.md"\n');
		expect((await findings('key cata…'))[0]?.next).toBe(
			`Remove that permission: chmod o-r '${join(user.configFolder, "jo'\\''s catalog ä.md")}'`,
		);
		await user.writeMap('[keys]\ncatalog-q7v2mx9k = "catalog.md"\n');
		await chmod(file, 0o602);
		expect((await findings('key cata…'))[0]?.message).toContain('can change');
		await chmod(file, 0o600);
		await chmod(user.configFolder, 0o757);
		expect((await findings('key cata…'))[0]?.message).toContain('can change');
		// As of the folder for temporary files: only the owner of a file may put another one in its place.
		await chmod(user.configFolder, 0o1757);
		expect(await findings('key cata…')).toEqual([]);
		await chmod(user.configFolder, 0o755);
		expect(await findings('key cata…')).toEqual([]);
	});

	test.each([
		['not ignored', 1, ['warning']],
		['ignored', 0, []],
	])('whose file lies in a git work tree, %s', async (_, status, expected) => {
		const { user, context } = await createHealthy();
		const run: typeof context.run = async (program, args) => {
			if (program !== 'git') return await context.run(program, args);
			expect(args).toEqual(['-C', user.configFolder, 'check-ignore', '--quiet', '--', expect.any(String)]);
			return { status, text: '' };
		};
		const found = (await examine({ ...context, run })).filter(({ message }) => message.includes('git work tree'));
		expect(found.filter(({ check }) => check === 'key cata…').map((finding) => finding.status)).toEqual(expected);
	});

	test.each([
		['of another account, which git does not look into', { status: 128, text: '' }],
		['where git is not there', undefined],
	])('whose file lies in a git work tree %s', async (_, said) => {
		const { user, context } = await createHealthy();
		const run: typeof context.run = async (program, args) =>
			program === 'git' ? said : await context.run(program, args);
		const found = async () =>
			(await examine({ ...context, run })).filter(({ message }) => message.includes('git work tree'));
		expect(await found()).toEqual([]);
		await mkdir(join(user.home, '.git'));
		// With backslashes it needs quotes.
		const place = process.platform === 'win32' ? `'${user.home}'` : user.home;
		expect((await found()).find(({ check }) => check === 'key cata…')).toMatchObject({
			status: 'warning',
			message: expect.stringContaining('git does not say whether it is ignored'),
			next: expect.stringContaining(`git -C ${place} check-ignore`),
		});
	});

	test('where a map that is a link is kept, as in a repository of dotfiles, is looked at', async () => {
		const { findings, user } = await createHealthy();
		const dotfiles = await temporaryFolder();
		await chmod(dotfiles, 0o755);
		await rename(user.mapFile, join(dotfiles, 'map.toml'));
		await chmod(join(dotfiles, 'map.toml'), 0o602);
		await symlink(join(dotfiles, 'map.toml'), user.mapFile);
		expect((await findings('map')).map(({ message }) => message)).toEqual([
			`${user.mapFile}, 1 key`,
			`Any account on this machine can change ${join(dotfiles, 'map.toml')}.`,
		]);
	});
});

describe('agents', () => {
	test('that the map names and nobody has are told, with the nearest', async () => {
		const { context, user, findings } = await createHealthy();
		await user.writeMap(
			'[keys.notes-123456]\npath = "catalog.md"\nagents = ["readr", "Explore", "tracker:triage", "pr\u00fcfer"]\n',
		);
		const folder = join(context.home, '.claude', 'agents', 'deep');
		await mkdir(folder, { recursive: true });
		await writeFile(join(folder, 'x.md'), '---\nname: "reader"\ndescription: y\n---\nBody.\n');
		await writeFile(join(folder, 'pru\u0308fer.md'), '---\ndescription: y\n---\nBody.\n');
		const plugin = join(context.home, 'tracker');
		await mkdir(join(plugin, 'agents'), { recursive: true });
		await writeFile(join(plugin, 'agents', 'triage.md'), '---\ndescription: y\n---\nBody.\n');
		const list = [{ id: 'tracker@market', enabled: true, installPath: plugin }];
		const run: typeof context.run = async (program, args) =>
			args[0] === 'plugin' ? { status: 0, text: JSON.stringify(list) } : await context.run(program, args);
		const found = (await examine({ ...context, run })).filter(({ check }) => check === 'key note…');
		expect(found.map(({ message }) => message)).toEqual([
			'It names the agent "readr", which was not found; the nearest is "reader".',
		]);
		expect(await findings('agents')).toEqual([]);
	});

	test.each([
		['2.1.126', true, ['agent reader']],
		['2.1.332', true, []],
		['2.1.126', false, []],
	])(
		'whose files have them run in the background, in %s, listed in the map: %s',
		async (version, isListed, expected) => {
			const { context, user } = await createHealthy();
			await user.writeMap(
				`[keys.notes-123456]\npath = "catalog.md"\nagents = ["${isListed ? 'reader' : 'Explore'}"]\n`,
			);
			const folder = join(context.project, '.claude', 'agents');
			await mkdir(folder, { recursive: true });
			await writeFile(join(folder, 'reader.md'), '---\nname: reader\nbackground: true\n---\nRead.\n');
			const run: typeof context.run = async (program, args) =>
				args[0] === '--version' && program === 'claude'
					? { status: 0, text: `${version} (Claude Code)\n` }
					: await context.run(program, args);
			const found = (await examine({ ...context, run })).filter(({ message }) =>
				message.includes('"background: true"'),
			);
			expect(found.map(({ check }) => check)).toEqual(expected);
		},
	);

	test('whose bodies name a key that the map lacks are told', async () => {
		const { context, findings } = await createHealthy();
		const folder = join(context.project, '.claude', 'agents');
		await mkdir(folder, { recursive: true });
		const agent = (key: string) => `---\nname: reader\n---\nCall load_context with the key \`${key}\`.\n`;
		await writeFile(join(folder, 'reader.md'), agent('notes-4kd82hq1'));
		expect(await findings('agent reader')).toMatchObject([
			{
				status: 'warning',
				message: 'Its body names the key note…, which is not in the map.',
				next: 'Add the key to the map, below [keys], with the path of its file.',
			},
		]);
		await writeFile(join(folder, 'reader.md'), agent('catalog-q7v2mxk'));
		expect(await findings('agent reader')).toMatchObject([
			{ next: 'The map has a key that is nearly the same. Compare the two, character by character.' },
		]);
		await writeFile(join(folder, 'reader.md'), agent('catalog-q7v2mx9k'));
		expect(await findings('agents')).toMatchObject([{ message: 'with a key in the body: reader' }]);
	});

	test.each([
		['First call load_context with the key `notes-4kd82hq1`. Then', ['notes-4kd82hq1']],
		['load_context; Key: `a1` and key = `b2`', ['a1', 'b2']],
		['The key is `notes-4kd82hq1`.', []],
		['Call `load_context` with your key.', []],
	])('keys in a body: %s', (body, keys) => {
		expect(keysIn(body)).toEqual(keys);
	});
});

describe('Claude Code', () => {
	test('can not be asked from a working folder that is gone', async () => {
		const { context } = await createHealthy();
		const found = await examine({ ...context, project: join(context.home, 'gone') });
		expect(found.find(({ check }) => check === 'Claude Code')).toMatchObject({
			status: 'failure',
			message: expect.stringMatching(/The working folder \S+gone no longer exists/),
		});
	});

	test.each([
		['is not there', { 'npm --version': INSTALLED['npm --version'] }, 'Claude Code', 'warning', /not found/],
		[
			'is too old',
			{ 'claude --version': { status: 0, text: '2.1.100 (Claude Code)' } },
			'Claude Code',
			'failure',
			/too old/,
		],
		[
			'has not the plugin',
			{ 'claude plugin list --json': { status: 0, text: '[]' } },
			'plugin',
			'warning',
			/not installed/,
		],
		[
			'has it switched off',
			{ 'claude plugin list --json': { status: 0, text: '[{"id":"context-broker@m","enabled":false}]' } },
			'plugin',
			'failure',
			/not enabled/,
		],
		['does not tell', { 'claude plugin list --json': { status: 1, text: 'no' } }, 'plugin', 'warning', /did not list/],
	] as const)('%s', async (name, programs, check, status, message) => {
		const base = name === 'is not there' ? {} : INSTALLED;
		const { findings } = await createContext({ ...base, ...(programs as typeof INSTALLED) });
		expect(await findings(check)).toMatchObject([{ status, message: expect.stringMatching(message) }]);
	});

	test('whose hooks are off, or have not asked', async () => {
		const { findings, context } = await createContext();
		expect(await findings('hooks')).toMatchObject([
			{ status: 'warning', message: expect.stringMatching(/^No session/) },
		]);
		const session = new LastSession(context.data, Date.now);
		await session.connected('2.1.332', { file: context.map.file });
		expect(await findings('hooks')).toMatchObject([
			{ status: 'warning', message: expect.stringMatching(/no hook has asked/) },
		]);
		await session.asked('2.1.332');
		expect(await findings('hooks')).toMatchObject([{ status: 'ok' }]);
		await mkdir(join(context.project, '.claude'), { recursive: true });
		await writeFile(join(context.project, '.claude', 'settings.local.json'), '{"disableAllHooks":true}');
		expect(await findings('hooks')).toMatchObject([
			{ status: 'failure', message: expect.stringMatching(/disableAllHooks/) },
		]);
	});
});

test('where programs can not be run without a network, it counts as much as the map needs it', async () => {
	const isolate = async () => {
		throw new BrokerError('network_isolation_unavailable', { note: 'No program was found for it' });
	};
	const { findings, user } = await createContext(INSTALLED, { isolate });
	await user.writeMap('[keys]\n');
	expect(await findings('isolation')).toMatchObject([{ status: 'warning' }]);
	await user.writeMap('[keys]\n[mcp_servers.s]\ncommand = "x"\nisolate_network = true\n');
	expect(await findings('isolation')).toMatchObject([{ status: 'failure' }]);
});

test.each([
	['linux', '0', 'Install bubblewrap, or allow user namespaces. '],
	['linux', '1', 'This system (Ubuntu 24.04 or newer) restricts user namespaces. Allow them: sudo sysctl '],
	['darwin', '0', 'sandbox-exec of macOS does not work inside another sandbox: run it outside. '],
] as const)('what to do then fits the system: %s, restricted: %s', async (platform, restricted, next) => {
	const namespaceRestriction = join(await temporaryFolder(), 'restriction');
	await writeFile(namespaceRestriction, `${restricted}\n`);
	const isolate = async () => Promise.reject(new BrokerError('network_isolation_unavailable'));
	const { findings, user } = await createContext(INSTALLED, { isolate, platform, namespaceRestriction });
	await user.writeMap('[keys]\n');
	const [finding] = await findings('isolation');
	expect(finding?.next?.startsWith(next), finding?.next).toBe(true);
});

test('on Windows nothing can be done, so it is a fault only if the map needs it', async () => {
	const isolate = async () => Promise.reject(new BrokerError('network_isolation_unavailable'));
	const { findings, user } = await createContext(INSTALLED, { isolate, platform: 'win32' });
	await user.writeMap('[keys]\n');
	expect(await findings('isolation')).toMatchObject([{ status: 'ok' }]);
	await user.writeMap('[keys]\n[mcp_servers.s]\ncommand = "x"\nisolate_network = true\n');
	expect(await findings('isolation')).toMatchObject([
		{ status: 'failure', next: expect.stringMatching(/^Windows has no way/) },
	]);
});

test('an env file that can not be read hides all tools', async () => {
	const { findings, user } = await createHealthy();
	await mkdir(join(user.configFolder, '.env'));
	expect(await findings('tools')).toMatchObject([
		{ status: 'failure', message: expect.stringMatching(/^None is shown/) },
	]);
});

test('what sessions that are over have left in transcripts is named, as long as it is there', async () => {
	const { context, findings } = await createContext();
	const transcript = join(context.home, 'p', 's1.jsonl');
	const file = join(context.home, 'p', 's1', 'subagents', 'agent-a1.jsonl');
	await mkdir(dirname(file), { recursive: true });
	await writeFile(file, '');
	const [running, over] = [process.pid, 2 ** 30].map((pid) => new Journal(context.data, Date.now, () => {}, pid));
	await running?.add([{ session: 's1', agent: 'a2', transcript, loaded: true }]);
	await over?.add([{ session: 's1', agent: 'a1', transcript, loaded: true }]);
	expect(await findings('traces')).toMatchObject([
		{ status: 'warning', message: expect.stringContaining(`${file} contains`) },
	]);
	await over?.forget([{ session: 's1', agent: 'a1' }]);
	expect(await findings('traces')).toEqual([]);
});

test('a data folder that is not there yet, has no build, or is none', async () => {
	const { findings, context } = await createContext();
	expect((await findings('data folder'))[0]?.message).toContain('does not exist yet');
	await mkdir(context.data);
	expect((await findings('data folder'))[0]?.message).toContain('no build yet');
	await writeFile(join(context.data, 'builds'), '');
	expect(await findings('data folder')).toMatchObject([{ status: 'failure' }]);
});

test.each([
	['catalog-q7v2mx9k', 'cata…'],
	['abcdef', 'ab…'],
	['ab', '…'],
	['', '…'],
])('of the key %j as much is shown as tells which one it is', (key, shown) => {
	expect(shortened(key)).toBe(shown);
});

test('names that a project gives its agents mean nothing to the terminal', async () => {
	const { user, context } = await createHealthy();
	const folder = join(context.project, '.claude', 'agents');
	await mkdir(folder, { recursive: true });
	const name = 'a\u001b]0;x\u0007\u202eb';
	await writeFile(join(folder, 'a.md'), `---\nname: ${name}\n---\nCall load_context with the key \`k-1234\`.\n`);
	await user.writeMap('[keys]\n\tk = "a.md" # \u001b[2J\n');
	const findings = await examine(context);
	const text = findingLines(findings, '1.2.3', styleFor({ isTTY: false }, {}));
	expect(text).toContain('# \ufffd[2J\n');
	expect(text).toMatch(/^\s*\d \| \tk = /m);
	await user.writeMap('[keys]\nk = "a.md"\n');
	expect(findingLines(await examine(context), '1.2.3', styleFor({ isTTY: false }, {}))).toContain(
		'▲ agent a\ufffd]0;x\ufffd\ufffdb  ',
	);
});

test('a check that fails in a way that nobody has foreseen does not take the others along', async () => {
	const run = async () => {
		throw new RangeError('secret');
	};
	const { findings, context } = await createContext(INSTALLED, { run });
	expect(await findings('Claude Code')).toMatchObject([
		{ status: 'failure', message: 'The check failed (RangeError).' },
	]);
	expect(await findings('isolation')).toMatchObject([{ status: 'ok' }]);
	expect(JSON.stringify(await examine(context))).not.toContain('secret');
});
