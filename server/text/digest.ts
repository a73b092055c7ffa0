import { createRequire } from 'node:module';

/** SHA-256 of a text as UTF-8, in hexadecimal. */
export function sha256(text: string): string {
	return digests().createHash('sha256').update(text).digest('hex');
}

/** Loaded when it is first needed: it takes 4 ms, and a start does without. */
function digests(): typeof import('node:crypto') {
	return createRequire(process.execPath)('node:crypto');
}
