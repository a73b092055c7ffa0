import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FIND_CONTEXT } from '../../server/claude-code/tools.ts';
import { brokerSession, LOAD, SCANNER, userWithKey } from './broker-session.ts';
import { delegate, type ToolCall } from './harness/delegation.ts';
import { writePrivate } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { type ModelRequest, mentions, toolResults, userText } from './harness/request.ts';
import { CATALOG, MARKERS } from './markers.ts';

const BYPASS = { extraArgs: ['--dangerously-skip-permissions'], env: { IS_SANDBOX: '1' } };

/** It stands in the project as well as in the catalog. */
const NAME = MARKERS[0] as string;

const scan = () => delegate({ type: SCANNER, prompt: 'Scan.', background: false, calls: [LOAD] });

function bash(command: string, extra: object = {}): ToolCall {
	return { tool: 'Bash', input: { command, description: 'x', ...extra } };
}

function newestOf(requests: readonly ModelRequest[]): ModelRequest {
	const newest = requests.findLast(({ agent }) => agent === 'main');
	if (newest === undefined) throw new Error('the main agent was not asked');
	return newest;
}

describe.each(clientVersions())('Claude Code %s: ordinary work after a scan', (version) => {
	test.each([
		['as it was', false],
		['edited', true],
	])('other agents and commands in the background are heard of, with the catalog %s', async (_, isEdited) => {
		const user = await userWithKey();
		const scanner = scan();
		const start = {
			description: 'x',
			prompt: 'Replace it.',
			subagent_type: 'general-purpose',
			run_in_background: true,
		};
		const calls: (() => ToolCall)[] = [
			() => ({ tool: 'Agent', input: start }),
			() => bash(`sleep 0.3; echo "const owner = '${NAME}'"`, { run_in_background: true }),
		];
		const hearsOfAgent = (request: ModelRequest) => mentions(request, `Replaced ${NAME} in src/seed.ts`);
		const hearsOfCommand = ({ raw }: ModelRequest) => /command [^<]*completed/.test(raw);
		const { model } = await brokerSession({ version, ...user, ...BYPASS }, (request) => {
			const done = toolResults(request).length;
			if (request.agent === 'subagent' && userText(request).includes('Replace it.')) {
				return done === 0 ? bash('sleep 0.5') : { text: `Replaced ${NAME} in src/seed.ts by a reference.` };
			}
			if (request.agent === 'subagent' || done === 0) return scanner.script(request);
			if (isEdited && done === 1)
				writeFileSync(join(user.home, '.config/context-broker/catalog.md'), `${CATALOG}- X\n`);
			const call = calls[done - 1];
			if (call !== undefined) return call();
			// They come at the next call, or with the end of the turn.
			const hasHeard = hearsOfAgent(request) && hearsOfCommand(request);
			return hasHeard || done > 60 ? { text: 'All done.' } : bash('sleep 1');
		});
		expect(scanner.resultsOf()).toMatchObject([{ parts: [CATALOG] }]);
		const ofMain = model.requests.filter(({ agent }) => agent === 'main');
		expect(ofMain.some(hearsOfAgent)).toBe(true);
		expect(ofMain.some(hearsOfCommand)).toBe(true);
		expect(model.requests.some((request) => mentions(request, 'Context Broker withheld'))).toBe(false);
	});

	test('the main agent reads its own log though the scanner was told of it', async () => {
		const user = await userWithKey();
		let log = '';
		let scanner = scan();
		const { model } = await brokerSession({ version, ...user, ...BYPASS }, (request) => {
			const results = toolResults(request);
			if (request.agent === 'subagent') return scanner.script(request);
			if (results.length === 0) return bash(`echo "built for ${NAME}"; sleep 0.2`, { run_in_background: true });
			log ||= /written to: ([^\s"]+\.output)/.exec(results[0]?.text ?? '')?.[1] ?? '';
			if (results.length === 1) {
				scanner = delegate({ type: SCANNER, prompt: 'Scan the log.', background: false, calls: [LOAD] });
				// In the words in which the client told of it.
				const prompt = `Scan the log. ${results[0]?.text}`;
				return { tool: 'Agent', input: { description: 'x', prompt, subagent_type: SCANNER } };
			}
			// 2.1.126 writes the scanner's transcript a moment later.
			if (results.length === 2) return bash('sleep 1');
			if (results.length === 3) return { tool: 'Read', input: { file_path: log } };
			return results.length === 4 ? bash(`tail -n 3 ${log}`) : { text: 'Done.' };
		});
		expect(scanner.resultsOf()).toMatchObject([{ parts: [CATALOG] }]);
		const own = { isError: false, text: expect.stringContaining(`built for ${NAME}`) };
		expect(toolResults(newestOf(model.requests)).slice(3)).toMatchObject([own, own]);
	});

	test('a scanner searches the home folder that it runs in, also in a second session', async () => {
		const user = await userWithKey();
		await writePrivate(user.home, '../../notes.txt', `seed ${NAME}\n`);
		for (const _ of [1, 2]) {
			const find = { tool: FIND_CONTEXT, input: { key: 'k' } };
			const scanner = delegate({ type: SCANNER, background: false, calls: [LOAD, find] });
			await brokerSession({ version, ...user, project: user.home }, scanner.script);
			expect(scanner.resultsOf()).toMatchObject([
				{ parts: [CATALOG] },
				{ isError: false, text: expect.stringContaining('notes.txt') },
			]);
		}
		expect(readdirSync(join(user.home, '.claude', 'projects'))).not.toEqual([]);
	});
});
