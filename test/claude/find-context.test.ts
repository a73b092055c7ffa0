import { describe, expect, test } from 'vitest';
import { FIND_CONTEXT } from '../../server/claude-code/tools.ts';
import { brokerSession, homeForTest, mainSession, SCANNER } from './broker-session.ts';
import { delegate } from './harness/delegation.ts';
import { writeMap, writePrivate } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { CATALOG, holding, MARKERS } from './markers.ts';

const FILES = {
	'src/seed.ts':
		'export const users = [\n\t{ name: "Zebulon Quux-Marker" },\n\t{ mail: "Aloysia.B@example.org" },\n];\n',
	'docs/qx_7781_mark/notes.md': '# Notes\n\nNothing here.\n',
};

async function userWithProject() {
	const user = await homeForTest(FILES);
	await writePrivate(user.home, 'catalog.md', CATALOG);
	await writeMap(user.home, '[keys]\nk = "catalog.md"\n');
	return user;
}

describe.each(clientVersions())('Claude Code %s', (version) => {
	test('the scanner finds three planted entries, and no model gets to know what they are', async () => {
		const { home, project } = await userWithProject();
		const scan = delegate({
			type: SCANNER,
			background: false,
			calls: [{ tool: FIND_CONTEXT, input: { key: 'k' } }],
			answer: (results) => `Privacy scan: done\n\n${results[0]?.text}`,
		});
		const { session, model } = await brokerSession({ version, home, project }, scan.script);
		expect(session.result).toBe('All done.');
		const [found] = scan.resultsOf();
		expect(found?.isError).toBe(false);
		expect(found?.text.split('\n\n').slice(0, 2)).toEqual([
			'3 places in 2 files and folders; 2 files searched.',
			[
				'docs/[context:L11]/',
				'  name [context:L11] in another spelling',
				'src/seed.ts',
				'  2:11 [context:L3] as written',
				'  3:11 [context:L4] in another spelling',
			].join('\n'),
		]);
		// The report reached the main agent as it was.
		expect(holding(model.requests, ['docs/[context:L11]/']).some(({ agent }) => agent === 'main')).toBe(true);
		expect(holding(model.requests, MARKERS)).toEqual([]);
	});

	test('the main agent gets no places', async () => {
		const { home, project } = await userWithProject();
		const { results } = await mainSession({ version, home, project }, [{ tool: FIND_CONTEXT, input: { key: 'k' } }]);
		expect(results).toMatchObject([{ isError: true, text: expect.stringMatching(/agents_only/) }]);
	});

	test('what a scanner quotes after a search becomes references', async () => {
		const { home, project } = await userWithProject();
		const scan = delegate({
			type: SCANNER,
			background: false,
			calls: [
				{ tool: FIND_CONTEXT, input: { key: 'k' } },
				{ tool: 'Read', input: { file_path: `${project}/src/seed.ts` } },
			],
			answer: () => 'It is Zebulon Quux-Marker.',
		});
		const { model } = await brokerSession({ version, home, project }, scan.script);
		expect(scan.resultsOf()[1]?.text).toContain('Zebulon Quux-Marker');
		const others = model.requests.filter(({ agent }) => agent !== 'subagent');
		expect(holding(others, MARKERS)).toEqual([]);
	});
});
