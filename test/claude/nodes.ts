import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const MANIFEST = new URL('../nodes/package.json', import.meta.url);

/**
 * The folder of a Node.js of another version, which npm brings, or of the one that runs the tests.
 *
 * @returns undefined where npm has none for this platform
 */
export function nodeFolder(major: number): string | undefined {
	if (process.versions.node.startsWith(`${major}.`)) return dirname(process.execPath);
	try {
		return join(dirname(createRequire(MANIFEST).resolve(`node-${major}/package.json`)), 'bin');
	} catch {
		return undefined;
	}
}
