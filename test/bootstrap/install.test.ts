import { appendFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createInstallation, givePackages, READY, SILENT } from '../support/installation.ts';

test('packages are installed in the data folder once, and what is ready costs nothing', async () => {
	const { run, npmRuns, contents, builds, data } = await createInstallation();
	expect(await run(['prepare'])).toEqual(SILENT);
	expect(await contents()).toEqual(READY);
	const [build, ...others] = await builds();
	expect(others).toEqual([]);
	const made = await stat(join(data, 'builds', build ?? ''));

	expect(await run(['prepare'])).toEqual(SILENT);
	expect(await npmRuns()).toBe(1);
	expect(await builds()).toEqual([build]);
	expect(await stat(join(data, 'builds', build ?? ''))).toEqual({
		...made,
		atime: expect.anything(),
		atimeMs: expect.anything(),
	});
});

test('packages at the root of the plugin are used where they are complete', async () => {
	const { run, npmRuns, contents, root } = await createInstallation();
	await givePackages(root);
	expect(await run(['prepare'])).toEqual(SILENT);
	expect(await npmRuns()).toBe(0);
	expect(await contents()).toEqual(['builds']);
});

test.each([
	['a package is missing', (root: string) => rm(join(root, 'node_modules', 'zod'), { recursive: true })],
	['npm did not come to its end', (root: string) => rm(join(root, 'node_modules', '.package-lock.json'))],
	['the record is broken', (root: string) => writeFile(join(root, 'node_modules', '.package-lock.json'), '{"pack')],
	[
		'a package is of another version',
		async (root: string) => {
			const record = join(root, 'node_modules', '.package-lock.json');
			const text = await readFile(record, 'utf8');
			await writeFile(record, text.replace(/("node_modules\/zod": \{\s*"version": ")[^"]+/, '$10.0.1'));
		},
	],
	[
		'a package is of that version, and has another content',
		async (root: string) => {
			const record = join(root, 'node_modules', '.package-lock.json');
			const text = await readFile(record, 'utf8');
			await writeFile(record, text.replace('"integrity": "sha512-', '"integrity": "sha512-0'));
		},
	],
])('packages at the root are not used where %s', async (_, damage) => {
	const { run, npmRuns, contents, root } = await createInstallation();
	await givePackages(root);
	await damage(root);
	expect(await run(['prepare'])).toEqual(SILENT);
	expect(await npmRuns()).toBe(1);
	expect(await contents()).toEqual(READY);
});

test('another lockfile is another install, by its content alone', async () => {
	const { run, npmRuns, contents, data, root } = await createInstallation();
	await run(['prepare']);
	await appendFile(join(root, 'package-lock.json'), '\n');
	expect(await run(['prepare'])).toEqual(SILENT);
	expect(await npmRuns()).toBe(2);
	expect(await readFile(join(data, 'package-lock.json'))).toEqual(await readFile(join(root, 'package-lock.json')));
	expect(await contents()).toEqual(READY);
});

test('a package that is gone from the data folder is installed again when it is needed', async () => {
	const { run, npmRuns, contents, data } = await createInstallation();
	await run(['prepare']);
	for (const gone of ['node_modules/zod', 'builds']) await rm(join(data, gone), { recursive: true });
	expect(await run(['prepare'])).toEqual(SILENT);
	expect(await npmRuns()).toBe(2);
	expect(await contents()).toEqual(READY);
});

test('another version with the same lockfile is another build and no install', async () => {
	const { run, npmRuns, builds, root } = await createInstallation();
	await run(['prepare']);
	const before = await builds();
	const manifest = join(root, 'package.json');
	await writeFile(manifest, (await readFile(manifest, 'utf8')).replace(/"version": "[^"]+"/, '"version": "99.0.0"'));
	expect(await run(['prepare'])).toEqual(SILENT);
	expect(await npmRuns()).toBe(1);
	expect(await builds()).toHaveLength(1);
	expect(await builds()).not.toEqual(before);
});

test('a change of the sources is another build, and the old one is removed', async () => {
	const { run, npmRuns, builds, data, root } = await createInstallation();
	await run(['prepare']);
	const before = await builds();
	await writeFile(join(data, 'kept-by-others'), '');
	await appendFile(join(root, 'server', 'later.ts'), '// changed\n');
	expect(await run(['prepare'])).toEqual(SILENT);
	expect(await npmRuns()).toBe(1);
	expect(await builds()).toHaveLength(1);
	expect(await builds()).not.toEqual(before);
	expect(await readFile(join(data, 'kept-by-others'), 'utf8')).toBe('');
});

test('packages that lie about in a folder above the plugin are not used', async () => {
	const { run, root } = await createInstallation();
	for (const name of ['zod', 'smol-toml', '@modelcontextprotocol/sdk']) {
		const folder = join(dirname(root), 'node_modules', name);
		await mkdir(folder, { recursive: true });
		await writeFile(join(folder, 'package.json'), '{"main":"none.js"}');
	}
	expect(await run(['prepare'])).toEqual(SILENT);
});

test("a user's npm settings do not drop what is needed", async () => {
	const { run, env, contents } = await createInstallation();
	const settings = [
		...['omit=optional', 'optional=false', 'package-lock=false', 'ignore-scripts=false', 'loglevel=verbose'],
		...['global=true', 'location=global', 'install-strategy=linked', 'workspaces=true', 'dry-run=true'],
		...['package-lock-only=true', 'os=none', 'cpu=none'],
	];
	await writeFile(join(env.HOME ?? '', '.npmrc'), settings.join('\n'));
	expect(await run(['prepare'])).toEqual(SILENT);
	expect(await contents()).toEqual(READY);
});

test('a root with blanks, quotes and letters beyond ASCII works', async () => {
	const { run, root } = await createInstallation({ name: `plug in 'ä' "漢" 😀 $HOME` });
	expect(await run(['prepare'])).toEqual(SILENT);
	expect((await stat(root)).isDirectory()).toBe(true);
});

test.each([
	['XDG_DATA_HOME', { XDG_DATA_HOME: '/HOME/data home' }, 'data home/context-broker'],
	['a relative XDG_DATA_HOME, ignored', { XDG_DATA_HOME: 'data' }, '.local/share/context-broker'],
	['neither', {}, '.local/share/context-broker'],
	// biome-ignore lint/suspicious/noTemplateCurlyInString: as it arrives where the variable is not set
	['the name of the variable', { CLAUDE_PLUGIN_DATA: '${CLAUDE_PLUGIN_DATA}' }, '.local/share/context-broker'],
])('without a data folder from the client there is one by the XDG rules: %s', async (_, variables, expected) => {
	const { run, env, root } = await createInstallation();
	await givePackages(root);
	const home = env.HOME ?? '';
	const extra = Object.fromEntries(
		Object.entries({ CLAUDE_PLUGIN_DATA: '', ...variables }).map(([name, value]) => [
			name,
			value.replace('/HOME', home),
		]),
	);
	expect(await run(['prepare'], extra)).toEqual(SILENT);
	expect((await stat(join(home, expected, 'builds'))).isDirectory()).toBe(true);
});
