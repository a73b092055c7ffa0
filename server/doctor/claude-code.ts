import { existsSync } from 'node:fs';
import { isOlder, loadsWithoutPersonOnly, OLDEST_CLAUDE_CODE } from '../claude-code/client.ts';
import { readJson, settingsFiles } from '../claude-code/settings-files.ts';
import { LastSession } from '../record/last-session.ts';
import { type Finding, failure, ok, warning } from './finding.ts';
import type { Patient } from './patient.ts';

/** A plugin, as `claude plugin list --json` tells of it. */
export interface Plugin {
	/** `plugin@marketplace`. */
	readonly id: string;
	readonly version?: string;
	readonly enabled?: boolean;
	readonly installPath?: string;
	/** Where the marketplace is a local folder: what is really read. */
	readonly readFromFolder?: string;
}

/** The plugins that Claude Code knows; undefined where there is none to ask. */
export async function installedPlugins({ run }: Patient): Promise<readonly Plugin[] | undefined> {
	const said = await run('claude', ['plugin', 'list', '--json']);
	try {
		const list: unknown = JSON.parse(said?.text ?? '');
		return Array.isArray(list) ? (list as Plugin[]).filter(({ id }) => typeof id === 'string') : undefined;
	} catch {
		return undefined;
	}
}

/** Claude Code: which, whether it has the plugin, and whether its hooks reach the broker. */
export async function checkClaudeCode(patient: Patient, plugins: readonly Plugin[] | undefined): Promise<Finding[]> {
	if (!existsSync(patient.project)) {
		const next = 'Change to another folder, and run this again.';
		return [failure('Claude Code', `The working folder ${patient.project} is gone, so no program can be run.`, next)];
	}
	const said = await patient.run('claude', ['--version']);
	const version = /^\d+\.\d+\.\d+/.exec(said?.text ?? '')?.[0];
	if (version === undefined) {
		const next = 'Install it, or run this where you use it. Another MCP client needs none.';
		return [warning('Claude Code', 'The program "claude" was not found.', next)];
	}
	const isTooOld = isOlder(version, OLDEST_CLAUDE_CODE);
	return [
		isTooOld
			? failure('Claude Code', `${version} is too old.`, `Update it to ${OLDEST_CLAUDE_CODE} or newer: claude update`)
			: checkRange(version),
		checkPlugin(plugins, patient),
		await checkHooks(patient),
	];
}

function checkRange(version: string): Finding {
	if (!loadsWithoutPersonOnly(version)) return ok('Claude Code', version);
	const message = `${version} runs every agent in the background and asks no hook about its answer, so nothing is loaded.`;
	return warning('Claude Code', message, 'Update it: claude update. Sessions of claude -p are not concerned.');
}

function checkPlugin(plugins: readonly Plugin[] | undefined, { version }: Patient): Finding {
	if (plugins === undefined) {
		return warning('plugin', 'Claude Code did not tell its plugins.', 'Look yourself: claude plugin list');
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

async function checkHooks(patient: Patient): Promise<Finding> {
	const files = await settingsFiles(patient);
	const areOff = await Promise.all(files.map(switchesHooksOff));
	const off = files.find((_, at) => areOff[at]);
	if (off !== undefined) {
		const message = `They are switched off by disableAllHooks in ${off}, so no key is served.`;
		return failure('hooks', message, 'Remove it there, and start a new session.');
	}
	const last = await new LastSession(patient.data, Date.now).read();
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
