import type { MapContent } from '../context-map/parse.ts';
import { BrokerError } from '../errors.ts';
import { type Finding, failure, ok, warning } from './finding.ts';
import type { Patient } from './patient.ts';

const CHECK = 'isolation';

/** Whether programs can be run without a network. What needs it is refused where it can't be. */
export async function checkIsolation({ isolate }: Patient, content: MapContent | undefined): Promise<Finding[]> {
	try {
		await isolate();
		return [ok(CHECK, 'programs can be run without a network: proven now')];
	} catch (error) {
		if (!(error instanceof BrokerError)) throw error;
		const message = `Programs can not be run without a network. ${error.note ?? ''}`.trim();
		const isNeeded = content?.servers.some(({ isolated }) => isolated?.kind === 'stdio' && isolated.withoutNetwork);
		const next =
			'Install bubblewrap, or allow user namespaces. Without it, shell commands are refused in private sessions.';
		return [isNeeded ? failure(CHECK, message, next) : warning(CHECK, message, next)];
	}
}
