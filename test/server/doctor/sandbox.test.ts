import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { styleFor } from '../../../server/cli/style.ts';
import { exitStatusOf, findingLines } from '../../../server/doctor/finding.ts';
import { createContext } from './context.ts';

const MAP = '[keys]\na = "~/private/a.md"\nb = "b.md"\n[keys.c]\npath = "~/private/a.md"\n';

const STRICT = { enabled: true, failIfUnavailable: true, allowUnsandboxedCommands: false };

/** Two private files; what settings say, by their place. */
async function findingsFor(settings: Partial<Record<'user' | 'project' | 'managed', object>>) {
	const { user, context, findings } = await createContext();
	const home = await realpath(user.home);
	Object.assign(context, { home, managed: join(home, 'managed') });
	await user.write('../../private/a.md', '- Zebulon Quux\n');
	await user.write('b.md', '- Zebulon Quux\n');
	await user.writeMap(MAP);
	const files = {
		user: join(home, '.claude/settings.json'),
		project: join(home, 'project/.claude/settings.local.json'),
		managed: join(home, 'managed/managed-settings.json'),
	};
	for (const [place, content] of Object.entries(settings)) {
		const file = files[place as keyof typeof files];
		await mkdir(dirname(file), { recursive: true });
		await writeFile(file, JSON.stringify(content));
	}
	return { user, home, files, findings: () => findings('sandbox') };
}

const sandbox = (denyRead: readonly string[], more: object = {}, filesystem: object = {}) => ({
	sandbox: { ...STRICT, filesystem: { denyRead, ...filesystem }, ...more },
});

const FILES = ['~/private/a.md', '~/.config/context-broker/b.md'];

test('what is printed can be put into the settings as it stands, and then nothing more is advised', async () => {
	const before = {
		theme: 'dark',
		sandbox: { network: { allowedDomains: ['a.org'] }, filesystem: { denyRead: ['~/x'] } },
	};
	const { files, findings } = await findingsFor({ user: before });
	const [found] = await findings();
	expect(found).toMatchObject({ status: 'advice', message: expect.stringContaining('is not set up to do so') });
	expect(exitStatusOf(found ? [found] : [])).toBe(0);
	const [first, ...lines] = found?.next?.split('\n') ?? [];
	expect(first).toContain(`install bubblewrap and socat, and put this "sandbox" into ${files.user}`);
	const printed = JSON.parse(lines.join('\n'));
	expect(printed).toEqual({
		sandbox: { ...before.sandbox, ...STRICT, filesystem: { denyRead: ['~/x', ...FILES] } },
	});
	await writeFile(files.user, JSON.stringify({ ...before, ...printed }));
	expect(await findings()).toMatchObject([{ status: 'ok' }]);
});

test('it is shown as it has to be typed', async () => {
	const { findings } = await findingsFor({});
	const text = findingLines(await findings(), '1.2.3', styleFor({ isTTY: false }, {}));
	expect(text).toMatch(/^• sandbox {2}Claude Code can hide/m);
	const json = /^ +\{\n[\s\S]*^ +\}$/m.exec(text)?.[0] ?? '';
	expect(JSON.parse(json)).toEqual(sandbox(FILES));
	expect(text).toContain('All is well.');
});

test.each([
	['as they are printed', sandbox(FILES)],
	['by folders', sandbox(['~/private/', '~/.config/**'])],
	['by the home folder', sandbox(['~'])],
])('files that are named %s are hidden', async (_, user) => {
	expect(await (await findingsFor({ user })).findings()).toEqual([
		{ check: 'sandbox', status: 'ok', message: 'Claude Code hides the private files from all shell commands' },
	]);
});

test('absolute paths count, also with two slashes', async () => {
	const { home, files, findings } = await findingsFor({ user: {} });
	await writeFile(files.user, JSON.stringify(sandbox([`${home}/private`, `/${home}/.config`])));
	expect(await findings()).toMatchObject([{ status: 'ok' }]);
});

test("an administrator's settings count", async () => {
	expect(await (await findingsFor({ managed: sandbox(FILES) })).findings()).toMatchObject([{ status: 'ok' }]);
});

test.each([
	['one file is missing', sandbox(['~/private'])],
	['a name only begins so', sandbox(['~/priv', '~/.config'])],
	['a pattern is not that of a folder', sandbox(['~/private/*.md', '~/.config'])],
	['the sandbox is off', sandbox(FILES, { enabled: false })],
	['it may be left', sandbox(FILES, { allowUnsandboxedCommands: true })],
	['it may be left out', sandbox(FILES, { failIfUnavailable: false })],
	['it is off for files', sandbox(FILES, {}, { disabled: true })],
	['a file is allowed again', sandbox(FILES, {}, { allowRead: ['~/private/a.md'] })],
	['a pattern allows it again', sandbox(FILES, {}, { allowRead: ['~/private/*.md'] })],
	['it is no list', { sandbox: { ...STRICT, filesystem: { denyRead: '~' } } }],
	['the settings are of the project alone', {}, sandbox(FILES)],
])('files are not hidden if %s', async (_, user: object, project: object = {}) => {
	const { findings } = await findingsFor({ user, project });
	expect(await findings()).toMatchObject([{ status: 'advice', message: expect.stringContaining('not set up') }]);
});

test.each([
	['switch it off', { sandbox: { enabled: false } }],
	['let it be left', { sandbox: { allowUnsandboxedCommands: true } }],
	['allow a file again', { sandbox: { filesystem: { allowRead: ['~/private'] } } }],
])('it is told if settings of the project %s', async (_, project) => {
	const { findings, home } = await findingsFor({ user: sandbox(FILES), project });
	expect(await findings()).toMatchObject([
		{ status: 'advice', message: expect.stringContaining('of this project'), next: expect.stringContaining(home) },
	]);
});

test('the file that a link leads to is printed: 2.1.126 runs no command if a path leads through a link', async () => {
	const { user, home, findings } = await findingsFor({});
	await user.write('../../elsewhere/real.md', '- Zebulon Quux\n');
	await symlink(join(home, 'elsewhere'), join(home, 'linked'));
	await user.writeMap('[keys]\na = "~/linked/real.md"\nmissing = "nowhere.md"\n');
	const [found] = await findings();
	expect(found?.next).toContain('"~/elsewhere/real.md"');
	expect(found?.next).not.toContain('nowhere');
});

test('nothing is said on Windows, where there is no such sandbox, nor of a map without files', async () => {
	const { findings } = await createContext(undefined, { platform: 'win32' });
	expect(await findings('sandbox')).toEqual([]);
	const { user, findings: without } = await findingsFor({});
	await user.writeMap('[keys]\n');
	expect(await without()).toEqual([]);
});
