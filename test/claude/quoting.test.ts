import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addAgent, brokerSession, LOAD, listAgents, SCANNER, userWithKey } from './broker-session.ts';
import { does } from './client-differences.ts';
import { delegate, type Errand } from './harness/delegation.ts';
import { writePrivate } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { type ModelRequest, toolResults, userText } from './harness/request.ts';
import { CATALOG, holding, leaks, MARKERS } from './markers.ts';
import { reportOutcome } from './ways/outcome.ts';
import { QUOTATIONS } from './ways/quotations.ts';

const QUOTE = `I found ${MARKERS[0]} in src/seed.ts, line 3. Nothing else.`;

/** The scanner, which quotes however often it is asked not to. */
function scan(answer: string, extra: Partial<Errand> = {}): Errand {
	return { type: SCANNER, background: false, calls: [LOAD], answer: () => answer, ...extra };
}

/** What the main agent was answered by its first subagent. */
function answerOf(requests: readonly ModelRequest[]): string {
	const newest = requests.findLast(({ agent }) => agent === 'main');
	return newest === undefined ? '' : (toolResults(newest)[0]?.text ?? '');
}

describe.each(clientVersions())('Claude Code %s', (version) => {
	test('no disguise of a quotation reaches the main agent', async () => {
		const errands = delegate(QUOTATIONS.map(({ answer }) => scan(answer)));
		const { model } = await brokerSession({ version, ...(await userWithKey()) }, errands.script);
		for (const index of QUOTATIONS.keys()) {
			expect(errands.resultsOf(index)).toMatchObject([{ isError: false, parts: [CATALOG] }]);
		}
		expect(leaks(model.requests, ...QUOTATIONS.map((_, index) => errands.requestsOf(index)))).toEqual([]);
	});

	test('nor does another writing of an entry, or a rare part of one', async () => {
		const writings = ['Oberholtzer, W.', 'W. Oberholtzer', 'Wendelin "Wen" Oberholtzer', 'docs/oberholtzer-letter.md'];
		const escaped = ['Wendelin\\s+Oberholtzer', '{"name":"Wendelin\\noberholtzer"}', 'aloysia.b%40example.org'];
		const errands = delegate([...writings, ...escaped].map((text) => scan(`I found this: ${text}. That is all.`)));
		const { model } = await brokerSession({ version, ...(await userWithKey()) }, errands.script);
		const own = new Set([...writings, ...escaped].flatMap((_, index) => errands.requestsOf(index)));
		const others = model.requests.filter((request) => !own.has(request));
		expect(holding(others, ['Oberholtzer', 'aloysia'])).toEqual([]);
		expect(leaks(others)).toEqual([]);
	});

	test('the scanner is asked twice to answer without quoting, then references stand in the place of quotations', async () => {
		const errand = delegate(scan(QUOTE));
		const { model } = await brokerSession({ version, ...(await userWithKey()) }, errand.script);
		const asked = errand.requestsOf();
		expect(asked).toHaveLength(4);
		expect(userText(asked[2] as ModelRequest)).toContain(
			'Your answer repeats one passage of the private context (lines 3)',
		);
		expect(userText(asked[3] as ModelRequest)).toContain('I found [context:L3] in src/seed.ts, line 3. Nothing else.');
		expect(answerOf(model.requests)).toContain('I found [context:L3] in src/seed.ts, line 3. Nothing else.');
		expect(leaks(model.requests, asked)).toEqual([]);
	});

	test('the answer of one that complies arrives as it gives it', async () => {
		const CLEAN = 'One entry, [context:L3], in src/seed.ts, line 3.';
		const errand = delegate({ ...scan(''), answer: () => (errand.requestsOf().length > 2 ? CLEAN : QUOTE) });
		const { model } = await brokerSession({ version, ...(await userWithKey()) }, errand.script);
		expect(errand.requestsOf()).toHaveLength(3);
		expect(answerOf(model.requests)).toContain(CLEAN);
		expect(leaks(model.requests, errand.requestsOf())).toEqual([]);
	});

	test('an answer without quotations is not touched, and nothing is asked', async () => {
		const report = '| file | line | entry |\n|---|---|---|\n| src/seed.ts | 3 | Names, entry 1 |\n\nSummary: 2 files.';
		const errand = delegate(scan(report));
		const { model } = await brokerSession({ version, ...(await userWithKey()) }, errand.script);
		expect(errand.requestsOf()).toHaveLength(2);
		for (const line of report.split('\n')) expect(answerOf(model.requests)).toContain(line);
	});

	test.each([true, undefined])(
		'started in the background (%s), the scanner still answers in the foreground',
		async (background) => {
			const { background: _, ...errand } = scan(QUOTE);
			const scanner = delegate(background === undefined ? errand : { ...errand, background });
			const { model } = await brokerSession({ version, ...(await userWithKey()) }, scanner.script);
			expect(answerOf(model.requests)).toContain('I found [context:L3] in src/seed.ts');
			expect(leaks(model.requests, scanner.requestsOf())).toEqual([]);
		},
	);

	test('an answer is compared with the file as the agent got it, though it is changed or removed meanwhile', async () => {
		const user = await userWithKey();
		const file = await writePrivate(user.home, 'catalog.md', CATALOG);
		for (const spoil of [
			() => writeFileSync(file, '# Names\n- somebody else\n'),
			() => rmSync(file, { force: true }),
		]) {
			writeFileSync(file, CATALOG);
			const errand = delegate({
				...scan(''),
				answer: () => {
					spoil();
					return QUOTE;
				},
			});
			const { model } = await brokerSession({ version, ...user }, errand.script);
			expect(answerOf(model.requests)).toContain('I found [context:L3] in src/seed.ts, line 3. Nothing else.');
			expect(leaks(model.requests, errand.requestsOf())).toEqual([]);
		}
	});

	test('an answer so long that it is written to a file is redacted there too', async () => {
		const user = await userWithKey();
		const errand = delegate(
			scan(`${QUOTE}\n${'An ordinary line of a long report, without anything special.\n'.repeat(2_500)}`),
		);
		const { model, session } = await brokerSession({ version, ...user }, errand.script);
		expect(leaks(model.requests, errand.requestsOf())).toEqual([]);
		const file = /[^\s"]+tool-results[^\s"]+\.(?:json|txt)/.exec(answerOf(model.requests))?.[0];
		expect(session.result).toBe('All done.');
		expect(readFileSync(file ?? '', 'utf8')).toContain('[context:L3]');
		expect(readFileSync(file ?? '', 'utf8')).not.toContain(MARKERS[0]);
	});

	test('a subagent that starts the scanner gets no more than the main agent would', async () => {
		const inner = delegate(scan(QUOTE, { prompt: 'Inner errand.' }));
		const start = { description: 'x', prompt: 'Inner errand.', subagent_type: SCANNER, run_in_background: true };
		const outer = delegate({
			type: 'general-purpose',
			prompt: 'Outer errand.',
			background: false,
			calls: [{ tool: 'Agent', input: start }],
		});
		const { model } = await brokerSession({ version, ...(await userWithKey()) }, (request) =>
			(userText(request).includes('Inner errand.') ? inner : outer).script(request),
		);
		if (!does(version, 'nestsAgents')) {
			expect(inner.requestsOf()).toEqual([]);
			reportOutcome('does not happen');
		} else expect(inner.resultsOf()).toMatchObject([{ parts: [CATALOG] }]);
		expect(leaks(model.requests, inner.requestsOf())).toEqual([]);
	});

	test('what a skill gets of the scanner has references too', async () => {
		const user = await userWithKey();
		const folder = join(user.project, '.claude', 'skills', 'check');
		await mkdir(folder, { recursive: true });
		const skill = `---\nname: check\ndescription: x\ncontext: fork\nagent: ${SCANNER}\n---\nErrand of the skill.\n`;
		await writeFile(join(folder, 'SKILL.md'), skill);
		const errand = delegate(scan(QUOTE, { prompt: 'Errand of the skill.' }));
		const { model } = await brokerSession({ version, ...user, extraArgs: ['--allowedTools', 'Skill'] }, (request) => {
			if (request.agent === 'subagent') return errand.script(request);
			return toolResults(request).length === 0 ? { tool: 'Skill', input: { skill: 'check' } } : { text: 'Done.' };
		});
		expect(errand.resultsOf()).toMatchObject([{ parts: [CATALOG] }]);
		expect(answerOf(model.requests)).toContain('I found [context:L3] in src/seed.ts');
		expect(leaks(model.requests, errand.requestsOf())).toEqual([]);
	});

	test('an agent can not hand a quotation to another one', async () => {
		const user = await userWithKey();
		await addAgent(user.home, 'boss', `Agent, Task, ${LOAD.tool}`);
		await listAgents(user.home, 'boss');
		const start = { description: 'x', subagent_type: 'general-purpose', run_in_background: false };
		const hand = (prompt: string) => ({ tool: 'Agent', input: { ...start, prompt } });
		const calls = [LOAD, hand(`Look for ${MARKERS[0]}.`), hand('Look for [context:L3].')];
		const args = ['--agent', 'boss'];
		const { model } = await brokerSession({ version, ...user, extraArgs: args }, (request) => {
			if (request.agent === 'subagent') return { text: 'Nothing.' };
			return calls[toolResults(request).length] ?? { text: 'Done.' };
		});
		const main = model.requests.filter(({ agent }) => agent === 'main');
		const results = toolResults(main.at(-1) as ModelRequest);
		expect(results).toMatchObject([
			{ parts: [CATALOG] },
			{ isError: true, text: expect.stringContaining('do_not_quote: ') },
			{ isError: false },
		]);
		expect(leaks(model.requests, main)).toEqual([]);
	});

	test('nor put one where others read it later: a task, a prompt for another time', async () => {
		const user = await userWithKey('reader');
		await addAgent(user.home, 'reader', `${LOAD.tool}, TaskCreate, CronCreate`);
		const task = { tool: 'TaskCreate', input: { subject: 'x', description: `Look for ${MARKERS[0]}.` } };
		const later = {
			tool: 'CronCreate',
			input: { cron: '* * * * *', prompt: `Look for ${MARKERS[0]}.`, recurring: false },
		};
		const errand = delegate({ type: 'reader', background: false, calls: [LOAD, task, later] });
		await brokerSession({ version, ...user, extraArgs: ['--allowedTools', 'TaskCreate,CronCreate'] }, errand.script);
		// 2.1.126 has no tasks in a session without a person.
		const refused = { isError: true, text: expect.stringMatching(/do_not_quote: |No such tool available: TaskCreate/) };
		expect(errand.resultsOf()).toMatchObject([{ isError: false }, refused, refused]);
	});
});
