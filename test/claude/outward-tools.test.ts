import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LOAD_CONTEXT, OWN_TOOLS } from '../../server/claude-code/tools.ts';
import { createRecording, stdio } from '../support/servers.ts';
import { addAgent, brokerSession, LOAD, mainSession, userWithKey } from './broker-session.ts';
import { does } from './client-differences.ts';
import { delegate } from './harness/delegation.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { toolResults } from './harness/request.ts';

const FETCH = { tool: 'WebFetch', input: { url: 'http://127.0.0.1:9/', prompt: 'x' } };
const ALLOWED = ['--allowedTools', 'WebFetch'];

async function userWithReader() {
	const user = await userWithKey('reader');
	await addAgent(user.home, 'reader', `${LOAD_CONTEXT}, WebFetch`);
	return user;
}

const REFUSED = { isError: true, text: expect.stringMatching(/outward_tool: This agent holds private data/) };

describe.each(clientVersions())('Claude Code %s', (version) => {
	test('an agent that has loaded may not fetch from the web; before that, and the main agent, it may', async () => {
		const user = await userWithReader();
		const errand = delegate({ type: 'reader', background: false, calls: [FETCH, LOAD, FETCH] });
		// The main agent fetches in the end, too.
		const { model } = await brokerSession({ version, ...user, extraArgs: ALLOWED }, (request) => {
			const isBack = request.agent !== 'subagent' && toolResults(request).length === 1;
			return isBack ? FETCH : errand.script(request);
		});
		const [before, load, after] = errand.resultsOf();
		expect(before?.text).not.toMatch(/outward_tool/);
		expect(load).toMatchObject({ isError: false });
		expect(after).toMatchObject(REFUSED);
		const newest = model.requests.findLast(({ agent }) => agent === 'main');
		const fetched = newest === undefined ? [] : toolResults(newest);
		expect(fetched).toHaveLength(2);
		expect(fetched[1]?.text).not.toMatch(/outward_tool/);
	});

	test('nor may it use another server, whose name begins like that of the broker', async () => {
		const user = await userWithKey('reader');
		const tool = `${OWN_TOOLS}x__echo`;
		await addAgent(user.home, 'reader', `${LOAD_CONTEXT}, ${tool}`);
		const recording = await createRecording();
		const [, command = '', args = ''] = /= (.*)\nargs = (.*)\n/.exec(stdio(recording)) ?? [];
		const server = { command: JSON.parse(command), args: JSON.parse(args) };
		const file = join(user.home, 'servers.json');
		await writeFile(file, JSON.stringify({ mcpServers: { 'plugin_context-broker_broker__x': server } }));
		const echo = { tool, input: { a: 1 } };
		const errand = delegate({ type: 'reader', background: false, calls: [echo, LOAD, echo] });
		const extraArgs = ['--allowedTools', tool, '--mcp-config', file];
		await brokerSession({ version, ...user, extraArgs }, errand.script);
		expect(errand.resultsOf()).toMatchObject([{ isError: false }, { isError: false }, REFUSED]);
		expect(await recording.calls()).toBe(1);
	});

	test('nor may the main agent that has loaded, also where its session goes on, or is copied', async () => {
		const user = await userWithReader();
		const extraArgs = [...ALLOWED, '--agent', 'reader'];
		const session = { version, ...user, extraArgs };
		expect((await mainSession(session, [LOAD, FETCH])).results).toMatchObject([{ isError: false }, REFUSED]);
		for (const more of [['--continue'], ['--continue', '--fork-session']]) {
			const { results } = await mainSession({ ...session, extraArgs: [...extraArgs, ...more] }, [FETCH]);
			expect(results.at(-1)).toMatchObject(REFUSED);
		}
		const [fetched] = (await mainSession(session, [FETCH])).results;
		expect(fetched?.text).not.toMatch(/outward_tool/);
	});

	test('nor may it start a fork of itself, which would begin with what it has loaded', async () => {
		const fork = { description: 'x', prompt: 'Errand of the fork.', subagent_type: 'fork', run_in_background: false };
		// Where there are no forks, there is no such agent.
		const refused = { isError: true, text: expect.stringMatching(/do_not_fork|'fork' not found|No such tool/) };
		const isOfFork = ({ raw }: { raw: string }) =>
			/Errand of the fork.*that fork is you|fork is you.*Errand of/.test(raw);
		const user = await userWithKey('reader');
		await addAgent(user.home, 'reader', `${LOAD_CONTEXT}, Agent`);
		const calls = [LOAD, { tool: 'Agent', input: fork }];
		const errand = delegate({ type: 'reader', background: false, calls });
		const { model } = await brokerSession({ version, ...user }, errand.script);
		expect(errand.resultsOf()).toMatchObject([{ isError: false }, refused]);
		const asAgent = await mainSession({ version, ...user, extraArgs: ['--agent', 'reader'] }, calls);
		expect(asAgent.results).toMatchObject([{ isError: false }, refused]);
		expect([...model.requests, ...asAgent.model.requests].filter(isOfFork)).toEqual([]);
		// The main agent, which holds none, may.
		const plain = await mainSession({ version, ...user }, [{ tool: 'Agent', input: fork }]);
		expect(plain.model.requests.some(isOfFork)).toBe(does(version, 'forks'));
	});

	test('unless the user allows it', async () => {
		const user = await userWithReader();
		const map = join(user.home, '.config', 'context-broker', 'context-map.toml');
		await appendFile(map, '\n[private_data]\nallow_tools = ["WebF*"]\n');
		const errand = delegate({ type: 'reader', background: false, calls: [LOAD, FETCH] });
		await brokerSession({ version, ...user, extraArgs: ALLOWED }, errand.script);
		const [load, fetched] = errand.resultsOf();
		expect(load).toMatchObject({ isError: false });
		expect(fetched?.text).not.toMatch(/outward_tool/);
	});
});
