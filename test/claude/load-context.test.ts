import { describe, expect, test } from 'vitest';
import { FIND_CONTEXT, LOAD_CONTEXT } from '../../server/claude-code/tools.ts';
import { CONTENT_LIMIT } from '../../server/files/read-markdown.ts';
import { homeForTest, scanSession } from './broker-session.ts';
import { writeMap, writePrivate } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { mentions, systemText, toolNames } from './harness/request.ts';

const MARKER = 'Zebulon Quux-Marker';

function catalog(size: number): string {
	const head = `# Names\r\n\r\n- ${MARKER} é 漢 😀\n`;
	return `${head}${'- somebody else entirely\n'.repeat(size / 20)}`.slice(0, size - 5).concat('- end');
}

describe.each(clientVersions())('Claude Code %s', (version) => {
	test('the scanner gets catalogs of 10 KB, 200 KB and just the limit whole, and the main agent none of it', async () => {
		const { home, project } = await homeForTest({ 'README.md': 'hello' });
		const sizes = { small: 10_000, large: 200_000, largest: CONTENT_LIMIT };
		const keys = Object.keys(sizes);
		await writeMap(home, `[keys]\n${keys.map((key) => `${key} = "${key}.md"`).join('\n')}\n`);
		for (const [key, size] of Object.entries(sizes)) await writePrivate(home, `${key}.md`, catalog(size));

		const { session, scan, model } = await scanSession({ version, home, project, keys });
		expect(session.result).toBe('All done.');
		expect(scan.resultsOf()).toMatchObject(
			Object.values(sizes).map((size) => ({ isError: false, parts: [catalog(size)] })),
		);
		const others = model.requests.filter(({ agent }) => agent !== 'subagent');
		expect(others.length).toBeGreaterThan(1);
		expect(others.filter((request) => mentions(request, MARKER))).toEqual([]);
		expect(others.filter((request) => mentions(request, 'somebody else entirely'))).toEqual([]);
	});

	test('one character over the limit is refused by the broker, so that the client never cuts it', async () => {
		const { home, project } = await homeForTest();
		await writeMap(home, '[keys]\nk = "catalog.md"\n');
		await writePrivate(home, 'catalog.md', `${catalog(CONTENT_LIMIT)}x`);
		const { scan } = await scanSession({ version, home, project, keys: ['k'] });
		expect(scan.resultsOf()).toMatchObject([
			{
				isError: true,
				text: expect.stringMatching(/^too_large: .* It has 500001 characters; the limit is 500000\. Ask/),
			},
		]);
	});

	test('the scanner is told what is wrong and what to do: no map, then no such key', async () => {
		const { home, project } = await homeForTest();
		const missing = await scanSession({ version, home, project, keys: ['k'] });
		expect(missing.scan.resultsOf()).toMatchObject([
			{
				isError: true,
				text: expect.stringMatching(
					/config_missing: .* Ask the user to create ~\/\.config\/context-broker\/context-map\.toml/,
				),
			},
		]);
		await writeMap(home, '[keys]\nother = "catalog.md"\n');
		const unknown = await scanSession({ version, home, project, keys: ['k'] });
		expect(unknown.scan.resultsOf()).toMatchObject([
			{
				isError: true,
				text: expect.stringMatching(
					/unknown_key: .* ask the user to add it to the \[keys\] table of context-map\.toml/,
				),
			},
		]);
	});

	test('the scanner has exactly the tools of its file, and its key in its instructions', async () => {
		const { home, project } = await homeForTest();
		const { scan, model } = await scanSession({ version, home, project, keys: ['k'] });
		const [request] = scan.requestsOf();
		if (request === undefined) throw new Error('the scanner was not started');
		// 2.1.332 adds the placeholder to every list of tools.
		const names = toolNames(request).filter((name) => name !== 'DeferredToolPlaceholder');
		expect(names.sort()).toEqual(['Read', FIND_CONTEXT, LOAD_CONTEXT].sort());
		expect(systemText(request)).toContain('catalog-q7v2mx9k');
		const others = model.requests.filter(({ agent }) => agent !== 'subagent');
		expect(others.filter((other) => mentions(other, 'catalog-q7v2mx9k'))).toEqual([]);
	});
});
