import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KnownTools, reasonOf, stateOf } from '../cli/report.ts';
import type { MapContent } from '../context-map/parse.ts';
import { EnvFileError, readEnvFile } from '../env-file/env-file.ts';
import { BrokerError } from '../errors.ts';
import type { DoctorContext } from './context.ts';
import { type Finding, failure, ok, warning } from './finding.ts';

/** Node.js is always ok here: the bootstrap has checked its version. */
export async function checkPrograms({ node, run }: DoctorContext): Promise<Finding[]> {
	const npm = await run('npm', ['--version']);
	return [
		ok('Node.js', node),
		npm?.status === 0
			? ok('npm', npm.text.trim())
			: warning('npm', 'It was not found.', 'Install npm: it gets the packages of Context Broker after an update.'),
	];
}

/** Checks the folder of the build and of all files that outlast a session. */
export async function checkDataFolder({ data }: DoctorContext): Promise<Finding[]> {
	const check = 'data folder';
	const notBuilt = warning(check, `${data} contains no build yet.`, 'Start a session: the first one makes it.');
	if (!existsSync(data)) {
		return [warning(check, `${data} does not exist yet.`, 'Start a session: the first one makes the folder.')];
	}
	try {
		accessSync(data, constants.R_OK | constants.W_OK | constants.X_OK);
		const isBuilt = readdirSync(join(data, 'builds')).some((name) => name.endsWith('.cjs'));
		return [isBuilt ? ok(check, data) : notBuilt];
	} catch (error) {
		const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
		if (code === 'ENOENT') return [notBuilt];
		const next = 'Make it a folder that your account can read and write.';
		return [failure(check, `${data} cannot be used (${code}).`, next)];
	}
}

export async function checkIsolation(context: DoctorContext, content: MapContent | undefined): Promise<Finding[]> {
	const check = 'isolation';
	try {
		await context.isolate();
		return [ok(check, 'programs can be run without a network: proven now')];
	} catch (error) {
		if (!(error instanceof BrokerError)) throw error;
		const isNeeded = content?.servers.some(({ isolated }) => isolated?.kind === 'stdio' && isolated.withoutNetwork);
		const message = `Programs cannot be run without a network. ${error.note ?? ''}`.trim();
		const next = `${waysToIsolate(context)} Until then, shell commands are refused in private sessions.`;
		if (isNeeded) return [failure(check, message, next)];
		return [context.platform === 'win32' ? ok(check, NONE_ON_WINDOWS) : warning(check, message, next)];
	}
}

/** Nothing that anybody could put right. */
const NONE_ON_WINDOWS = 'not possible on Windows, so shell commands are refused in private sessions';

function waysToIsolate({ platform, namespaceRestriction = NAMESPACE_RESTRICTION }: DoctorContext): string {
	if (platform === 'win32')
		return 'Windows has no way to do it. Replace isolate_network in the map with when_private = "refuse".';
	if (platform === 'darwin') return 'sandbox-exec of macOS does not work inside another sandbox: run it outside.';
	if (!isSet(namespaceRestriction)) return 'Install bubblewrap, or allow user namespaces.';
	return 'This system (Ubuntu 24.04 or newer) restricts user namespaces. Allow them: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0';
}

const NAMESPACE_RESTRICTION = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns';

function isSet(file: string): boolean {
	try {
		return readFileSync(file, 'utf8').trim() !== '0';
	} catch {
		return false; // This kernel has no such restriction.
	}
}

/** @param others the servers' tools */
export async function checkTools(context: DoctorContext, others: KnownTools): Promise<Finding[]> {
	try {
		const text = await readEnvFile(context.envFile());
		const all = { ...others, tools: [...context.tools, ...others.tools] };
		const { tools, warnings } = stateOf(text, context.environment, all);
		const [own, ofServers] = [tools.slice(0, context.tools.length), tools.slice(context.tools.length)];
		const shown = ofServers.filter((tool) => tool.shown).length;
		return [
			...own.map((tool) => ok(tool.shown ? 'shown' : 'hidden', `${tool.name}: ${reasonOf(tool)}`)),
			...(ofServers.length === 0 ? [] : [ok('shown', `${shown} of the ${ofServers.length} tools of servers`)]),
			...warnings.map((sentence) => warning('tools', sentence, 'See it with: context-broker tools list')),
		];
	} catch (error) {
		if (!(error instanceof EnvFileError)) throw error;
		return [failure('tools', `None is shown. ${error.message}`, 'Correct the env file.')];
	}
}
