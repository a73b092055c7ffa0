import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadsOnlyHeadless } from '../../server/claude-code/client.ts';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { addAgent, DATA_FOLDER, LOAD, listAgents, SCANNER, userWithKey } from './broker-session.ts';
import { does } from './client-differences.ts';
import { delegate, type ToolCall } from './harness/delegation.ts';
import type { Home } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { type InteractiveSession, startInteractive } from './harness/interactive.ts';
import { type Model, type Script, startModel } from './harness/model.ts';
import { type ModelRequest, mentions, toolNames, toolResults, userText } from './harness/request.ts';
import { CATALOG, filesThatLeak, leaks, MARKERS } from './markers.ts';
import { reportOutcome } from './ways/outcome.ts';

/** It stands in the project as well as in the catalog. */
const NAME = MARKERS[0] as string;
const QUOTE = `I found ${NAME} in src/seed.ts, line 3.`;

const bash = (command: string): ToolCall => ({ tool: 'Bash', input: { command, description: 'x' } });

function agentCall(request: ModelRequest, prompt: string, subagent_type: string): ToolCall {
	const tool = toolNames(request).includes('Agent') ? 'Agent' : 'Task';
	return { tool, input: { description: 'x', prompt, subagent_type } };
}

const isMain = ({ agent }: ModelRequest) => agent === 'main';

async function interactive(
	version: string,
	user: Home,
	script: Script,
): Promise<{ session: InteractiveSession; model: Model }> {
	const model = await startModel(script);
	onTestFinished(() => model.close());
	const args = ['--plugin-dir', PLUGIN_ROOT, '--allowedTools', 'Bash'];
	const session = await startInteractive({ version, home: user.home, cwd: user.project, model, args });
	// An agent that is started before the broker is connected has no tool of it.
	const connected = join(user.home, DATA_FOLDER, 'last-session.json');
	await session.until(() => existsSync(connected));
	return { session, model };
}

/** Presses Ctrl+B until the main agent goes on: a client that is busy can miss it. */
async function putIntoBackground(session: InteractiveSession, hasGoneOn: () => boolean): Promise<void> {
	while (!hasGoneOn()) {
		session.press('\x02');
		await new Promise((resolve) => setTimeout(resolve, 1_000));
	}
}

const UNCHECKED = { isError: true, text: expect.stringContaining('unchecked_background: ') };

describe.each(clientVersions())('Claude Code %s, with a person at it', (version) => {
	test('a scan is done, or refused if nobody could check its answer', async () => {
		const user = await userWithKey();
		const scanner = delegate({ type: SCANNER, prompt: 'Scan it.', calls: [LOAD], answer: () => 'One, [context:L3].' });
		const { session, model } = await interactive(version, user, (request) => {
			if (!isMain(request)) return scanner.script(request);
			return toolResults(request).length === 0 ? agentCall(request, 'Scan it.', SCANNER) : { text: 'All right.' };
		});
		await session.say('Please scan.');
		await session.until(() => model.requests.some((one) => isMain(one) && mentions(one, 'One, [context:L3].')));
		const isRefused = loadsOnlyHeadless(version);
		expect(scanner.resultsOf()).toMatchObject([isRefused ? UNCHECKED : { parts: [CATALOG] }]);
		reportOutcome(isRefused ? 'refused' : 'works');
	});
});

const whereItWorks = clientVersions().filter((version) => !loadsOnlyHeadless(version));

describe.each(whereItWorks)('Claude Code %s, with a person at it', (version) => {
	test('after a scan, what another agent has done is heard of, though it names what is in the catalog', async () => {
		const user = await userWithKey();
		const scanner = delegate({ type: SCANNER, prompt: 'Scan it.', calls: [LOAD], answer: () => 'One, [context:L3].' });
		const { session, model } = await interactive(version, user, (request) => {
			if (!isMain(request)) {
				return userText(request).includes('Scan it.')
					? scanner.script(request)
					: { text: `Replaced ${NAME} in src/seed.ts.` };
			}
			const done = toolResults(request).length;
			if (mentions(request, 'Now replace it.') && done === 1)
				return agentCall(request, 'Replace it.', 'general-purpose');
			if (done === 0) return agentCall(request, 'Scan it.', SCANNER);
			return { text: mentions(request, `Replaced ${NAME}`) ? 'Heard of it.' : 'All right.' };
		});
		await session.say('Please scan.');
		const isScanned = () => model.requests.some((one) => isMain(one) && mentions(one, 'One, [context:L3].'));
		await session.until(isScanned);
		await session.say('Now replace it.');
		await session.until(() => session.drawn().includes('Heardofit.'));
		expect(scanner.resultsOf()).toMatchObject([{ parts: [CATALOG] }]);
	});

	test('what Claude Code has written of a scan is cleaned while the person goes on', async () => {
		const user = await userWithKey();
		const search = { tool: 'Read', input: { file_path: `${user.project}/${NAME}` } };
		const scanner = delegate({ type: SCANNER, prompt: 'Scan it.', calls: [LOAD, search], answer: () => QUOTE });
		const { session } = await interactive(version, user, (request) => {
			if (!isMain(request)) return scanner.script(request);
			return toolResults(request).length === 0 ? agentCall(request, 'Scan it.', SCANNER) : { text: 'All right.' };
		});
		await session.say('Please scan.');
		await session.until(() => scanner.resultsOf().length > 0);
		expect(scanner.resultsOf()[0]).toMatchObject({ parts: [CATALOG] });
		await session.until(() => filesThatLeak(user).length === 0);
		await session.say('And then?');
		await session.until(() => session.drawn().includes('Allright.'));
		await expect.poll(() => filesThatLeak(user), { interval: 200 }).toEqual([]);
	});

	test('the person learns why a call was refused, and what was replaced; no model does', async () => {
		const user = await userWithKey();
		const scanner = delegate({ type: SCANNER, prompt: 'Scan it.', calls: [LOAD], answer: () => QUOTE });
		const { session, model } = await interactive(version, user, (request) => {
			if (!isMain(request)) return scanner.script(request);
			const done = toolResults(request).length;
			if (done === 0) return bash('cat ~/.config/context-broker/catalog.md');
			return mentions(request, 'Now scan.') && done === 1
				? agentCall(request, 'Scan it.', SCANNER)
				: { text: 'All right.' };
		});
		await session.say('Read the catalog.');
		await session.until(() => session.drawn().includes('Allright.'));
		expect(session.drawn()).toContain(
			'ContextBrokerrefusedBash(protected_file):"~/.config/context-broker/catalog.md"names',
		);
		expect(session.drawn()).toContain('files=falseunder[guard]');
		await session.say('Now scan.');
		// In the foreground references stand in its place, in the background it is withheld.
		await session.until(() => session.drawn().includes('quoting=falseunder[guard]'));
		await session.say('And then?');
		await session.until(() => model.requests.some((request) => isMain(request) && mentions(request, 'And then?')));
		expect(leaks(model.requests, scanner.requestsOf())).toEqual([]);
	});

	test('the agent of a command that the person types loads nothing', async () => {
		const user = await userWithKey();
		const folder = join(user.project, '.claude', 'skills', 'check');
		await mkdir(folder, { recursive: true });
		const skill = `---\nname: check\ndescription: x\ncontext: fork\nagent: ${SCANNER}\n---\nErrand of the skill.\n`;
		await writeFile(join(folder, 'SKILL.md'), skill);
		const errand = delegate({ type: SCANNER, prompt: 'Errand of the skill.', calls: [LOAD], answer: () => 'No.' });
		const { session, model } = await interactive(version, user, (request) =>
			isMain(request) ? { text: 'Heard.' } : errand.script(request),
		);
		await session.say('/check now');
		await session.until(() => errand.resultsOf().length > 0);
		await session.end();
		expect(errand.resultsOf()).toMatchObject([UNCHECKED]);
		expect(leaks(model.requests)).toEqual([]);
	});

	test('an agent put into the background after its load never ends with a quotation', async () => {
		const user = await userWithKey('reader');
		await addAgent(user.home, 'reader', `Bash, ${LOAD.tool}`);
		await listAgents(user.home, 'reader');
		const ofReader: ModelRequest[] = [];
		let [answers, turns] = [0, 0];
		const { session, model } = await interactive(version, user, (request) => {
			const done = toolResults(request).length;
			if (!isMain(request)) {
				ofReader.push(request);
				if (done === 0) return LOAD;
				if (turns < 2) return bash('sleep 1');
				answers += 1;
				return { text: answers > 6 ? 'One entry, [context:L3].' : QUOTE };
			}
			turns += 1;
			if (done === 0) return agentCall(request, 'Read it.', 'reader');
			return done < 8 || (answers < 7 && done < 60) ? bash('sleep 1') : { text: 'Done now.' };
		});
		await session.say('Please read.');
		await session.until(() => ofReader.length > 1);
		if (!does(version, 'alwaysInBackground')) await putIntoBackground(session, () => turns > 1);
		else reportOutcome('all are in the background');
		await session.until(() => turns > 1);
		const [launched] = toolResults(model.requests.filter(isMain)[1] as ModelRequest);
		expect(launched?.text).toContain('The agent is working in the background.');
		await session.until(() => session.drawn().includes('Donenow.'));
		// Put into the background, it begins again.
		expect(ofReader.some((request) => mentions(request, CATALOG))).toBe(true);
		expect(answers).toBe(7);
		await session.until(() => model.requests.some((one) => isMain(one) && mentions(one, 'One entry, [context:L3].')));
		expect(leaks(model.requests, ofReader)).toEqual([]);
	});

	test.skipIf(does(version, 'alwaysInBackground'))(
		'an agent put into the background after its load is not stopped',
		async () => {
			const user = await userWithKey('reader');
			await addAgent(user.home, 'reader', `Bash, ${LOAD.tool}`);
			await listAgents(user.home, 'reader');
			const ofReader: ModelRequest[] = [];
			let [turns, isStopTried] = [0, false];
			const { session, model } = await interactive(version, user, (request) => {
				const results = toolResults(request);
				if (!isMain(request)) {
					ofReader.push(request);
					if (results.length === 0) return LOAD;
					return isStopTried
						? { text: 'One entry, [context:L3].' }
						: [{ text: `${QUOTE} I look on.` }, bash('sleep 1')];
				}
				turns += 1;
				isStopTried = results.length > 3;
				const [, id] = /agentId: (\w+)/.exec(results[0]?.text ?? '') ?? [];
				if (results.length === 0) return agentCall(request, 'Read it.', 'reader');
				if (results.length === 3) return { tool: 'TaskStop', input: { task_id: id } };
				return results.length < 9 ? bash('sleep 1') : { text: 'Done now.' };
			});
			await session.say('Please read.');
			await session.until(() => ofReader.length > 1);
			await putIntoBackground(session, () => turns > 1);
			await session.until(() => session.drawn().includes('Donenow.'));
			const ofMain = model.requests.filter(isMain);
			expect(toolResults(ofMain.at(-1) as ModelRequest)[3]).toMatchObject({
				isError: true,
				text: expect.stringContaining('answer_withheld: '),
			});
			expect(leaks(model.requests, ofReader)).toEqual([]);
		},
	);
});
