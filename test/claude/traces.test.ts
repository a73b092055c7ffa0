import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { brokerSession, LOAD, SCANNER, userWithKey } from './broker-session.ts';
import { delegate, type Errand } from './harness/delegation.ts';
import { type Home, writeMap } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { toolResults } from './harness/request.ts';
import { CATALOG, holdsMarker, leaks, MARKERS } from './markers.ts';

/** Every file below the folders of a user, the temporary ones included, that holds a marker; but for the private file. */
function holding({ home }: Home): string[] {
	const entries = readdirSync(dirname(home), { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
	return files.filter((file) => holdsMarker(readFileSync(file, 'utf8')) && !file.endsWith('/context-broker/catalog.md'));
}

/** The cleaning is over a moment after the client has ended. */
async function expectNothingLeft(user: Home): Promise<void> {
	await expect.poll(() => holding(user), { interval: 200 }).toEqual([]);
}

const QUOTE = `I found ${MARKERS[0]} in src/seed.ts, line 3.`;

function scan(extra: Partial<Errand> = {}): Errand {
	return { type: SCANNER, background: false, calls: [LOAD], answer: () => QUOTE, ...extra };
}

describe.each(clientVersions())('Claude Code %s: nothing stays behind', (version) => {
	test('of a scan, and the session can be continued', async () => {
		const user = await userWithKey();
		const errand = delegate(scan());
		await brokerSession({ version, ...user }, errand.script);
		expect(errand.resultsOf()).toMatchObject([{ parts: [CATALOG] }]);
		await expectNothingLeft(user);
		const again = delegate(scan({ prompt: 'Errand again.' }));
		const { model, session } = await brokerSession({ version, ...user, extraArgs: ['--continue'] }, (request) => {
			const done = toolResults(request).length;
			if (request.agent === 'subagent') return again.script(request);
			const start = { description: 'x', prompt: 'Errand again.', subagent_type: SCANNER, run_in_background: false };
			return done === 1 ? { tool: 'Agent', input: start } : { text: 'Done.' };
		});
		expect(session.result).toBe('Done.');
		expect(again.resultsOf()).toMatchObject([{ parts: [CATALOG] }]);
		expect(leaks(model.requests, again.requestsOf())).toEqual([]);
		await expectNothingLeft(user);
	});
});
void writeMap;
