/**
 * `npm run demo`: the broker's main job, with the real broker over stdio and the example catalog beside this file.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const bootstrap = fileURLToPath(new URL('../../server/bootstrap.cjs', import.meta.url));
const config = fileURLToPath(new URL('config', import.meta.url));
const catalog = readFileSync(join(config, 'context-broker', 'example-catalog.md'), 'utf8');

/** @param {string} text */
const print = (text) => process.stdout.write(`${text}\n`);

/**
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<[T, string]>} its result, and how long it took
 */
async function timed(work) {
	const start = performance.now();
	const result = await work();
	return [result, `${(performance.now() - start).toFixed(1)} ms`];
}

const data = await mkdtemp(join(tmpdir(), 'context-broker-demo-'));
const client = new Client({ name: 'demo', version: '1.0.0' });
try {
	// Nothing else of the environment: in a shell of Claude Code, the broker would wait for its hooks.
	const env = { PATH: process.env.PATH ?? '', XDG_CONFIG_HOME: config, XDG_DATA_HOME: data };
	const [, started] = await timed(() =>
		client.connect(new StdioClientTransport({ command: process.execPath, args: [bootstrap], env, stderr: 'ignore' })),
	);
	print(`The broker was built, started and connected in ${started}.\n`);

	for (const key of ['catalog-q7v2mx9k', 'wrong-key']) {
		const call = () => client.callTool({ name: 'load_context', arguments: { key } });
		const [result, took] = await timed(call);
		print(`load_context("${key}") answered in ${took}:`);
		if (result.isError) {
			print(JSON.stringify(result._meta?.['context-broker/error'], null, 2));
		} else {
			const [block] = /** @type {{ text: string }[]} */ (result.content);
			if (block?.text !== catalog) throw new Error('what was delivered is not what is in the file');
			print(block.text.replace(/^/gm, '    ').trimEnd());
			print(`${block.text.length} characters, the same as in the file.\n`);
		}
	}
} finally {
	await client.close();
	await rm(data, { recursive: true, force: true });
}
