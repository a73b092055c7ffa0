import { realpath } from 'node:fs/promises';
import { hiddenBy, sandboxThatHides } from '../claude-code/sandbox.ts';
import { settingsFiles, settingsOfUser } from '../claude-code/settings-files.ts';
import type { MapContent } from '../context-map/parse.ts';
import type { DoctorContext } from './context.ts';
import { advice, type Finding, ok } from './finding.ts';

const CHECK = 'sandbox';

/** Whether Claude Code's own sandbox hides the private files from shell commands. */
export async function checkSandbox(context: DoctorContext, { entries }: MapContent): Promise<Finding[]> {
	const { home, map, platform, project } = context;
	if (platform === 'win32') return [];
	const paths = await Promise.all([...entries.values()].map((each) => realpath(map.resolve(each)).catch(() => '')));
	const files = [...new Set(paths)].filter((path) => path !== '');
	if (files.length === 0) return [];
	const { user, managed } = await settingsOfUser(context);
	const isHidden = await hiddenBy([user, ...managed], home);
	if (!files.every(isHidden)) {
		const message = 'Claude Code can hide the private files from all shell commands, but is not set up to do so.';
		const value = { sandbox: await sandboxThatHides(files, user, home) };
		const install = platform === 'linux' ? 'install bubblewrap and socat, and ' : '';
		const next = `To set it up, ${install}put this "sandbox" into ${user}. It has other effects too: see docs/protection.md.`;
		return [advice(CHECK, message, `${next}\n${JSON.stringify(value, null, 2)}`)];
	}
	if (!files.every(await hiddenBy(await settingsFiles(context), home))) {
		const message = 'The settings of this project let shell commands reach the private files.';
		return [advice(CHECK, message, `Check "sandbox" in the settings in ${project}/.claude.`)];
	}
	return [ok(CHECK, 'Claude Code hides the private files from all shell commands')];
}
