import { createHash } from 'node:crypto';

/** Stands for a text: texts themselves would take their time from one process to the other. */
export function digest(text: string): string {
	return createHash('sha256').update(text, 'utf16le').digest('base64');
}
