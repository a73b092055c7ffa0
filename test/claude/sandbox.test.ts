import { spawnSync } from 'node:child_process';
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isOlder } from '../../server/claude-code/client.ts';
import { sandboxThatHides } from '../../server/claude-code/sandbox.ts';
import { brokerSession, mainSession, scanSession, userWithKey } from './broker-session.ts';
import type { ToolCall } from './harness/delegation.ts';
import type { Home } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { CATALOG, holdsMarker, leaks } from './markers.ts';

const lack = process.platform === 'linux' ? lackOnLinux() : undefined;

/** There, Claude Code makes the sandbox of two programs. */
function lackOnLinux(): string | undefined {
	if (spawnSync('socat', ['-V']).error) return 'socat is not installed';
	const made = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-net', 'true']);
	if (made.error) return 'bubblewrap is not installed';
	return made.status === 0 ? undefined : 'bubblewrap may make no namespaces for this account';
}

const bash = (command: string, more: object = {}): ToolCall => ({
	tool: 'Bash',
	input: { command, description: 'Looks.', ...more },
});

const WALK = `const fs = require('fs'), path = require('path');
const walk = (folder) => fs.readdirSync(folder, { withFileTypes: true }).forEach((each) => {
	const file = path.join(folder, each.name);
	if (each.isDirectory()) walk(file);
	else if (file.endsWith('.md')) try { console.log(fs.readFileSync(file, 'utf8')); } catch {}
});
walk(require('os').homedir());`;

/** What prints the private file of {@link userWithKey} where nothing hides it. */
const WAYS = [
	bash('cat ~/.config/context-broker/catalog.md; echo done'),
	bash('cat ~/.config/*/*.md; echo done'),
	bash('cat link.md; echo done'),
	bash('cp ~/.config/context-broker/catalog.md copy.txt; cat copy.txt; echo done'),
	bash("find ~ -name '*.md' -exec cat {} +; echo done"),
	bash('grep -r . ~/.config; echo done'),
	bash(`node -e "${WALK}"; echo done`),
	bash('cat ~/.config/context-broker/catalog.md; echo done', { dangerouslyDisableSandbox: true }),
];

/** Without the plugin, which would refuse all of this. */
const UNASKED = { args: ['--dangerously-skip-permissions'], env: { IS_SANDBOX: '1' } };

const DENY_READ = { permissions: { deny: ['Read(~/.config/context-broker/catalog.md)'] } };

async function userWithLink(): Promise<Home & { readonly file: string }> {
	const user = await userWithKey();
	const file = await realpath(join(user.home, '.config/context-broker/catalog.md'));
	await symlink(file, join(user.project, 'link.md'));
	return { ...user, file };
}

/** What the doctor prints is put into the user's settings. */
async function hide({ home, file }: { readonly home: string; readonly file: string }, more: object = {}) {
	const settings = join(home, '.claude', 'settings.json');
	await mkdir(join(home, '.claude'), { recursive: true });
	await writeFile(settings, JSON.stringify({ sandbox: await sandboxThatHides([file], settings, home), ...more }));
}

const texts = (results: readonly { readonly text: string }[]) => results.map(({ text }) => text);

/** These versions make one more namespace, which a container may not allow. */
const isNotMade = (version: string, results: readonly { readonly text: string }[]) =>
	!isOlder(version, '2.1.229') &&
	isOlder(version, '2.1.332') &&
	results.every(({ text }) => text.includes('apply-seccomp: '));
const NOT_MADE = 'the sandbox of this version of Claude Code can not be made on this machine';

describe.each(clientVersions())('Claude Code %s', (version) => {
	test.for([
		['with everything allowed', UNASKED],
		['with Bash allowed', { args: ['--allowedTools', 'Bash'] }],
	] as const)(
		'%s, hides a file from all commands, with the settings that the doctor prints',
		async ([, how], { skip }) => {
			skip(lack !== undefined, lack);
			const user = await userWithLink();
			if (how === UNASKED) {
				const { results } = await mainSession({ version, ...user, ...how }, WAYS);
				expect(texts(results).map(holdsMarker)).toEqual(WAYS.map(() => true));
			}
			const hidden = await userWithLink();
			await hide(hidden);
			const { results, model } = await mainSession({ version, ...hidden, ...how }, WAYS);
			skip(isNotMade(version, results), NOT_MADE);
			expect(texts(results)).toEqual(WAYS.map(() => expect.stringContaining('done')));
			expect(leaks(model.requests)).toEqual([]);
		},
	);

	test('gives the scanner its file all the same, also with a rule that denies Read', async ({ skip }) => {
		skip(lack !== undefined, lack);
		const user = await userWithLink();
		await hide(user, DENY_READ);
		const { scan, model } = await scanSession({ version, ...user, keys: ['k'] });
		expect(scan.resultsOf()).toMatchObject([{ parts: [CATALOG] }]);
		expect(leaks(model.requests, scan.requestsOf())).toEqual([]);
	});

	test('has commands write and connect nowhere else, as docs/protection.md says', async ({ skip }) => {
		skip(lack !== undefined, lack);
		const user = await userWithLink();
		await hide(user);
		// 2.1.198 has that folder in CLAUDE_CODE_TMPDIR, and does not let commands write there.
		const hasTemporary = version !== '2.1.198';
		const { results, model } = await mainSession({ version, ...user, ...UNASKED }, [
			bash(`echo x > in.txt && cat in.txt${hasTemporary ? ' && echo x > $TMPDIR/in.txt && cat $TMPDIR/in.txt' : ''}`),
			bash('echo x > ~/out.txt || echo refused'),
			bash(
				'node -e "fetch(process.env.ANTHROPIC_BASE_URL).then(() => console.log(1), () => console.log(\'refused\'))"',
			),
		]);
		skip(isNotMade(version, results), NOT_MADE);
		expect(texts(results)).toEqual([
			hasTemporary ? 'x\nx' : 'x',
			expect.stringMatching(/Read-only file system\nrefused$/),
			'refused',
		]);
		expect(model.requests.length).toBeGreaterThan(0);
	});

	test('does not hide it from its own tools; a rule that denies Read does', async ({ skip }) => {
		skip(lack !== undefined, lack);
		const user = await userWithLink();
		const calls = [{ tool: 'Read', input: { file_path: user.file } }];
		await hide(user);
		const open = await mainSession({ version, ...user, ...UNASKED }, calls);
		expect(texts(open.results).map(holdsMarker)).toEqual([true]);
		await hide(user, DENY_READ);
		const { results, model } = await mainSession({ version, ...user, ...UNASKED }, calls);
		expect(results).toMatchObject([{ isError: true, text: expect.stringContaining('denied') }]);
		expect(leaks(model.requests)).toEqual([]);
	});

	test('starts no session with these settings where the sandbox cannot be made', async ({ skip }) => {
		skip(process.platform !== 'linux', 'on other systems it needs no programs');
		const user = await userWithLink();
		await hide(user);
		const { session, model } = await brokerSession({ version, ...user, args: [], env: { PATH: user.home } }, () => ({
			text: 'Done.',
		}));
		expect(session.exitCode).toBe(1);
		expect(session.stderr).toContain('sandbox required but unavailable');
		expect(model.requests).toEqual([]);
	});
});
