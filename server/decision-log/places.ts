import { join } from 'node:path';
import type { BoundedFile } from './make-room.ts';

/** In bytes; with the older file there are twice as many. A line has about 250. */
const LIMIT = 1024 * 1024;

/** The log in a data folder, and the folder that it has there. */
export function logIn(data: string): BoundedFile & { readonly folder: string } {
	const folder = join(data, 'decisions');
	return { folder, file: join(folder, 'log.jsonl'), older: join(folder, 'log.1.jsonl'), limit: LIMIT };
}
