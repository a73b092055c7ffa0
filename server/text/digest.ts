import { createRequire } from 'node:module';

export function sha256(text: string): string {
	// Loaded on first use: loading takes 4 ms, and a start does not need it.
	const { createHash }: typeof import('node:crypto') = createRequire(process.execPath)('node:crypto');
	return createHash('sha256').update(text).digest('hex');
}
