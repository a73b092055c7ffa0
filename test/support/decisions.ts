import { readLog } from '../../server/decision-log/log-reader.ts';
import type { DecisionRecord } from '../../server/decision-log/record.ts';

/** What the log in a data folder holds, the oldest first. */
export async function loggedIn(data: string): Promise<DecisionRecord[]> {
	const records: DecisionRecord[] = [];
	for await (const record of readLog(data)) records.push(record);
	return records;
}
