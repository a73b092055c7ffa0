import { type KnownTools, reasonOf, stateOf } from '../cli/report.ts';
import { EnvFileError } from '../env-file/errors.ts';
import { readEnvFile } from '../env-file/read.ts';
import { type Finding, failure, ok, warning } from './finding.ts';
import type { Patient } from './patient.ts';

/** Which tools are shown, and why. @param others tools of servers */
export async function checkTools(patient: Patient, others: KnownTools): Promise<Finding[]> {
	try {
		const text = await readEnvFile(patient.envFile());
		const all = { ...others, tools: [...patient.tools, ...others.tools] };
		const { tools, warnings } = stateOf(text, patient.environment, all);
		const [own, ofServers] = [tools.slice(0, patient.tools.length), tools.slice(patient.tools.length)];
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
