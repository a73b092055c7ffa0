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

/** Until the test ends, files have numbers of NTFS: 64 bits, of which a `number` keeps the first 53. */
export function pretendNtfs(): void {
	const known = new Map<string, bigint>();
	for (const name of ['statSync', 'fstatSync'] as const) {
		const own = fs[name] as (...args: unknown[]) => fs.Stats | fs.BigIntStats | undefined;
		replace(name, (...args) => {
			const stats = own(...args);
			if (stats === undefined) return undefined;
			const given = String(stats.ino);
			const number = known.get(given) ?? 2n ** 60n + BigInt(known.size);
			known.set(given, number);
			return Object.assign(stats, { ino: typeof stats.ino === 'bigint' ? number : Number(number) });
		});
	}
}

/** Until the test ends, a function of `node:fs` fails with a code for some paths; also if it was imported by its name. */
export function failFor(
	name: 'lstatSync' | 'openSync' | 'renameSync' | 'rmSync' | 'statSync',
	code: string,
	isConcerned: (...paths: string[]) => boolean,
): void {
	const own = fs[name] as (...args: unknown[]) => unknown;
	replace(name, (...args) => {
		if (isConcerned(...args.map(String))) throw Object.assign(new Error(code), { code });
		return own(...args);
	});
}

function replace(name: keyof typeof fs, by: (...args: unknown[]) => unknown): void {
	const own = fs[name];
	const set = (value: unknown) => {
		Object.assign(fs, { [name]: value });
		syncBuiltinESMExports();
	};
	set(by);
	onTestFinished(() => set(own));
}
