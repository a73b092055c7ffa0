import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { LOAD_CONTEXT } from '../../server/claude-code/tools.ts';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { type ClientCommand, runClient, type SessionResult } from './harness/client.ts';
import { type Delegation, delegate, type ToolCall } from './harness/delegation.ts';
import { createHome, type Home, writeMap, writePrivate } from './harness/home.ts';
import { type Model, type Script, startModel } from './harness/model.ts';
import { type DeliveredResult, toolResults } from './harness/request.ts';
import { CATALOG } from './markers.ts';

/** What the user says in each session. */
export const PROMPT = 'Please do a privacy scan.';

/** The plugin's data folder within a home, for a plugin that `--plugin-dir` names. */
export const DATA_FOLDER = join('.claude', 'plugins', 'data', 'context-broker-inline');

export const SCANNER = 'context-broker:privacy-scanner';

/** What makes a call of the tool, for the key of {@link userWithKey}. */
export const LOAD: ToolCall = { tool: LOAD_CONTEXT, input: { key: 'k' } };

/** A home and a project that last as long as the running test; no session has been in them. */
export async function freshHome(files?: Readonly<Record<string, string>>): Promise<Home> {
	const home = await createHome(files);
	onTestFinished(home.remove);
	return home;
}

/** As after a session: with what the hook builds at the first one, which takes longer than all else of a session. */
export async function homeForTest(files?: Readonly<Record<string, string>>): Promise<Home> {
	const home = await freshHome(files);
	const builds = join(inject('preparedData'), 'builds');
	await cp(builds, join(home.home, DATA_FOLDER, 'builds'), { recursive: true, preserveTimestamps: true });
	return home;
}

/** A user with one key, `k`, which leads to the catalog. @param agents as the map names them, if it does */
export async function userWithKey(...agents: readonly string[]): Promise<Home> {
	const user = await homeForTest();
	await writePrivate(user.home, 'catalog.md', CATALOG);
	await listAgents(user.home, ...agents);
	return user;
}

/** Adds an agent to the `.claude` folder of a home or a project. @param tools as in its frontmatter */
export async function addAgent(folder: string, name: string, tools: string = LOAD_CONTEXT): Promise<void> {
	await mkdir(join(folder, '.claude', 'agents'), { recursive: true });
	const text = `---\nname: "${name}"\ndescription: Reads.\ntools: ${tools}\n---\nYou read.\n`;
	await writeFile(join(folder, '.claude', 'agents', 'agent.md'), text);
}

/** Writes the map of {@link userWithKey} anew. */
export async function listAgents(home: string, ...agents: readonly string[]): Promise<void> {
	const listed = agents.length > 0 ? `agents = ${JSON.stringify(agents)}\n` : '';
	await writeMap(home, `[keys.k]\npath = "catalog.md"\n${listed}`);
}

/** A session of the given user with the plugin. */
export interface BrokerSession extends Pick<Home, 'home' | 'project'>, Pick<ClientCommand, 'within'> {
	readonly version: string;
	/** By default the plugin is taken from this checkout, and the user has allowed nothing. */
	readonly args?: readonly string[];
	/** Beyond these. */
	readonly extraArgs?: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
}

/** Runs a session in which the model says what a script says. */
export async function brokerSession(
	{ home, project, args = ['--plugin-dir', PLUGIN_ROOT], extraArgs = [], ...command }: BrokerSession,
	script: Script,
): Promise<{ session: SessionResult; model: Model }> {
	const model = await startModel(script);
	onTestFinished(() => model.close());
	return {
		session: await runClient({ ...command, home, cwd: project, model, prompt: PROMPT, args: [...args, ...extraArgs] }),
		model,
	};
}

export interface ScanSession {
	readonly session: SessionResult;
	readonly scan: Delegation;
	readonly model: Model;
}

interface ScanOptions extends BrokerSession {
	/** The keys that the scanner loads, one after the other. */
	readonly keys: readonly string[];
	/** By default the privacy scanner. */
	readonly type?: string;
}

/** A session in which the main agent asks an agent for a scan, and that agent loads private context. */
export async function scanSession({ keys, type = SCANNER, ...options }: ScanOptions): Promise<ScanSession> {
	const scan = delegate({
		type,
		background: false,
		calls: keys.map((key) => ({ tool: LOAD_CONTEXT, input: { key } })),
		answer: () => 'Nothing found.',
	});
	return { ...(await brokerSession(options, scan.script)), scan };
}

/** A session in which the main agent calls tools itself, one a turn. A continued one has results from before. */
export async function mainSession(
	session: BrokerSession,
	calls: readonly ToolCall[],
): Promise<{ results: readonly DeliveredResult[]; model: Model }> {
	let before: number | undefined;
	const { model } = await brokerSession(session, (request) => {
		const count = toolResults(request).length;
		before ??= count;
		return calls[count - before] ?? { text: 'Done.' };
	});
	const newest = model.requests.findLast(({ agent }) => agent === 'main');
	return { results: newest === undefined ? [] : toolResults(newest), model };
}
