import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { brokerEnvironment, initializeAs, startBroker } from '../../support/broker.ts';
import { BOOTSTRAP } from '../../support/paths.ts';
import { callTool, createRecording, startBrokerWith, stdio, toolNames } from '../../support/servers.ts';
import { createUser } from '../../support/user.ts';

const CONTEXT7 = createRequire(import.meta.url).resolve('@upstash/context7-mcp/dist/index.js');

const node = (...args: string[]) => `command = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify(args)}\n`;

/** The SDK's client at a broker with these servers behind it; for this version the broker waits for them longest. */
async function connect(map: string, env: Record<string, string> = {}) {
	const user = await createUser();
	await user.writeMap(`[keys]\n${map}`);
	const stderr = 'ignore';
	const client = new Client({ name: 'claude-code', version: '2.1.126' });
	await client.connect(
		new StdioClientTransport({
			command: process.execPath,
			args: [BOOTSTRAP],
			stderr,
			env: brokerEnvironment(user.home, env),
		}),
	);
	onTestFinished(() => client.close());
	return client;
}

/** What a client is told of the servers that asks later each time: the broker waits for them for a moment only. */
function asking(map: string, env: Record<string, string> = {}): () => Promise<string> {
	let later = 0;
	return async () => {
		const user = await createUser();
		await user.writeMap(`[keys]\n${map}`);
		const broker = startBroker(user.home, env);
		await delay(later);
		later = later * 2 + 500;
		broker.send(initializeAs('claude-code', '2.1.126'));
		const { result } = await broker.receive();
		broker.process.kill();
		return String(result?.instructions);
	};
}

describe('what a server says of how to use it', () => {
	test('is passed on with how its tools are called here, of context7', async () => {
		await expect
			.poll(asking(`[mcp_servers.context7]\n${node(CONTEXT7)}`), { timeout: 240_000 })
			.toMatch(/^The server context7 \(its tools here: context7__\*\) says:\nUse this server /);
	});

	test('is cut so that each server has its part, and left out if none of its tools is shown', async () => {
		const [a, b, c] = [await createRecording(), await createRecording(), await createRecording()];
		const saying = (text: string) => `env.INSTRUCTIONS = "${text}"\n`;
		const ask = asking(
			`[mcp_servers.a]\n${stdio(a)}${saying('A'.repeat(3_000))}[mcp_servers.b]\n${stdio(b)}${saying('Be brief.')}
[mcp_servers.c]\n${stdio(c)}${saying('Hidden.')}`,
			{ CONTEXT_BROKER_DISABLED_TOOLS: 'c__*' },
		);
		let text = '';
		const told = async () => {
			text = await ask();
			return text;
		};
		await expect.poll(told, { timeout: 240_000 }).toMatch(/^The server a .*\nA+…\n\nThe server b .*\nBe brief\.$/);
		expect(text.length).toBeLessThanOrEqual(2_048);
	});

	test('is nothing if there is no server', async () => {
		expect((await connect('')).getInstructions()).toBeUndefined();
	});
});

test('an error of the broker fits the schema of a tool, so that a client shows it and not one of its own', async () => {
	const client = await connect('', { CONTEXT_BROKER_ENABLED_TOOLS: 'all' });
	expect((await client.listTools()).tools.find(({ name }) => name === 'run_shell_command')?.outputSchema).toBeDefined();
	const result = await client.callTool({ name: 'run_shell_command', arguments: { command: '' } });
	expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/^invalid_arguments: /) }] });
});

test('a tool that can only be called as a task is not offered, and told', async () => {
	const fields = `${stdio(await createRecording())}env.TASK_TOOL = "slow"\n`;
	const broker = await startBrokerWith({ s: fields });
	expect(await toolNames(broker)).not.toContain('s__slow');
	const { errors } = await broker.finish();
	expect(errors).toContain(
		'[mcp_servers.s]: its tool "slow" is left out: it can be called only as a task, which the broker does not support.',
	);
});

test('a server has the proxy, the certificates, the language and the time zone of the user, and no other variables', async () => {
	const given = {
		HTTPS_PROXY: 'http://127.0.0.1:9',
		no_proxy: 'localhost',
		NODE_EXTRA_CA_CERTS: '/nowhere/ca.pem',
		SSL_CERT_FILE: '/nowhere/cert.pem',
		LANG: 'de_DE.UTF-8',
		LC_ALL: 'C',
		TZ: 'Asia/Tokyo',
	};
	const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
	const own = `${node(everything, 'stdio')}env.TZ = "UTC"\n`;
	const broker = await startBrokerWith({ e: own }, ['e'], { ...given, MY_TOKEN: 'x', NODE_OPTIONS: '--no-warnings' });
	const { result } = await callTool(broker, 'e__get-env');
	const [block] = (result?.content ?? []) as { text: string }[];
	const seen = JSON.parse(block?.text ?? '') as Record<string, string>;
	expect(seen).toMatchObject({ ...given, TZ: 'UTC' });
	expect(Object.keys(seen)).not.toContain('MY_TOKEN');
	expect(Object.keys(seen)).not.toContain('NODE_OPTIONS');
});
