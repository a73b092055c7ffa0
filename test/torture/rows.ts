import type { Row } from './row.ts';
import { calls } from './rows/calls.ts';
import { faults } from './rows/faults.ts';
import { firstSessions } from './rows/first-sessions.ts';
import { hostileFiles } from './rows/hostile-files.ts';
import { hostileMaps } from './rows/hostile-maps.ts';
import { hostileProtocol } from './rows/hostile-protocol.ts';
import { killedFirstStarts } from './rows/killed-first-starts.ts';

/** All rows, in the order of the table. */
export const ROWS: readonly Row[] = [
	hostileProtocol,
	hostileMaps,
	hostileFiles,
	firstSessions,
	killedFirstStarts,
	faults,
	calls,
];
