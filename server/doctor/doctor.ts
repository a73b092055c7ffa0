import { checkAgents } from './agents.ts';
import { checkClaudeCode, installedPlugins } from './claude-code.ts';
import { checkDataFolder } from './data-folder.ts';
import type { Finding } from './finding.ts';
import { checkIsolation } from './isolation.ts';
import { checkKeys } from './keys.ts';
import { checkMap } from './map.ts';
import type { Patient } from './patient.ts';
import { checkPrograms } from './programs.ts';
import { checkServers } from './servers.ts';
import { checkTools } from './tools.ts';

/** Looks at all that has to be right for the broker to work, in the order in which it is to be put right. */
export async function examine(patient: Patient): Promise<Finding[]> {
	const { findings: map, content } = await checkMap(patient);
	const plugins = installedPlugins(patient);
	const servers = content && checkServers(patient, content);
	const found = await Promise.all([
		checkPrograms(patient),
		checkDataFolder(patient),
		plugins.then((list) => checkClaudeCode(patient, list)),
		map,
		content ? checkKeys(patient, content) : [],
		content ? plugins.then((list) => checkAgents(patient, content, list)) : [],
		servers?.then(({ findings }) => findings) ?? [],
		Promise.resolve(servers).then((found) => checkTools(patient, found?.tools ?? [])),
		checkIsolation(patient, content),
	]);
	return found.flat();
}
