import { onTestFinished } from 'vitest';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { runClient, type SessionResult } from './harness/client.ts';
import { type Delegation, delegate } from './harness/delegation.ts';
import { createHome, type Home } from './harness/home.ts';
import { type Model, startModel } from './harness/model.ts';

const SCANNER = 'context-broker:privacy-scanner';
export const LOAD_CONTEXT = 'mcp__plugin_context-broker_broker__load_context';

/** A home and a project that last as long as the running test. */
export async function homeForTest(files?: Readonly<Record<string, string>>): Promise<Home> {
	const home = await createHome(files);
	onTestFinished(home.remove);
	return home;
}

export interface ScanSession {
	readonly session: SessionResult;
	readonly scan: Delegation;
	readonly model: Model;
}

interface ScanOptions extends Pick<Home, 'home' | 'project'> {
	readonly version: string;
	/** The keys that the scanner loads, one after the other. */
	readonly keys: readonly string[];
	/** By default the privacy scanner. */
	readonly type?: string;
	/** Whether the user has allowed the tool beforehand, as by default. */
	readonly allowed?: boolean;
	/** By default the plugin is taken from this checkout. */
	readonly args?: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
}

/** A session in which the main agent asks an agent for a scan, and that agent loads private context. */
export async function scanSession(options: ScanOptions): Promise<ScanSession> {
	const { version, home, project, keys, type = SCANNER, allowed = true, env = {} } = options;
	const { args = ['--plugin-dir', PLUGIN_ROOT] } = options;
	const scan = delegate({
		type,
		background: false,
		calls: keys.map((key) => ({ tool: LOAD_CONTEXT, input: { key } })),
		answer: () => 'Nothing found.',
	});
	const model = await startModel(scan.script);
	onTestFinished(() => model.close());
	const session = await runClient({
		version,
		home,
		cwd: project,
		model,
		prompt: 'Please do a privacy scan.',
		args: [...args, ...(allowed ? ['--allowedTools', LOAD_CONTEXT] : [])],
		env,
	});
	return { session, scan, model };
}
