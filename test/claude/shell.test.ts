import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LOAD_CONTEXT, RUN_SHELL_COMMAND } from '../../server/claude-code/tools.ts';
import { addAgent, brokerSession, LOAD, mainSession, userWithKey } from './broker-session.ts';
import { delegate, type ToolCall } from './harness/delegation.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { toolNames } from './harness/request.ts';
import { CATALOG, leaks } from './markers.ts';

/** What the user has set: the tool is shown. */
const SHOWN = { CONTEXT_BROKER_ENABLED_TOOLS: 'default,run_shell_command' };

const ALLOWED = ['--allowedTools', RUN_SHELL_COMMAND];

function command(text: string, more: object = {}): ToolCall {
	return { tool: RUN_SHELL_COMMAND, input: { command: text, ...more } };
}

/** A command that asks a server on this machine. */
async function ask(): Promise<ToolCall> {
	const server = createServer((socket) => socket.on('error', () => {}).end('hello\n')).listen(0, '127.0.0.1');
	onTestFinished(() => void server.close());
	await once(server, 'listening');
	return command(`cat </dev/tcp/127.0.0.1/${(server.address() as AddressInfo).port}`);
}

/** A user with an agent `runner` that may load and run commands. */
async function userWithRunner() {
	const user = await userWithKey('runner');
	await addAgent(user.home, 'runner', `${LOAD_CONTEXT}, ${RUN_SHELL_COMMAND}`);
	return user;
}

const REACHED = { isError: false, text: expect.stringMatching(/hello/) };
const NOT_REACHED = { isError: false, text: expect.stringMatching(/Connection refused/) };

describe.each(clientVersions())('Claude Code %s', (version) => {
	test('a subagent runs a command, loads private context, and then has no network', async ({ skip }) => {
		skip(process.platform === 'win32', 'Windows has no way to take the network from a command');
		const user = await userWithRunner();
		const asking = await ask();
		const errand = delegate({ type: 'runner', background: false, calls: [asking, LOAD, asking] });
		const session = { version, ...user, env: SHOWN, extraArgs: ALLOWED };
		const { model } = await brokerSession(session, errand.script);
		expect(errand.resultsOf()).toMatchObject([REACHED, { isError: false, parts: [CATALOG] }, NOT_REACHED]);
		expect(leaks(model.requests, errand.requestsOf())).toEqual([]);

		// The session goes on in a new process of the broker, and the main agent has no network either.
		const more = { ...session, extraArgs: [...ALLOWED, '--continue'] };
		expect((await mainSession(more, [asking])).results.at(-1)).toMatchObject(NOT_REACHED);
		// So has a copy of the session, which has an id of its own.
		const copied = { ...session, extraArgs: [...more.extraArgs, '--fork-session'] };
		expect((await mainSession(copied, [asking])).results.at(-1)).toMatchObject(NOT_REACHED);
		// Another session does.
		expect((await mainSession(session, [asking])).results).toMatchObject([REACHED]);
	});

	test('commands are kept from private files', async () => {
		const user = await userWithRunner();
		const session = { version, ...user, env: SHOWN, extraArgs: ALLOWED };
		const folder = { dir_path: `${user.home}/.config/context-broker` };
		const { results } = await mainSession(session, [
			command('cat catalog.md', folder),
			command('cat ~/.config/context-broker/context-map.toml'),
			command('ls'),
		]);
		const refused = { isError: true, text: expect.stringMatching(/protected_file/) };
		expect(results).toMatchObject([refused, refused, { isError: false }]);
	});

	test('it is not there unless it is named, and runs nothing without permission', async () => {
		const user = await userWithRunner();
		const { model } = await mainSession({ version, ...user }, []);
		for (const request of model.requests) expect(toolNames(request)).not.toContain(RUN_SHELL_COMMAND);
		const { results } = await mainSession({ version, ...user, env: SHOWN }, [command('touch made')]);
		expect(results).toMatchObject([{ isError: true, text: expect.stringMatching(/permission/i) }]);
	});
});
