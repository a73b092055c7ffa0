import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds between two looks at all processes. */
const INTERVAL = 100;

/** The processes but this one that have one of these texts in their command line or environment. */
export function processesNaming(...texts: readonly string[]): number[] {
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
		.filter((name) => texts.some((text) => textOf(name).includes(text)))
		.map(Number);
}

/** The command line of a process, its parts between blanks; empty where it is gone. */
export function commandLine(pid: number): string {
	return read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
}

/** One that has ended and was not waited for has neither of them. */
function textOf(pid: string): string {
	return `${read(`/proc/${pid}/cmdline`)}\0${read(`/proc/${pid}/environ`)}`;
}

function read(file: string): string {
	try {
		return readFileSync(file, 'utf8');
	} catch {
		return ''; // It has ended meanwhile.
	}
}

/**
 * Looks again and again.
 *
 * @param limit milliseconds
 * @param interval milliseconds between two looks
 * @returns what `look` gave when it gave something, or undefined when the time was over
 */
export async function until<T>(
	look: () => T | undefined | false,
	limit: number,
	interval = INTERVAL,
): Promise<T | undefined> {
	const end = performance.now() + limit;
	for (;;) {
		const found = look();
		if (found !== undefined && found !== false) return found;
		if (performance.now() > end) return undefined;
		await delay(interval);
	}
}

/** Waits until none has one of these texts. @returns those that are still there after `limit` milliseconds */
export async function survivors(texts: readonly string[], limit: number): Promise<readonly number[]> {
	const none = await until(() => processesNaming(...texts).length === 0, limit);
	return none === true ? [] : processesNaming(...texts);
}
