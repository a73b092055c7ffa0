import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import type { Finding } from '../../server/doctor/finding.ts';
import { MAY_NOT_ISOLATE, mayUse, SANDBOXES } from '../support/account.ts';
import { brokerEnvironment } from '../support/broker.ts';
import { BOOTSTRAP } from '../support/paths.ts';
import { createRecording, freePort, script, stdio } from '../support/servers.ts';
import { expectGone, uniqueSeconds } from '../support/shell.ts';
import { createUser, type User } from '../support/user.ts';

interface Examined {
	readonly status: number;
	readonly text: string;
}

async function examine({ home }: User, ...args: string[]): Promise<Examined> {
	const command = [BOOTSTRAP, 'doctor', ...args];
	const ended = promisify(execFile)(process.execPath, command, { env: brokerEnvironment(home), cwd: home });
	return await ended.then(
		({ stdout }) => ({ status: 0, text: stdout }),
		({ code, stdout }: { code: number; stdout: string }) => ({ status: code, text: stdout }),
	);
}

/** Whether a server had not the time that the doctor gives it. */
const isLate = (text: string) => text.includes('has not answered within');
const LATE = 'servers take longer to start here than the doctor waits for them';

/** A port of this machine that answers. */
async function listening(): Promise<AddressInfo> {
	const server = createServer().listen(0, '127.0.0.1');
	onTestFinished(() => void server.close());
	await once(server, 'listening');
	return server.address() as AddressInfo;
}

test('without a map it fails, offers one, and with that nothing fails any more', async () => {
	const user = await createUser();
	const before = await examine(user);
	expect(before.status).toBe(2);
	expect(before.text).toContain(`Create ${user.mapFile} with these two lines`);
	const [, lines = ''] = /names:\n(.*\n.*)\n/.exec(before.text) ?? [];
	await user.writeMap(lines.replace(/^ +/gm, ''));
	await user.write('../../private/catalog.md', '- Zebulon Quux\n');
	const after = await examine(user);
	expect(after.text).toContain('1 of 1 lead to a file that can be loaded');
	expect(after.text).not.toContain('✘');
	expect(after.status).toBe(1);
});

test('the lines for the sandbox of Claude Code are printed, cost nothing, and are gone once they are in the settings', async () => {
	const user = await createUser();
	await user.writeMap('[keys]\nk = "~/private/catalog.md"\n');
	await user.write('../../private/catalog.md', '- Zebulon Quux\n');
	const before = await examine(user);
	const [, json = ''] = /^• sandbox .*\n.*→.*\n(\s+\{\n[\s\S]*?\n\s+\})\n\S/m.exec(before.text) ?? [];
	expect(JSON.parse(json)).toMatchObject({ sandbox: { filesystem: { denyRead: ['~/private/catalog.md'] } } });
	await user.write('../../.claude/settings.json', json);
	const after = await examine(user);
	expect(after.text).toMatch(/^✔ sandbox {2}/m);
	expect(after.status).toBe(before.status);
});

test('each server is reached in both instances, or told with the reason', async ({ skip }) => {
	skip(!SANDBOXES.some(mayUse), MAY_NOT_ISOLATE);
	const user = await createUser();
	const port = await freePort();
	const half = `${stdio(await createRecording())}args_isolated = ["-e", "process.exit(3)"]\n`;
	await user.writeMap(`[keys]
[mcp_servers.good]
${stdio(await createRecording(), await createRecording())}
[mcp_servers.half]
${half}
[mcp_servers.down]
url = "http://127.0.0.1:${port}/mcp"
[mcp_servers.secretive]
${stdio(await createRecording())}env.REFUSED = "tools/list"
[mcp_servers.nowhere]
${stdio(await createRecording())}cwd = "/nowhere/none"
[mcp_servers.ends]
command = "sh"
args = ["-c", "echo No such flag. >&2; exit 3"]
[mcp_servers.loader]
${stdio(await createRecording())}env.LOADED_FROM = "${(await listening()).port}"
isolate_network = true
[mcp_servers.flawed]
${stdio(await createRecording())}env.BROKEN_TOOL = "big"
`);
	await user.write('.env', 'CONTEXT_BROKER_DISABLED_TOOLS=down__query,dawn__query\n');
	const { status, text } = await examine(user, '--json');
	skip(isLate(text), LATE);
	expect(status).toBe(2);
	const { findings } = JSON.parse(text) as { findings: Finding[] };
	// What a server offers that is down, nobody knows.
	expect(findings.filter((finding) => finding.check === 'tools').map(({ message }) => message)).toEqual([
		expect.stringContaining('"dawn__query", which is not a tool'),
	]);
	const servers = findings.filter(({ check }) => check.startsWith('server'));
	expect(servers.map((finding) => [finding.check, finding.status, finding.message])).toEqual([
		['server good', 'ok', '9 tools, both instances reached'],
		['server half', 'failure', 'its isolated instance cannot be reached: it ended before it answered.'],
		['server down', 'failure', 'it cannot be reached: ECONNREFUSED.'],
		['server secretive', 'failure', 'it cannot be reached: its error -32603.'],
		['server nowhere', 'failure', 'it cannot be reached: its cwd is not a folder.'],
		['server ends', 'failure', 'it cannot be reached: it ended before it answered. It printed:'],
		['server loader', 'failure', 'its isolated instance cannot be reached: it ended before it answered. It printed:'],
		['server flawed', 'ok', '8 tools, one instance reached'],
		['servers', 'warning', '[mcp_servers.flawed]: its tool "big" is left out: its inputSchema does not follow MCP.'],
	]);
	expect(servers.flatMap(({ excerpt }) => excerpt ?? [])).toEqual([
		'No such flag.',
		'It can not be loaded: ECONNREFUSED',
	]);
	expect(servers.find(({ check }) => check === 'server loader')?.next).toMatch(/^It runs without a network\. /);
	expect(findings).toContainEqual({ check: 'shown', status: 'ok', message: '35 of the 35 tools of servers' });
});

test('a word too much, or an option that it does not have, is wrong use', async () => {
	const user = await createUser();
	expect(await examine(user, 'everything')).toEqual({ status: 2, text: '' });
	expect(await examine(user, '--all')).toEqual({ status: 2, text: '' });
});

test('a server that never answers holds up neither the doctor nor its end, and is ended', async () => {
	const user = await createUser();
	const seconds = uniqueSeconds();
	const silent = `${stdio(await createRecording())}env.UNANSWERED = "tools/list"\n`;
	const mute = script('setInterval(() => {}, 1_000)', seconds);
	await user.writeMap(`[keys]\n[mcp_servers.mute]\n${mute}[mcp_servers.silent]\n${silent}`);
	const { text } = await examine(user, '--json');
	const { findings } = JSON.parse(text) as { findings: Finding[] };
	for (const server of ['mute', 'silent']) {
		expect(findings).toContainEqual({
			check: `server ${server}`,
			status: 'failure',
			message: 'It has not answered within 10 seconds.',
			next: expect.stringMatching(/^Start it, or correct its table in the map\. /),
		});
	}
	await expectGone(seconds);
});

test('of a server that answers in another way, the next step says what to do', async () => {
	const user = await createUser();
	const statuses = [401, 403, 404, 405, 307, 503];
	const servers = await Promise.all(
		statuses.map(async (status) => {
			const server = createServer((request, response) => {
				request.resume();
				const headers = status === 307 ? { location: '/elsewhere/' } : {};
				request.on('end', () => void response.writeHead(status, headers).end('no'));
			}).listen(0, '127.0.0.1');
			onTestFinished(() => void server.close());
			await once(server, 'listening');
			return `[mcp_servers.s${status}]\nurl = "http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp"\n`;
		}),
	);
	await user.writeMap(`[keys]\n${servers.join('')}`);
	const { findings } = JSON.parse((await examine(user, '--json')).text) as { findings: Finding[] };
	const told = findings.filter(({ check }) => check.startsWith('server s'));
	expect(told.map(({ message, next }) => [message, next])).toEqual(
		[
			/It asks for credentials: set them in headers/,
			/It asks for credentials/,
			/There is nothing at this address/,
			/This address does not take streamable HTTP/,
			/It is at another address/,
			/^Start it, or correct its table/,
		].map((next, at) => [`it cannot be reached: HTTP status ${statuses[at]}.`, expect.stringMatching(next)]),
	);
	expect(findings.filter(({ check }) => check === 'keys')).toEqual([]);
});

test('what a server offers beside tools is named, since it stays behind the broker', async ({ skip }) => {
	const user = await createUser();
	const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
	const command = `command = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([everything])}\n`;
	await user.writeMap(`[keys]\n[mcp_servers.e]\n${command}`);
	const { text } = await examine(user, '--json');
	skip(isLate(text), LATE);
	const { findings } = JSON.parse(text) as { findings: Finding[] };
	expect(findings.find(({ check }) => check === 'server e')?.message).toMatch(
		/ one instance reached; its resources, prompts, completions do not pass through the broker$/,
	);
});
