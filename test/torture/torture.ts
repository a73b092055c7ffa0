import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from './random.ts';
import { type Outcome, toTable } from './report.ts';
import type { Row, Run } from './row.ts';
import { ROWS } from './rows.ts';

/** How many failures of a row are told in full. */
const MOST_TOLD = 5;

/** Runs the rows, one after the other. @returns the exit status */
export async function torture(args: readonly string[]): Promise<number> {
	const { values: options } = parseArgs({
		args: [...args],
		options: {
			short: { type: 'boolean', default: false },
			only: { type: 'string', default: '' },
			seed: { type: 'string', default: '1' },
			json: { type: 'string' },
		},
	});
	const seed = Number(options.seed);
	if (!Number.isInteger(seed)) throw new RangeError('--seed takes an integer');
	const outcomes: Outcome[] = [];
	for (const row of ROWS.filter(({ name }) => name.startsWith(options.only))) {
		process.stderr.write(`${row.name} …\n`);
		outcomes.push(await runRow(row, options.short, seed));
	}
	const date = new Date().toISOString();
	process.stdout.write(`\n${toTable(outcomes)}\n\n${date}, Node ${process.version}, seed ${seed}\n`);
	if (options.json !== undefined) {
		const file = resolve(process.env.INIT_CWD ?? '', options.json);
		writeFileSync(file, `${JSON.stringify({ date, node: process.version, seed, outcomes }, null, '\t')}\n`);
	}
	return outcomes.some(({ failed }) => failed > 0) ? 1 : 0;
}

async function runRow(row: Row, isShort: boolean, seed: number): Promise<Outcome> {
	const reason = row.unavailable?.();
	const started = performance.now();
	const counts = { tried: 0, failed: 0 };
	const limit = row.seconds[isShort ? 1 : 0] * 1_000;
	const fail = (index: number, what: string) => {
		counts.failed += 1;
		if (counts.failed > MOST_TOLD) return;
		process.stderr.write(`  ${row.name}, try ${index}, seed ${seed}: ${what}\n`);
	};
	const run: Run = {
		count: isShort ? row.short : row.full,
		seed,
		random: (index) => new Random(Math.imul(seed, 0x9e3779b1) ^ index),
		tried: (count = 1) => {
			counts.tried += count;
		},
		fail,
		isLate: () => performance.now() - started > limit,
	};
	try {
		if (reason === undefined) await row.run(run);
	} catch (error) {
		fail(counts.tried, `the row itself ended: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
	}
	return { name: row.name, holds: row.holds, wanted: run.count, ...counts, reason, ms: performance.now() - started };
}
