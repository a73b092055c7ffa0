import { expect, test } from 'vitest';
import { createSetting } from './setting.ts';

const ESCAPE = '\u001b';

test('on a terminal what is shown is green, and what is hidden is dim', async () => {
	const { run } = await createSetting({ isTTY: true });
	const lines = (await run('tools', 'list')).stdout.split('\n');
	expect(lines.slice(0, 2)).toEqual([
		`${ESCAPE}[32mshown${ESCAPE}[39m   load_context       by default`,
		`${ESCAPE}[2mhidden  run_shell_command  high impact: shown only if it is named${ESCAPE}[22m`,
	]);
});

test('on a terminal the headings of the help are bold', async () => {
	const { run } = await createSetting({ isTTY: true });
	expect((await run('help')).stdout).toContain(`${ESCAPE}[1mCommands${ESCAPE}[22m\n`);
});

test.each([
	['on a terminal', true, {}, true],
	['with an empty NO_COLOR', true, { NO_COLOR: '' }, true],
	['with another TERM', true, { TERM: 'xterm-256color' }, true],
	['in a file or a pipe', false, {}, false],
	['where nothing is known of a terminal', undefined, {}, false],
	['with NO_COLOR', true, { NO_COLOR: '1' }, false],
	['with NO_COLOR=0', true, { NO_COLOR: '0' }, false],
	['on a dumb terminal', true, { TERM: 'dumb' }, false],
])('%s (%s, %j): colours are %s', async (_, isTTY, environment, coloured) => {
	const { run } = await createSetting({ ...(isTTY !== undefined && { isTTY }), environment });
	for (const args of [['tools', 'list'], ['tools', 'reset'], ['help'], ['tools', 'enable', '--help']]) {
		const { status, stdout } = await run(...args);
		expect(status).toBe(0);
		expect(stdout.includes(ESCAPE), args.join(' ')).toBe(coloured);
	}
});

test('colours change nothing but the look', async () => {
	const [plain, coloured] = [await createSetting(), await createSetting({ isTTY: true })];
	const { stdout } = await coloured.run('tools', 'list');
	expect(stdout.replaceAll(new RegExp(`${ESCAPE}\\[\\d+m`, 'g'), '')).toBe((await plain.run('tools', 'list')).stdout);
});
