import { lstat, mkdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary.ts';
import { createSetting, DISABLED, ENABLED } from './setting.ts';

describe('what else an env file holds stays as it is:', () => {
	test.each([
		['comments', `# mine\n\n${DISABLED}=safe # why\n# end\n`, `# mine\n\n${DISABLED}=safe,web-page # why\n# end\n`],
		['CRLF', `A=1\r\n${DISABLED}=safe\r\nB=2\r\n`, `A=1\r\n${DISABLED}=safe,web-page\r\nB=2\r\n`],
		['a new line after CRLF', 'A=1\r\n', `A=1\r\n${DISABLED}=web-page\r\n`],
		['export', `export ${DISABLED}=safe\n`, `export ${DISABLED}=safe,web-page\n`],
		['double quotes', `${DISABLED}="safe"\n`, `${DISABLED}="safe,web-page"\n`],
		['single quotes', `${DISABLED}='safe'\n`, `${DISABLED}='safe,web-page'\n`],
		['no final newline', `${DISABLED}=safe`, `${DISABLED}=safe,web-page`],
		['another variable without a final newline', 'A=1', `A=1\n${DISABLED}=web-page\n`],
		['a byte-order mark', `\ufeff${DISABLED}=safe\n`, `\ufeff${DISABLED}=safe,web-page\n`],
		['a name that stands twice', `${DISABLED}=all\n${DISABLED}=safe\n`, `${DISABLED}=all\n${DISABLED}=safe,web-page\n`],
		['lines that are no assignment', `what?\n${DISABLED}=safe\n`, `what?\n${DISABLED}=safe,web-page\n`],
		[
			'another tool’s lines',
			`TOKEN="a b"\nexport PATH=$PATH:/x\n`,
			`TOKEN="a b"\nexport PATH=$PATH:/x\n${DISABLED}=web-page\n`,
		],
	])('%s', async (_, before, after) => {
		const { run, text } = await createSetting({ text: before });
		expect((await run('tools', 'disable', 'web_page')).status).toBe(0);
		expect(await text()).toBe(after);
	});
});

test('resetting takes out nothing but the two variables, each time that they occur', async () => {
	const { run, text } = await createSetting({
		text: `# a\n${ENABLED}=all\nA=1\nexport ${DISABLED}="safe"\n${ENABLED}=safe\n# z`,
	});
	await run('tools', 'reset');
	expect(await text()).toBe('# a\nA=1\n# z');
});

test('an env file that nothing changes in is not written', async () => {
	const { run, envFile } = await createSetting({ text: `${DISABLED}=web-page\n` });
	const { ino } = await stat(envFile);
	await run('tools', 'disable', 'web-page');
	expect((await stat(envFile)).ino).toBe(ino);
	await run('tools', 'disable', 'load_context');
	expect((await stat(envFile)).ino).not.toBe(ino);
});

test('a link to a dotfile stays, and the dotfile is edited', async () => {
	const folder = await temporaryFolder();
	const [dotfile, envFile] = [join(folder, 'dotfile'), join(folder, '.env')];
	await writeFile(dotfile, `A=1\n${DISABLED}=safe\n`);
	await symlink('dotfile', envFile);
	const { run } = await createSetting({ envFile });
	expect((await run('tools', 'reset')).stdout).toContain(`Removed ${DISABLED} from ${envFile}.\n`);
	expect((await lstat(envFile)).isSymbolicLink()).toBe(true);
	expect(await readlink(envFile)).toBe('dotfile');
	expect(await readFile(dotfile, 'utf8')).toBe('A=1\n');
});

describe('an env file that can not be read', () => {
	test.each(['list', 'list --json', 'enable web-page', 'set-disabled --clear', 'reset'])(
		'is an error of tools %s, and stays as it is',
		async (command) => {
			const bytes = Buffer.from([0x41, 0x3d, 0xff, 0x0a]);
			const { run, envFile } = await createSetting({ text: bytes });
			const { status, stdout, stderr } = await run('tools', ...command.split(' '));
			expect([status, stdout]).toEqual([1, '']);
			expect(stderr).toMatch(/^context-broker: .*\n$/);
			expect(stderr).toContain(`The env file ${envFile} is not text`);
			expect(await readFile(envFile)).toEqual(bytes);
		},
	);

	test('can be a folder', async () => {
		const { run, envFile } = await createSetting();
		await mkdir(envFile);
		const { status, stdout, stderr } = await run('tools', 'list');
		expect([status, stdout]).toEqual([1, '']);
		expect(stderr).toContain(`context-broker: The env file ${envFile} is not a regular file`);
	});
});

test('an env file that can not be written is an error, and one is not told that it was written', async () => {
	const { envFile: file } = await createSetting({ text: 'A=1\n' });
	const { run } = await createSetting({ envFile: join(file, '.env') });
	const { status, stdout, stderr } = await run('tools', 'disable', 'web-page');
	expect([status, stdout]).toEqual([1, '']);
	expect(stderr).toMatch(/^context-broker: The env file .* cannot be written.*\n$/);
	expect(await readFile(file, 'utf8')).toBe('A=1\n');
});

test('help needs no env file', async () => {
	const { run, envFile } = await createSetting();
	await mkdir(envFile);
	expect((await run('help')).status).toBe(0);
});
