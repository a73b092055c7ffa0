import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, bench, describe } from 'vitest';

const SERVER = fileURLToPath(new URL('../support/recording-server.mjs', import.meta.url));
const BOOTSTRAP = fileURLToPath(new URL('../../server/bootstrap.cjs', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'context-broker-bench-'));
mkdirSync(join(folder, '.config', 'context-broker'), { recursive: true });
const args = JSON.stringify([SERVER, '/dev/null']);
const server = `[mcp_servers.s]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${args}\n`;
writeFileSync(join(folder, '.config', 'context-broker', 'context-map.toml'), `[keys]\n${server}`);

/** Asks a process over stdio, one request after the other. */
async function connect(programArgs: readonly string[]) {
	const env = { PATH: process.env.PATH, HOME: folder, CONTEXT_BROKER_ENABLED_TOOLS: 'default' };
	const child = spawn(process.execPath, programArgs, { env, stdio: ['pipe', 'pipe', 'ignore'] });
	afterAll(() => void child.stdin.end());
	let answer = (_line: string) => {};
	createInterface({ input: child.stdout }).on('line', (line) => {
		if (line.includes('"id"')) answer(line);
	});
	let id = 0;
	const ask = (method: string, params: object) =>
		new Promise<string>((resolve) => {
			answer = resolve;
			child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: id++, method, params })}\n`);
		});
	const clientInfo = { name: 'bench', version: '1' };
	await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
	await ask('tools/list', {});
	return (name: string) => ask('tools/call', { name, arguments: { text: 'x'.repeat(1_000) } });
}

/** One call of a server that answers at once, with 1,000 characters. */
describe('a server behind the broker', async () => {
	const [direct, behind] = await Promise.all([connect([SERVER, '/dev/null']), connect([BOOTSTRAP])]);
	bench('asked directly', async () => void (await direct('echo')));
	bench('asked through the broker', async () => void (await behind('s__echo')));
	afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
});
