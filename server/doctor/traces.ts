import { existsSync } from 'node:fs';
import { transcriptOf } from '../claude-code/session-files.ts';
import type { MapContent } from '../context-map/parse.ts';
import { Journal } from '../record/journal.ts';
import { isRunning } from '../traces/is-running.ts';
import type { DoctorContext } from './context.ts';
import { type Finding, warning } from './finding.ts';

const CHECK = 'traces';

/** Reports transcripts of ended sessions that still contain private files. */
export async function checkTraces({ data }: DoctorContext, content: MapContent | undefined): Promise<Finding[]> {
	const loads = await new Journal(data, Date.now, () => {}).loads();
	const over = loads.filter(({ client }) => client === undefined || !isRunning(client));
	const transcripts = [...new Set(over.map(transcriptOf))].filter(existsSync);
	const why = content?.off.includes('traces') ? 'traces = false in the map keeps it' : 'it is not cleaned yet';
	const next =
		'Start a session with the plugin: it cleans what is left. If this stays, make sure that your account can change the file and its folder, and that the disk is not full. Or delete the file.';
	return transcripts.map((path) => warning(CHECK, `${path} contains text that an agent has loaded: ${why}.`, next));
}
