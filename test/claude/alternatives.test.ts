import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { ARRANGE, read, shell } from './alternatives/arrangements.ts';
import { ALTERNATIVES, alternativesTable, LOOKS, type Outcome, type Way } from './alternatives/table.ts';
import { brokerSession, homeForTest } from './broker-session.ts';
import { delegate, type ToolCall } from './harness/delegation.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { type DeliveredResult, toolResults } from './harness/request.ts';
import { leaks, MARKERS } from './markers.ts';
import { findPlaces, WITH_SESSION } from './ways/places.ts';

const EVERYTHING = '--dangerously-skip-permissions';

/** A session in which the subagent gets the content and quotes it, and the main agent then looks around. */
async function outcomeOf(version: string, way: Way, ...permissions: readonly string[]): Promise<Outcome> {
	const user = await homeForTest();
	const { agent, call, file, args = [], env = {} } = await ARRANGE[way](user);
	const reader = delegate({ type: agent, background: false, calls: [call], answer: quotation });
	const looks = (answer: string): Record<(typeof LOOKS)[number], ToolCall> => ({
		'the same call': call,
		Read: read(file),
		'`cat`': shell(`cat ${file}`),
		'a search': shell("grep -rh --include='*.md' -A 2 Names ~ ."),
		'the transcript': read(findPlaces(user, answer).transcript),
	});
	const session = {
		version,
		...user,
		args: [...args, ...WITH_SESSION, ...permissions],
		env: { IS_SANDBOX: '1', ...env },
	};
	const { model } = await brokerSession(session, (request) => {
		const [answer, ...seen] = toolResults(request);
		if (request.agent === 'subagent' || answer === undefined) return reader.script(request);
		const look = LOOKS[seen.length];
		return look === undefined ? { text: 'Done.' } : looks(answer.text)[look];
	});

	const newest = model.requests.findLast((request) => request.agent === 'main');
	const [answer, ...seen] = newest === undefined ? [] : toolResults(newest);
	expect(seen).toHaveLength(LOOKS.length);
	const [loaded] = reader.resultsOf();
	const shownBy = LOOKS.filter((_, index) => holdsContent(seen[index]));
	// There is nothing else that could have shown it, in any folding.
	if (shownBy.length === 0 && !holdsContent(answer)) expect(leaks(model.requests, reader.requestsOf())).toEqual([]);
	return {
		subagent: holdsContent(loaded) ? 'yes' : `no${whyNot(loaded)}`,
		main: shownBy.length === 0 ? 'yes' : `no: ${shownBy.join(', ')}`,
		answer: holdsContent(loaded) ? (holdsContent(answer) ? 'no' : 'yes') : '–',
	};
}

function quotation([loaded]: readonly DeliveredResult[]): string {
	return holdsContent(loaded) ? `I found this: ${MARKERS.join('; ')}.` : 'I got nothing.';
}

function holdsContent(result: DeliveredResult | undefined): boolean {
	return MARKERS.some((marker) => result?.text.includes(marker));
}

function whyNot({ text = '' }: Partial<DeliveredResult> = {}): string {
	if (text.includes('No such tool available')) return ', there is no such tool';
	return text.includes('denied by your permission settings') ? ', it is denied too' : `: ${text}`;
}

describe.each(clientVersions())('Claude Code %s', (version) => {
	const rows = ALTERNATIVES.map((alternative) => [alternative.title, alternative] as const);
	test.each(rows)('what the table says of %s', async (_, { way, subagent, main, answer }) => {
		expect(await outcomeOf(version, way, EVERYTHING)).toEqual({ subagent, main, answer });
	});

	test('a transcript is shown to the main agent in default mode too, without a question', async () => {
		const outcome = await outcomeOf(version, 'inline, user', '--allowedTools', 'mcp__files__read_text_file');
		expect(outcome).toMatchObject({ subagent: 'yes', main: expect.stringContaining('the transcript') });
	});
});

test('docs/protection.md shows the table, as it is printed here', () => {
	const printed = alternativesTable();
	process.stdout.write(`\n${printed}\n\n`);
	expect(readFileSync(join(PLUGIN_ROOT, 'docs/protection.md'), 'utf8')).toContain(`\n${printed}\n`);
});
