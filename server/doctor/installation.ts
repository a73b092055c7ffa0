import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
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

export async function checkIsolation({ isolate }: DoctorContext, content: MapContent | undefined): Promise<Finding[]> {
	const check = 'isolation';
	try {
		await isolate();
		return [ok(check, 'programs can be run without a network: proven now')];
	} catch (error) {
		if (!(error instanceof BrokerError)) throw error;
		const isNeeded = content?.servers.some(({ isolated }) => isolated?.kind === 'stdio' && isolated.withoutNetwork);
		const message = `Programs cannot be run without a network. ${error.note ?? ''}`.trim();
		const next =
			'Install bubblewrap, or allow user namespaces. Until then, shell commands are refused in private sessions.';
		return [(isNeeded ? failure : warning)(check, message, next)];
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
