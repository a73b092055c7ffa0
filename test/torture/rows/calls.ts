import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { residentOf } from '../../bench/resident.mjs';
import { percentile } from '../../bench/statistics.mjs';
import type { Random } from '../random.ts';
import type { Row } from '../row.ts';
import { BrokerProcess, environmentOf, prepare } from '../support/broker-process.ts';
import { withFolder } from '../support/folder.ts';

const SESSION = 'b7c1f8a2-3d4e-4f50-8a6b-9c0d1e2f3a4b';

/** Agents of a session, who load again and again. */
const AGENTS = 20;

/** Megabytes that the second half may add. */
const MOST_GROWTH = 5;

/** So many times the time of calls near the start. */
const MOST_SLOWER = 3;

/** Milliseconds without a call, before memory is looked at: V8 gives back what it does not need. */
const IDLE = 300;

/** Memory is looked at after so many calls. */
const LOOKS = 100;

/** Calls until the process has grown to what it works with. */
const WARM_UP = 10_000;

/** Where the limits are not kept, so many tenths at most. */
const MOST_PARTS = 16;

/** A load of private data writes its mark to the disk and waits for it; most of these calls are to test the broker, not that. */
const MAP = '[keys]\nprivate = "k.md"\n[keys.open]\npath = "k.md"\nprivate = false\n';
const PRIVATE = 0.02;

const CONTENT = `# Entries\n\n${Array.from({ length: 60 }, (_, n) => `- Zuri Quell${n}, +1 555 ${1_000_000 + n}`).join('\n')}\n`;

export const calls: Row = {
	name: 'calls',
	holds: 'memory flat within 5 MB in the second half; p99 of the last tenth at most 3 times that of the second one',
	full: 100_000,
	short: 10_000,
	seconds: [150, 30],
	unavailable: () => (process.platform === 'linux' ? undefined : 'it looks into /proc'),
	run: async (run) => {
		await withFolder(async (folder) => {
			const data = join(folder, 'data');
			mkdirSync(join(folder, '.config', 'context-broker'), { recursive: true });
			writeFileSync(join(folder, '.config', 'context-broker', 'context-map.toml'), MAP);
			writeFileSync(join(folder, '.config', 'context-broker', 'k.md'), CONTENT);
			await prepare(folder, data);
			const broker = await BrokerProcess.start({ ...environmentOf(folder, data), CLAUDE_CODE_SESSION_ID: SESSION });
			try {
				const tenth = Math.floor(run.count / 10);
				const makeTenth = (part: number) => {
					return some(broker, `${part}`, tenth, run.random(part), (what) => run.fail(part, what));
				};
				await some(broker, 'warm', WARM_UP, run.random(-1), (what) => run.fail(0, what));
				const parts: Part[] = [];
				while (parts.length < 10) {
					if (run.isLate()) return;
					parts.push(await makeTenth(parts.length));
					run.tried(tenth);
				}
				const lowest = (from: number, to?: number) => Math.min(...parts.slice(from, to).map(({ memory }) => memory));
				const growth = () => lowest(-3) - lowest(2, 5);
				const slower = () => (parts.at(-1)?.slowest ?? 0) / (parts[1]?.slowest ?? 0);
				// What others do on the machine passes, and so does what V8 has not cleared away yet; a leak stays.
				while (parts.length < MOST_PARTS && (growth() > MOST_GROWTH || slower() > MOST_SLOWER)) {
					parts.push(await makeTenth(parts.length));
				}
				if (growth() > MOST_GROWTH) run.fail(9, `the second half added ${growth().toFixed(1)} MB`);
				if (slower() > MOST_SLOWER) run.fail(9, `p99 is ${slower().toFixed(1)} times what it was`);
			} finally {
				await broker.end('SIGKILL');
			}
		});
	},
};

/** How a part of the calls came out. */
interface Part {
	/** The 99th percentile of those that got what is not private, in milliseconds. */
	readonly slowest: number;
	/** The least that the process held at one of several moments: V8 clears away when it likes. Megabytes. */
	readonly memory: number;
}

/** Some calls, as the agents of a session make them. */
async function some(
	broker: BrokerProcess,
	name: string,
	count: number,
	random: Random,
	fail: (what: string) => void,
): Promise<Part> {
	const times: number[] = [];
	let memory = Number.POSITIVE_INFINITY;
	const look = () => {
		memory = Math.min(memory, residentOf(broker.pid));
	};
	for (let n = 0; n < count; n++) {
		const id = `toolu_${name}_${n}`;
		const isApproved = random.chance(0.8);
		const key = random.chance(PRIVATE) ? 'private' : 'open';
		if (isApproved) await broker.approve(key, id, SESSION, `a${random.below(AGENTS)}`);
		const before = performance.now();
		const given = await broker.call('load_context', { key }, id);
		const isGiven = given === CONTENT;
		if (isGiven && key === 'open') times.push(performance.now() - before);
		if (isGiven !== isApproved) fail(`a call ${isApproved ? 'with' : 'without'} an approval is answered wrongly`);
		if (n % LOOKS === 0) look();
	}
	await delay(IDLE);
	look();
	return { slowest: percentile(times, 0.99), memory };
}
