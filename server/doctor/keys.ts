import { realpathSync } from 'node:fs';
import type { Entry, MapContent } from '../context-map/parse.ts';
import { BrokerError } from '../errors.ts';
import { CONTENT_LIMIT, readMarkdown } from '../files/read-markdown.ts';
import { checkPlace } from './files.ts';
import { type Finding, failure, ok, warning } from './finding.ts';
import type { Patient } from './patient.ts';

/** Part of the limit from which on a file is said to come near it. */
const NEAR = 0.9;

/** What each key leads to: a line for all that is well, and one for each fault. */
export async function checkKeys(patient: Patient, { entries, faults, isolation }: MapContent): Promise<Finding[]> {
	if (entries.size === 0) {
		// Servers, and tools that run in a subagent, need none.
		if (faults.length > 0 || isolation.length > 0) return [];
		return [warning('keys', 'The map has none.', 'Add one below [keys]: key = "path of a Markdown file"')];
	}
	const found = await Promise.all([...entries].map(([key, entry]) => checkKey(patient, key, entry)));
	const good = found.filter((findings) => findings.every(({ status }) => status !== 'failure')).length;
	const summary = good === 0 ? [] : [ok('keys', `${good} of ${entries.size} lead to a file that can be loaded`)];
	return [...summary, ...found.flat(), ...(await checkPlace('map', realpathSync(patient.map.file), patient))];
}

async function checkKey(patient: Patient, key: string, entry: Entry): Promise<Finding[]> {
	const check = `key ${shortened(key)}`;
	const path = patient.map.resolve(entry);
	try {
		const { length } = await readMarkdown(path);
		const share = length / CONTENT_LIMIT;
		const near = `${path} has ${length} characters; the limit is ${CONTENT_LIMIT}.`;
		return [
			...(share > NEAR ? [warning(check, near, 'Split it before it grows further.')] : []),
			...(await checkPlace(check, realpathSync(path), patient)),
		];
	} catch (error) {
		if (!(error instanceof BrokerError)) throw error;
		return [
			failure(check, `${path}: ${error.message}`, NEXT[error.code] ?? 'Correct the file, or its path in the map.'),
		];
	}
}

const NEXT: Partial<Record<BrokerError['code'], string>> = {
	file_missing: 'Create the file, or correct its path in the map.',
	file_unreadable: 'Make it a file that your account may read.',
	not_markdown: 'Give the file a name that ends in .md, and correct the path in the map.',
	too_large: 'Split it into several files with a key each.',
	not_text: 'Save it as UTF-8.',
};

/** As much of a key as tells its owner which one it is. */
export function shortened(key: string): string {
	return `${key.slice(0, Math.min(4, Math.floor(key.length / 3)))}…`;
}
