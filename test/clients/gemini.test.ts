import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type Finished, runProgram } from '../claude/harness/program.ts';
import { brokerEnvironment } from '../support/broker.ts';
import { BOOTSTRAP, PLUGIN_ROOT } from '../support/paths.ts';
import { createUser, type User } from '../support/user.ts';
import { type GeminiModel, type Part, startGeminiModel, toolNames, toolResponses } from './harness/gemini-model.ts';
import { documentedSteps, KEY } from './harness/transcript.ts';

const LOOPBACK_ONLY = fileURLToPath(new URL('harness/loopback-only.cjs', import.meta.url));

/** As Gemini CLI names it to the model. */
const TOOL = 'mcp_context-broker_load_context';

const CONTENT = '# Notes é 漢 😀\r\n\r\n- Jane Doe\n\t- "Joe" <Bloggs> & $co\n\n';

/** A user of Gemini CLI whose key leads to the content. */
interface GeminiUser extends User {
	/** Runs a command line to its end. Nothing of it leaves the loopback interface. */
	run(command: string, model?: GeminiModel): Promise<Finished>;
	/** The connections beyond loopback that were tried, and refused. */
	outward(): Promise<string>;
}

async function createGeminiUser(settings: object = {}): Promise<GeminiUser> {
	const user = await createUser();
	await user.write('notes.md', CONTENT);
	await user.writeMap(`[keys]\n${KEY} = "notes.md"\n`);
	const [folder, project, log] = ['.gemini', 'project', 'outward.log'].map((name) => join(user.home, name)) as [
		string,
		string,
		string,
	];
	await Promise.all([mkdir(folder), mkdir(project), writeFile(log, '')]);
	const own = {
		general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
		// A model of one's choice: else another request asks which one is to answer.
		model: { name: 'gemini-2.5-pro' },
		privacy: { usageStatisticsEnabled: false },
		security: { auth: { selectedType: 'gemini-api-key' } },
		telemetry: { enabled: false },
	};
	await writeFile(join(folder, 'settings.json'), JSON.stringify({ ...own, ...settings }));
	const bin = join(PLUGIN_ROOT, 'test', 'node_modules', '.bin');
	return {
		...user,
		run: (command, model) =>
			runProgram({
				program: 'sh',
				args: ['-c', command],
				cwd: project,
				env: {
					...brokerEnvironment(user.home),
					PATH: `${bin}:${process.env.PATH}`,
					NODE_OPTIONS: `--require=${JSON.stringify(LOOPBACK_ONLY)}`,
					TERM: 'xterm-256color',
					LANG: 'C.UTF-8',
					GEMINI_API_KEY: 'not-a-key',
					...(model && { GOOGLE_GEMINI_BASE_URL: model.url }),
				},
				timeoutMs: 60_000,
			}),
		outward: () => readFile(log, 'utf8'),
	};
}

/** A model that loads with a key, and then gives an answer. */
function loading(key: string, answer: string): Promise<GeminiModel> {
	return startGeminiModel((request): Part => {
		if (toolResponses(request).length > 0) return { text: answer };
		return { functionCall: { name: TOOL, args: { key } } };
	});
}

/** The broker in Gemini CLI's settings. */
const SERVER = { command: process.execPath, args: [BOOTSTRAP] };

test('the model of Gemini CLI gets the content of a key exactly, once it has called, and nothing leaves loopback', async () => {
	const user = await createGeminiUser({ mcpServers: { 'context-broker': { ...SERVER, trust: true } } });
	const model = await loading(KEY, 'The answer.');
	const { stdout, exitCode } = await user.run('gemini --skip-trust -p "Load it."', model);
	expect({ stdout, exitCode }).toEqual({ stdout: 'The answer.\n', exitCode: 0 });
	const [before, after, ...others] = model.requests;
	expect([others, model.strays, await user.outward()]).toEqual([[], [], '']);
	expect(before && toolNames(before).filter((name) => name.startsWith('mcp_'))).toEqual([
		TOOL,
		TOOL.replace('load', 'find'),
	]);
	expect(JSON.stringify(before)).not.toContain('Jane Doe');
	expect(after && toolResponses(after)).toMatchObject([
		// Gemini CLI's own marks around what comes from a server.
		{ name: TOOL, response: { output: `<untrusted_context>\n${CONTENT}\n</untrusted_context>` } },
	]);
});

test('the model of Gemini CLI is told that a key is wrong', async () => {
	const user = await createGeminiUser({ mcpServers: { 'context-broker': { ...SERVER, trust: true } } });
	const model = await loading(`${KEY}x`, 'No such key.');
	const { stdout } = await user.run('gemini --skip-trust -p "Load it."', model);
	expect(stdout).toBe('No such key.\n');
	const [, after] = model.requests;
	expect(JSON.stringify(after && toolResponses(after))).toContain('unknown_key: The context map has no such key. Use');
	expect(JSON.stringify(model.requests)).not.toContain('Jane Doe');
	expect([model.strays, await user.outward()]).toEqual([[], '']);
});

test('headless, Gemini CLI leaves out the tools of a server that is not trusted', async () => {
	const user = await createGeminiUser({ mcpServers: { 'context-broker': SERVER } });
	const model = await startGeminiModel((): Part => ({ text: 'No tool.' }));
	await user.run('gemini --skip-trust -p "Load it."', model);
	expect(model.requests.map(toolNames)).toEqual([expect.not.arrayContaining([TOOL])]);
});

test('what the document says to type into a shell with Gemini CLI prints what it shows', async () => {
	const user = await createGeminiUser();
	const steps = documentedSteps('gemini');
	expect(steps).toHaveLength(2);
	const model = await loading(KEY, steps.at(-1)?.output.trim() ?? '');
	for (const { command, output } of steps) {
		const { stdout, stderr } = await user.run(command, model);
		expect(stdout || stderr).toBe(output);
	}
	expect(model.requests.map((request) => toolResponses(request).length)).toEqual([0, 1]);
	expect(await readFile(join(user.home, '.gemini', 'settings.json'), 'utf8')).toContain(BOOTSTRAP);
	expect([model.strays, await user.outward()]).toEqual([[], '']);
});

test('a connection that leaves the loopback interface would be refused and noted', async () => {
	const user = await createGeminiUser();
	const calls = [
		"fetch('https://fetch.invalid').catch(() => {})",
		"require('https').get('https://get.invalid').on('error', () => {})",
		"require('net').connect(80, 'net.invalid').on('error', () => {})",
	];
	await user.run(`node -e "${calls.join(';')}"`);
	expect((await user.outward()).split('\n').sort()).toEqual([
		'',
		'fetch.invalid:443',
		'get.invalid:443',
		'net.invalid:80',
	]);
});
