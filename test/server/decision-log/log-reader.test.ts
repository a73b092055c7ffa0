import { appendFile, mkdir, open, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { readLog } from '../../../server/decision-log/log-reader.ts';
import { lineOf } from '../../../server/decision-log/record.ts';
import { loggedIn } from '../../support/decisions.ts';
import { temporaryFolder } from '../../support/temporary.ts';

let data: string;
let folder: string;
let file: string;
let older: string;

beforeEach(async () => {
	data = await temporaryFolder();
	folder = join(data, 'decisions');
	[file, older] = [join(folder, 'log.jsonl'), join(folder, 'log.1.jsonl')];
	await mkdir(folder);
});

const line = (at: number) => lineOf({ at, session: 's1', tool: 'é😀', outcome: 'permitted' });

async function numbers(): Promise<number[]> {
	return (await loggedIn(data)).map(({ at }) => at);
}

interface Follower {
	readonly got: readonly number[];
	/** Has it look once more. @returns what it has got by that */
	look(): Promise<number[]>;
	end(): Promise<void>;
}

/** A follower that looks when it is told. */
async function follow(): Promise<Follower> {
	const interruption = new AbortController();
	const got: number[] = [];
	let wake = () => {};
	let rest = () => {};
	const nextRest = () =>
		new Promise<void>((resolve) => {
			rest = resolve;
		});
	const pause = () => {
		rest();
		return new Promise<void>((resolve) => {
			wake = resolve;
		});
	};
	const isReady = nextRest();
	const ended = (async () => {
		for await (const { at } of readLog(data, interruption.signal, pause)) got.push(at);
	})();
	await isReady;
	const end = async () => {
		interruption.abort();
		wake();
		await ended;
	};
	onTestFinished(end);
	const look = async () => {
		const before = got.length;
		const isOver = nextRest();
		wake();
		await isOver;
		return got.slice(before);
	};
	return { got, look, end };
}

const turnOver = async () => await rename(file, older);

test('the older file comes first; what is no record is left out', async () => {
	expect(await numbers()).toEqual([]);
	await writeFile(older, line(1) + line(2));
	expect(await numbers()).toEqual([1, 2]);
	await writeFile(file, `${line(3)}{"at":\n\n${line(4)}${line(5).slice(0, -1)}`);
	expect(await numbers()).toEqual([1, 2, 3, 4]);
});

test('a folder that is not there has no decisions', async () => {
	await rm(folder, { recursive: true });
	expect(await numbers()).toEqual([]);
});

test('a follower gets what is added, also in pieces, and ends when it is told', async () => {
	const { got, look, end } = await follow();
	await writeFile(file, line(1));
	expect(await look()).toEqual([1]);
	const bytes = Buffer.from(line(2) + line(3));
	// Within a letter of two bytes.
	const middle = bytes.indexOf('é') + 1;
	await appendFile(file, bytes.subarray(0, middle));
	expect(await look()).toEqual([]);
	await appendFile(file, bytes.subarray(middle));
	expect(await look()).toEqual([2, 3]);
	await end();
	await appendFile(file, line(4));
	expect(got).toEqual([1, 2, 3]);
});

test('a follower looks by itself, until it is told to end', async () => {
	const interruption = new AbortController();
	await writeFile(file, line(1));
	const got: number[] = [];
	for await (const { at } of readLog(data, interruption.signal)) {
		got.push(at);
		if (at === 1) await appendFile(file, line(2));
		else interruption.abort();
	}
	expect(got).toEqual([1, 2]);
});

test('a follower stays with the log when it is put aside, and gets each line once', async () => {
	await writeFile(older, line(1));
	await writeFile(file, line(2));
	const { got, look } = await follow();
	expect(got).toEqual([1, 2]);
	await appendFile(file, line(3));
	const late = await open(file, 'a');
	await turnOver();
	expect(await look()).toEqual([3]);
	await writeFile(file, line(4));
	expect(await look()).toEqual([4]);
	// A process that had it open before still writes to it.
	await late.write(line(5));
	await late.close();
	expect(await look()).toEqual([5]);
	for (let at = 6; at < 10; at += 1) {
		await turnOver();
		await writeFile(file, line(at));
		expect(await look()).toEqual([at]);
	}
	expect(await look()).toEqual([]);
});

test('a follower gets what was put aside twice since it looked', async () => {
	await writeFile(file, line(1));
	const { look } = await follow();
	await turnOver();
	await writeFile(file, line(2));
	await turnOver();
	await writeFile(file, line(3));
	expect(await look()).toEqual([2, 3]);
	expect(await look()).toEqual([]);
});

test('a follower that comes just after the log was put aside gets nothing twice', async () => {
	await writeFile(older, line(1));
	const { got, look } = await follow();
	expect(got).toEqual([1]);
	await writeFile(file, line(2));
	expect(await look()).toEqual([2]);
});

test('a log that was emptied or removed is followed from its beginning', async () => {
	await writeFile(file, line(1) + line(2));
	const { got, look } = await follow();
	expect(got).toEqual([1, 2]);
	await truncate(file);
	await appendFile(file, line(3));
	expect(await look()).toEqual([3]);
	await rm(folder, { recursive: true });
	expect(await look()).toEqual([]);
	await mkdir(folder);
	await writeFile(file, line(4));
	expect(await look()).toEqual([4]);
});
