import { writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseEnvFile } from '../../../server/env-file/parse.ts';
import { matches, parseSelectors } from '../../../server/exposure/policy.ts';
import { runs } from '../../support/runs.ts';
import { createSetting, DISABLED, ENABLED, TOOLS } from './setting.ts';

const NAMES = TOOLS.map(({ name }) => name);
const tool = fc.constantFrom(...TOOLS);
/** Words that are valid, and ones that once were or never will be. */
const word = fc.constantFrom(
	...NAMES,
	'load-context',
	'all',
	'*',
	'ALL',
	'none',
	'default',
	'safe',
	'docs-*',
	'gone',
	'w*',
);
const list = fc.option(
	fc.tuple(fc.array(word, { maxLength: 5 }), fc.constantFrom(',', ' ', ';')).map(([words, by]) => words.join(by)),
	{ nil: undefined },
);
const line = fc.oneof(
	fc.constantFrom(
		'# a comment',
		'',
		'TOKEN=a b',
		'export PATH="$PATH:/x"',
		"QUOTED='#'",
		'OPEN="',
		"it's",
		`#${ENABLED}=all`,
	),
	fc.string({ maxLength: 12 }).map((text) => text.replaceAll(/[\r\n]/g, '')),
);
const ending = fc.constantFrom('\n', '\r\n');
/** An env file with these two variables somewhere. */
const envFile = fc
	.record({ enabled: list, disabled: list, before: fc.array(line), after: fc.array(line), ending })
	.map(({ enabled, disabled, before, after, ending }) => {
		const variable = (name: string, value?: string) => (value === undefined ? [] : [`${name}="${value}"`]);
		return [...before, ...variable(ENABLED, enabled), ...variable(DISABLED, disabled), ...after].join(ending);
	});
const selectors = fc.array(
	word.filter((text) => text !== 'gone'),
	{ minLength: 1, maxLength: 3 },
);
const command = fc.oneof(
	fc
		.tuple(fc.constantFrom('enable', 'disable', 'set-enabled', 'set-disabled'), selectors)
		.map(([name, words]) => [name, ...words]),
	fc.constantFrom(
		['reset'],
		['set-enabled', '--all'],
		['set-enabled', '--none'],
		['set-enabled', '--clear'],
		['set-disabled', '--clear'],
	),
);

async function createFileSetting() {
	const setting = await createSetting({ text: '' });
	return {
		...setting,
		start: (text: string) => writeFile(setting.envFile, text),
		variables: async () => parseEnvFile((await setting.text()) ?? ''),
	};
}

test('what is disabled is hidden, whatever the lists were', async () => {
	const { run, start, shown } = await createFileSetting();
	await fc.assert(
		fc.asyncProperty(envFile, tool, async (text, { name }) => {
			await start(text);
			expect((await run('tools', 'disable', name)).status).toBe(0);
			expect(await shown()).not.toContain(name);
		}),
		{ numRuns: runs() },
	);
});

test('what is enabled is shown, unless another denial covers it, which is then told', async () => {
	const { run, start, shown, variables } = await createFileSetting();
	await fc.assert(
		fc.asyncProperty(envFile, tool, async (text, enabled) => {
			await start(text);
			const { status, stderr } = await run('tools', 'enable', enabled.name);
			expect(status).toBe(0);
			const denials = parseSelectors((await variables()).get(DISABLED) ?? '');
			const isDenied = denials.some((selector) => matches(selector, enabled));
			expect(denials.some((selector) => selector.kind === 'name' && matches(selector, enabled))).toBe(false);
			expect((await shown()).includes(enabled.name)).toBe(!isDenied);
			expect(stderr.includes(`${enabled.name} stays hidden`)).toBe(isDenied);
		}),
		{ numRuns: runs() },
	);
});

test('enabling and disabling a tool changes no other', async () => {
	const { run, start, shown } = await createFileSetting();
	await fc.assert(
		fc.asyncProperty(envFile, tool, fc.constantFrom('enable', 'disable'), async (text, { name }, verb) => {
			await start(text);
			const others = (names: string[]) => names.filter((other) => other !== name);
			const before = others(await shown());
			await run('tools', verb, name);
			expect(others(await shown())).toEqual(before);
		}),
		{ numRuns: runs() },
	);
});

test('resetting brings back the default', async () => {
	const { run, start, shown, variables } = await createFileSetting();
	await fc.assert(
		fc.asyncProperty(envFile, async (text) => {
			await start(text);
			expect((await run('tools', 'reset')).status).toBe(0);
			expect(await shown()).toEqual(NAMES.filter((name) => name !== 'run_shell_command'));
			for (const variable of [ENABLED, DISABLED]) expect((await variables()).has(variable)).toBe(false);
		}),
		{ numRuns: runs() },
	);
});

test('an allowlist that is replaced shows exactly what it covers, less what is denied', async () => {
	const { run, start, shown, variables } = await createFileSetting();
	await fc.assert(
		fc.asyncProperty(envFile, selectors, async (text, words) => {
			await start(text);
			await run('tools', 'set-enabled', ...words);
			const covers = (list: string, wanted: (typeof TOOLS)[number]) =>
				parseSelectors(list).some((selector) => matches(selector, wanted));
			const denied = (await variables()).get(DISABLED) ?? '';
			const expected = TOOLS.filter((wanted) => covers(words.join(), wanted) && !covers(denied, wanted));
			expect(await shown()).toEqual(expected.map(({ name }) => name));
		}),
		{ numRuns: runs() },
	);
});

test('no command changes another variable, and the second time it changes nothing', async () => {
	const { run, start, text: textNow, variables, envFile: path } = await createFileSetting();
	await fc.assert(
		fc.asyncProperty(envFile, command, async (text, args) => {
			await start(text);
			const others = async () => [...(await variables())].filter(([name]) => name !== ENABLED && name !== DISABLED);
			const before = await others();
			expect((await run('tools', ...args)).status).toBe(0);
			expect(await others()).toEqual(before);

			const edited = await textNow();
			expect((await run('tools', ...args)).stdout).toContain(`Nothing to change in ${path}.`);
			expect(await textNow()).toBe(edited);
		}),
		{ numRuns: runs() },
	);
});
