import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CATALOG, ENTRIES, MAP, PROJECT, SPELLINGS, scanAndQuote } from '../images/example-scan.ts';
import { showSession } from '../images/session-lines.ts';
import { drawTerminal } from '../images/terminal.ts';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { brokerSession, homeForTest, PROMPT } from './broker-session.ts';
import { writeMap, writePrivate } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { holding } from './markers.ts';

const [version = ''] = clientVersions();

// `npm run demo:record` is this test with --update.
test('docs/session.svg shows what a session with the example catalog looks like today', async () => {
	const user = await homeForTest(PROJECT);
	await writeMap(user.home, MAP);
	await writePrivate(user.home, 'example-catalog.md', CATALOG);
	const { session, model } = await brokerSession({ version, ...user }, scanAndQuote);

	const scanner = model.requests.filter(({ agent }) => agent === 'subagent');
	const others = model.requests.filter(({ agent }) => agent !== 'subagent');
	expect(holding(scanner, SPELLINGS)).not.toEqual([]);
	expect(others.length).toBeGreaterThanOrEqual(2);
	expect(holding(others, SPELLINGS)).toEqual([]);

	const isPrivate = (text: string) => SPELLINGS.some((spelling) => text.includes(spelling));
	const checked = `The main agent's requests held none of the ${ENTRIES.length} entries of the catalog (checked).`;
	const picture = drawTerminal(
		`Claude Code ${version} with a scripted model`,
		`A session of Claude Code: ${PROMPT} ${checked}`,
		[
			...showSession(PROMPT, session.events, isPrivate),
			'rule',
			[{ column: 0, pieces: [{ text: `✓ ${checked}`, look: 'good' }] }],
		],
	);
	expect(SPELLINGS.filter((spelling) => picture.includes(spelling))).toEqual([]);
	await expect(picture).toMatchFileSnapshot(
		join(PLUGIN_ROOT, 'docs', 'session.svg'),
		'make it anew: npm run demo:record',
	);
});
