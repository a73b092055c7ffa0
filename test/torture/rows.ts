import type { Row } from './row.ts';
import { calls } from './rows/calls.ts';

/** All rows, in the order of the table. */
export const ROWS: readonly Row[] = [calls];
