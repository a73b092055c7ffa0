import { type Finding, ok, warning } from './finding.ts';
import type { Patient } from './patient.ts';

/** Node.js and npm. The bootstrap has looked already whether Node.js is new enough. */
export async function checkPrograms({ node, run }: Patient): Promise<Finding[]> {
	const npm = await run('npm', ['--version']);
	return [
		ok('Node.js', node),
		npm?.status === 0
			? ok('npm', npm.text.trim())
			: warning('npm', 'It was not found.', 'Install npm: after an update it gets the packages of Context Broker.'),
	];
}
