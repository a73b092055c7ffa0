/**
 * `npm run bench`: what the broker takes, beside what others take, measured in turns; see figures/.
 *
 *     --rounds N     how often each cold start is measured (20)
 *     --short        fewer rounds and figures, for CI: less than two minutes
 *     --only TEXT    only the groups of figures whose name begins so
 *     --json FILE    where the figures go (test/bench/results.json)
 *     --update       writes the table of docs/machine.md, in a run of all figures
 *     --check        exit status 1 where a ratio is off its target by more than half again, as times depend on the
 *                    machine, or what is installed is not as docs/machine.md says
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { markedPart } from '../support/marked-part.mjs';
import { calls } from './figures/calls.mjs';
import { coldStart } from './figures/cold-start.mjs';
import { firstSession } from './figures/first-session.mjs';
import { growthOfFile, growthOfMap, growthWithCalls } from './figures/growth.mjs';
import { guard } from './figures/guard.mjs';
import { hooks } from './figures/hooks.mjs';
import { many } from './figures/many.mjs';
import { memory } from './figures/memory.mjs';
import { remembered } from './figures/remembered.mjs';
import { search } from './figures/search.mjs';
import { servers } from './figures/servers.mjs';
import { traces } from './figures/traces.mjs';
import { toDocument, toTable, wrongCounts } from './report.mjs';
import { holds, isFarOff } from './row.mjs';

/**
 * How much to measure.
 *
 * @typedef {object} Extent
 * @property {number} rounds
 * @property {boolean} isShort
 */

const { values: options } = parseArgs({
	options: {
		rounds: { type: 'string' },
		short: { type: 'boolean', default: false },
		only: { type: 'string', default: '' },
		json: { type: 'string' },
		update: { type: 'boolean', default: false },
		check: { type: 'boolean', default: false },
	},
});
const extent = { rounds: Number(options.rounds ?? (options.short ? 7 : 20)), isShort: options.short };
if (!(extent.rounds >= 1)) throw new RangeError('--rounds takes a number');

/** @type {Record<string, (extent: Extent) => Promise<import('./row.mjs').Row[]>>} */
const groups = {
	'cold start': coldStart,
	'first session': firstSession,
	calls: calls,
	servers,
	guard,
	hooks,
	remembered,
	traces,
	search,
	...(process.platform === 'linux' ? { memory } : {}),
	many,
	'growth of the map': growthOfMap,
	'growth of the file': growthOfFile,
	...(process.platform === 'linux' ? { 'growth with calls': growthWithCalls } : {}),
};

const started = performance.now();
const rows = [];
for (const [name, measure] of Object.entries(groups)) {
	if (!name.startsWith(options.only)) continue;
	process.stderr.write(`${name} …\n`);
	let measured = await measure(extent);
	// Other load on the machine can last as long as one group, but hardly as long as three.
	for (let again = 0; options.check && again < 2 && measured.some(isFarOff); again++) measured = await measure(extent);
	rows.push(...measured);
}
const machine = { date: new Date().toISOString(), node: process.version, cpus: availableParallelism() };
const seconds = Math.round((performance.now() - started) / 1_000);
process.stdout.write(
	`\n${toTable(rows)}\n\n${machine.date}, Node ${machine.node}, ${machine.cpus} CPUs, ${extent.rounds} rounds, ${seconds} s\n`,
);

// npm changes the working folder; INIT_CWD is the caller's.
const file = options.json && resolve(process.env.INIT_CWD ?? '', options.json);
const results = { ...machine, ...extent, seconds, rows: rows.map((row) => ({ ...row, holds: holds(row) })) };
writeFileSync(
	file ?? fileURLToPath(new URL('results.json', import.meta.url)),
	`${JSON.stringify(results, null, '\t')}\n`,
);
const part = markedPart('speed', 'docs/machine.md');
if (options.update) {
	if (options.short || options.only !== '') throw new Error('--update goes with a run of all figures');
	part.write(toDocument(machine, rows));
}
if (options.check) {
	const wrong = wrongCounts(part.text, rows);
	for (const each of wrong) process.stdout.write(`Not as docs/machine.md says: ${each}\n`);
	process.exitCode = rows.some(isFarOff) || wrong.length > 0 ? 1 : 0;
}
