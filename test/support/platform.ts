import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished } from 'vitest';

/** Until the test ends, this process takes itself for one on that system. */
export function pretendPlatform(platform: NodeJS.Platform): void {
	const own = process.platform;
	const set = (value: NodeJS.Platform) => Object.defineProperty(process, 'platform', { value });
	set(platform);
	onTestFinished(() => void set(own));
}

/** Until the test ends, a function of `node:fs` fails with a code for some paths; also if it was imported by its name. */
export function failFor(
	name: 'openSync' | 'renameSync' | 'rmSync',
	code: string,
	isConcerned: (...paths: string[]) => boolean,
): void {
	const own = fs[name] as (...args: unknown[]) => unknown;
	const set = (value: unknown) => {
		Object.assign(fs, { [name]: value });
		syncBuiltinESMExports();
	};
	set((...args: unknown[]) => {
		if (isConcerned(...args.map(String))) throw Object.assign(new Error(code), { code });
		return own(...args);
	});
	onTestFinished(() => set(own));
}
