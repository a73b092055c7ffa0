import { createRequire } from 'node:module';

export function sha256(text: string): string {
	// Loaded when it is first needed: that takes 4 ms, and a start does without.
	const { createHash }: typeof import('node:crypto') = createRequire(process.execPath)('node:crypto');
	return createHash('sha256').update(text).digest('hex');
}
