import { existsSync } from 'node:fs';
import { isOlder, loadsOnlyHeadless, OLDEST_CLAUDE_CODE } from '../claude-code/client.ts';
import { readJson, settingsFiles } from '../claude-code/settings-files.ts';
import { LastSession } from '../record/last-session.ts';
import type { DoctorContext } from './context.ts';
import { type Finding, failure, ok, warning } from './finding.ts';

/** A plugin in the output of `claude plugin list --json`. */
export interface Plugin {
	/** `plugin@marketplace`. */
	readonly id: string;
	readonly version?: string;
	readonly enabled?: boolean;
	readonly installPath?: string;
	/** If the marketplace is a local folder: the folder that Claude Code really reads. */
	readonly readFromFolder?: string;
}

/** The plugins that Claude Code knows. Undefined if it does not answer. */
export async function installedPlugins({ run }: DoctorContext): Promise<readonly Plugin[] | undefined> {
	const output = await run('claude', ['plugin', 'list', '--json']);
	try {
		const list: unknown = JSON.parse(output?.text ?? '');
		return Array.isArray(list) ? (list as Plugin[]).filter(({ id }) => typeof id === 'string') : undefined;
	} catch {
		return undefined;
	}
}

/** Checks Claude Code's version, the plugin in it, and whether its hooks reach the broker. */
export async function checkClaudeCode(
	context: DoctorContext,
	plugins: readonly Plugin[] | undefined,
): Promise<Finding[]> {
	if (!existsSync(context.project)) {
		const next = 'Change to another folder, and run this again.';
		return [
			failure('Claude Code', `The working folder ${context.project} no longer exists, so no program can be run.`, next),
		];
	}
	const output = await context.run('claude', ['--version']);
	const version = /^\d+\.\d+\.\d+/.exec(output?.text ?? '')?.[0];
	if (version === undefined) {
		const next = 'Install it, or run this where you use it. Other MCP clients do not need it.';
		return [warning('Claude Code', 'The program "claude" was not found.', next)];
	}
	const isTooOld = isOlder(version, OLDEST_CLAUDE_CODE);
	return [
		isTooOld
			? failure('Claude Code', `${version} is too old.`, `Update it to ${OLDEST_CLAUDE_CODE} or newer: claude update`)
			: checkRange(version),
		checkPlugin(plugins, context),
		await checkHooks(context),
	];
}

function checkRange(version: string): Finding {
	if (!loadsOnlyHeadless(version)) return ok('Claude Code', version);
	const message = `${version} runs every agent in the background and asks no hook about its answer, so no key is served.`;
	return warning('Claude Code', message, 'Update it: claude update. Sessions of claude -p are not affected.');
}

function checkPlugin(plugins: readonly Plugin[] | undefined, { version }: DoctorContext): Finding {
	if (plugins === undefined) {
		return warning('plugin', 'Claude Code did not list its plugins.', 'Check them yourself: claude plugin list');
	}
	const own = plugins.filter(({ id }) => id.startsWith('context-broker@'));
	const [first] = own;
	if (first === undefined) {
		const next = 'Install it: claude plugin install context-broker@context-broker';
		return warning('plugin', 'It is not installed in Claude Code.', next);
	}
	const enabled = own.find((plugin) => plugin.enabled !== false);
	if (enabled === undefined) {
		return failure('plugin', 'It is installed, but not enabled.', `Enable it: claude plugin enable ${first.id}`);
	}
	const other = enabled.version === version ? '' : ` (this is ${version})`;
	return ok('plugin', `${enabled.id} ${enabled.version ?? ''}, enabled${other}`);
}

async function checkHooks(context: DoctorContext): Promise<Finding> {
	const files = await settingsFiles(context);
	const areOff = await Promise.all(files.map(switchesHooksOff));
	const off = files.find((_, at) => areOff[at]);
	if (off !== undefined) {
		const message = `They are switched off by disableAllHooks in ${off}, so no key is served.`;
		return failure('hooks', message, 'Remove it, then start a new session.');
	}
	const last = await new LastSession(context.data, Date.now).read();
	if (last === undefined) {
		const next =
			'Start a session in Claude Code, let it do something, and run this again. If /mcp shows the broker as failed there, choose Reconnect.';
		return warning('hooks', 'No session of Claude Code has been seen yet.', next);
	}
	const when = new Date(last.connected).toISOString().slice(0, 16).replace('T', ' ');
	const session = `the last session (${when}Z, Claude Code ${last.client})`;
	if (last.asked === undefined) {
		const message = `In ${session} no hook has asked the broker.`;
		return warning('hooks', message, 'If it used a tool, hooks are off: look for disableAllHooks in your settings.');
	}
	return ok('hooks', `reach the broker: seen in ${session}`);
}

async function switchesHooksOff(file: string): Promise<boolean> {
	return Object(await readJson(file).catch(() => undefined)).disableAllHooks === true;
}
