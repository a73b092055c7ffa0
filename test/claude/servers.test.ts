import { once } from 'node:events';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FIND_CONTEXT, LOAD_CONTEXT, OWN_TOOLS } from '../../server/claude-code/tools.ts';
import { createRecording, stdio } from '../support/servers.ts';
import { addAgent, brokerSession, LOAD, mainSession, userWithKey } from './broker-session.ts';
import { delegate } from './harness/delegation.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { CATALOG, leaks } from './markers.ts';

const FETCH = `${OWN_TOOLS}s__fetch`;
const SECRET = `${OWN_TOOLS}s__secret`;
const WEB = { tool: 'WebFetch', input: { url: 'http://127.0.0.1:9/', prompt: 'x' } };
const ALLOWED = ['--allowedTools', `WebFetch,${FETCH},${SECRET}`];

/** A user with an agent `reader` that may load, and with a server behind the broker that has a tool `fetch`. @param ofKey of its table in the map */
async function userWithServer(more = '', ofKey = '') {
	const user = await userWithKey('reader');
	await addAgent(user.home, 'reader', `${FIND_CONTEXT}, ${LOAD_CONTEXT}, ${FETCH}, ${SECRET}, WebFetch`);
	const map = join(user.home, '.config', 'context-broker', 'context-map.toml');
	await appendFile(map, `${ofKey}\n[mcp_servers.s]\n${stdio(await createRecording(), 'without network')}${more}`);
	return user;
}

/** A call of `fetch` for a port of this machine that answers. */
async function fetching() {
	const server = createServer((socket) => socket.on('error', () => {}).end('hello')).listen(0, '127.0.0.1');
	onTestFinished(() => void server.close());
	await once(server, 'listening');
	return { tool: FETCH, input: { port: (server.address() as AddressInfo).port } };
}

/** The files below Claude Code's folder that hold a text. */
async function filesWith(home: string, text: string): Promise<string[]> {
	const entries = await readdir(join(home, '.claude', 'projects'), { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
	const holding = await Promise.all(files.map(async (file) => (await readFile(file, 'utf8')).includes(text)));
	return files.filter((_, index) => holding[index]);
}

const REACHED = { isError: false, text: expect.stringContaining('hello') };
const NOT_REACHED = { isError: false, text: expect.stringContaining('ECONNREFUSED') };
const NOT_REFUSED = { text: expect.not.stringMatching(/outward_tool/) };
const REFUSED = { isError: true, text: expect.stringMatching(/outward_tool/) };

describe.each(clientVersions())('Claude Code %s', (version) => {
	test('a subagent that has loaded has a server without a network, and so has the session from then on', async () => {
		const user = await userWithServer();
		const fetch = await fetching();
		const errand = delegate({ type: 'reader', background: false, calls: [fetch, LOAD, fetch, WEB] });
		const session = { version, ...user, extraArgs: ALLOWED };
		const { model } = await brokerSession(session, errand.script);
		const delivered = { isError: false, parts: [CATALOG] };
		expect(errand.resultsOf()).toMatchObject([REACHED, delivered, NOT_REACHED, REFUSED]);
		expect(leaks(model.requests, errand.requestsOf())).toEqual([]);
		const continued = { ...session, extraArgs: [...ALLOWED, '--continue'] };
		expect((await mainSession(continued, [fetch])).results.at(-1)).toMatchObject(NOT_REACHED);
		expect((await mainSession(session, [fetch])).results).toMatchObject([REACHED]);
	});

	test.each([
		['does the same', '', NOT_REACHED, REFUSED],
		['does not, if its key is not private', 'private = false\n', REACHED, NOT_REFUSED],
	])('a search %s', async (_, ofKey, fetched, web) => {
		const user = await userWithServer('', ofKey);
		const fetch = await fetching();
		const find = { tool: FIND_CONTEXT, input: { key: 'k' } };
		const errand = delegate({ type: 'reader', background: false, calls: [fetch, find, fetch, WEB] });
		const session = { version, ...user, extraArgs: ALLOWED };
		await brokerSession(session, errand.script);
		const searched = { isError: false, text: expect.stringMatching(/^No places/) };
		expect(errand.resultsOf()).toMatchObject([REACHED, searched, fetched, web]);
		const continued = { ...session, extraArgs: [...ALLOWED, '--continue'] };
		expect((await mainSession(continued, [fetch])).results.at(-1)).toMatchObject(fetched);
	});

	test('a private result does the same, and its agent holds private data', async () => {
		const user = await userWithServer('private_tools = ["secret"]\n');
		const fetch = await fetching();
		const secret = { tool: SECRET, input: {} };
		const errand = delegate({ type: 'reader', background: false, calls: [fetch, secret, fetch, WEB] });
		await brokerSession({ version, ...user, extraArgs: ALLOWED }, errand.script);
		const told = { isError: false, text: expect.stringContaining('the secret') };
		expect(errand.resultsOf()).toMatchObject([REACHED, told, NOT_REACHED, REFUSED]);
		// What Claude Code has written of it is cleaned.
		await expect.poll(() => filesWith(user.home, 'the secret'), { interval: 200 }).toEqual([]);
	});

	test('a session is continued without a network also where hooks are off, and so is a copy of it', async () => {
		const user = await userWithServer('private_tools = ["secret"]\n');
		const [fetch, secret] = [await fetching(), { tool: SECRET, input: {} }];
		const session = { version, ...user, extraArgs: ALLOWED };
		expect((await mainSession(session, [fetch, secret])).results).toMatchObject([REACHED, { isError: false }]);
		const off = join(user.home, 'off.json');
		await writeFile(off, '{"disableAllHooks":true}');
		for (const more of [[], ['--fork-session']]) {
			const extraArgs = [...ALLOWED, '--continue', '--settings', off, ...more];
			expect((await mainSession({ ...session, extraArgs }, [fetch])).results.at(-1)).toMatchObject(NOT_REACHED);
		}
	});
});
