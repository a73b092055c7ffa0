import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES } from '../../../server/errors.ts';
import type { Row, Run } from '../row.ts';
import { withFolder } from '../support/folder.ts';
import { CHANGES } from './hostile-files/changes.ts';
import { Reader } from './hostile-files/client.ts';
import { CONTENTS } from './hostile-files/contents.ts';
import { digest } from './hostile-files/digest.ts';
import type { HostileFile, Outcomes } from './hostile-files/file.ts';
import { PLACES } from './hostile-files/places.ts';

/** So many are read at once. */
const TOGETHER = 25;

/** Milliseconds for which files that change are read, over and over. */
const READING = 320;

/** Milliseconds for which they are changed at most: in bursts, since what changes all the time is not read at all. */
const MEDDLING = { whole: 400, burst: 60, pause: 100 };

/** Where more is done to a file, there is more to go wrong. */
const KINDS = [
	...Object.entries(CONTENTS),
	...Object.entries(PLACES),
	...Object.entries(CHANGES),
	...Object.entries(CHANGES),
];

/** One of the files. */
interface Try {
	readonly index: number;
	readonly kind: string;
	readonly file: HostileFile;
	readonly remembers: boolean;
}

/** The reader of files behind keys. */
export const hostileFiles: Row = {
	name: 'hostile files behind keys',
	holds: 'one version or the right code, never a hang',
	full: 2_000,
	short: 300,
	seconds: [80, 15],
	unavailable: () => (process.platform === 'win32' ? 'no FIFOs' : undefined),
	run: async (run) => {
		const reader = await Reader.create();
		try {
			for (let first = 0; first < run.count && !run.isLate(); first += TOGETHER) {
				await withFolder((folder) => readTogether(run, reader, folder, first));
			}
		} finally {
			reader.end();
		}
	},
};

async function readTogether(run: Run, reader: Reader, folder: string, first: number): Promise<void> {
	const tries: Try[] = [];
	try {
		for (let index = first; index < Math.min(first + TOGETHER, run.count); index++) {
			tries.push(await made(run, folder, index));
		}
		const during = reader.read(tries.map((each) => request(each, each.file.meddle === undefined ? 0 : READING)));
		await meddled(tries, during);
		judge(run, tries, await during, ({ may }) => may);
		const changed = tries.filter(({ file }) => file.last !== undefined);
		const afterwards = await reader.read(changed.map((each) => request(each, 0)));
		judge(run, changed, afterwards, ({ may, last }) => last?.() ?? may);
		run.tried(tries.length);
	} finally {
		for (const { file } of tries) file.close?.();
	}
}

async function made(run: Run, folder: string, index: number): Promise<Try> {
	const random = run.random(index);
	const [kind, make] = random.pick(KINDS);
	const own = join(folder, String(index));
	mkdirSync(own);
	return { index, kind, file: await make({ folder: own, random }), remembers: random.chance(0.5) };
}

function request({ index, file, remembers }: Try, ms: number) {
	return { number: index, path: file.path, remembers, ms };
}

/** Changes the files, over and over, until they are read. */
async function meddled(tries: readonly Try[], reading: Promise<unknown>): Promise<void> {
	let isOver = false;
	const over = reading.finally(() => {
		isOver = true;
	});
	const begun = performance.now();
	for (let ms = 0; !isOver && ms < MEDDLING.whole; ms = performance.now() - begun) {
		const isBurst = ms % (MEDDLING.burst + MEDDLING.pause) < MEDDLING.burst;
		if (isBurst) for (const { file } of tries) file.meddle?.();
		await new Promise(isBurst ? setImmediate : (resolve) => setTimeout(resolve, 1));
	}
	await over;
}

function judge(
	run: Run,
	tries: readonly Try[],
	replies: ReadonlyMap<number, readonly string[]>,
	allowed: (file: HostileFile) => Outcomes,
): void {
	for (const { index, kind, file } of tries) {
		const { texts = [], codes = [] } = allowed(file);
		const expected = new Set([...texts.map(digest), ...codes]);
		const outcomes = replies.get(index);
		if (outcomes === undefined) run.fail(index, `${kind}: the reader hangs or has ended`);
		const wrong = outcomes?.find((outcome) => !expected.has(outcome));
		if (wrong !== undefined) run.fail(index, `${kind}: ${told(wrong)} where it is one of ${[...expected].map(told)}`);
	}
}

function told(outcome: string): string {
	return /^[\w+/=]{44}$/.test(outcome) && !ERROR_CODES.some((code) => code === outcome) ? 'a text' : outcome;
}
