import { withClient } from '../client.mjs';
import { CLAUDE_CODE, loadHook } from '../hook-calls.mjs';
import { interleave } from '../interleave.mjs';
import { residentOf } from '../resident.mjs';
import { ratio } from '../row.mjs';
import { median } from '../statistics.mjs';
import { catalog, load, User } from '../user.mjs';

/** @typedef {import('../client.mjs').Client} Client */
/** @typedef {import('../run.mjs').Extent} Extent */

/** Up to this ratio, two times count as the same. */
const MAX_FLAT_RATIO = 1.25;

/** Growth with the number of the map's keys. @param {Extent} extent */
export async function growthOfMap({ isShort }) {
	const times = await timesByKeys([10, 1_000, 10_000], isShort ? 10 : 40);
	const [few = Number.NaN, some = Number.NaN, most = Number.NaN] = times;
	return [
		ratio('call, map of 1,000 keys', 'ms', some, ['10 keys', few], MAX_FLAT_RATIO),
		ratio('call, map of 10,000 keys', 'ms', most, ['10 keys', few], MAX_FLAT_RATIO),
	];
}

/**
 * @param {readonly number[]} sizes numbers of keys
 * @param {number} rounds
 * @returns {Promise<number[]>} one time for each size
 */
async function timesByKeys(sizes, rounds) {
	/** @type {Record<string, () => Promise<number[]>>} */
	const measures = {};
	/** @param {readonly number[]} rest @returns {Promise<Record<string, number[]>>} */
	const connect = async ([keys, ...rest]) => {
		if (keys === undefined) {
			await interleave(rounds, measures);
			return await interleave(rounds, measures);
		}
		const user = new User({ small: catalog(10_000) }, keys);
		user.build();
		return await withClient(user.broker, async (client) => {
			await client.introduce();
			measures[`${keys} keys`] = () => client.timeAll(10, load('small'));
			return await connect(rest);
		});
	};
	return Object.values(await connect(sizes)).map(median);
}

/** Growth with the file's length. @param {Extent} extent */
export async function growthOfFile({ isShort }) {
	const user = new User({
		tiny: catalog(1_000),
		tenth: catalog(48_000),
		half: catalog(240_000),
		whole: catalog(480_000),
	});
	user.build();
	return await withClient(user.broker, async (client) => {
		await client.introduce();
		/** @param {string} key */
		const time = (key) => () => client.timeAll(5, load(key));
		const measures = { tiny: time('tiny'), tenth: time('tenth'), half: time('half'), whole: time('whole') };
		await interleave(5, measures);
		const times = await interleave(isShort ? 10 : 40, measures);
		const [tenth, whole] = [median(times.tenth), median(times.whole)];
		return [
			ratio('call, file of 48 KB', 'ms', tenth, ['1 KB', median(times.tiny)]),
			ratio('call, file of 240 KB', 'ms', median(times.half), ['48 KB', tenth], 5),
			ratio('call, file of 480 KB', 'ms', whole, ['48 KB', tenth], 10),
		];
	});
}

/**
 * Growth with the number of answered calls. The younger process has answered enough of them for its memory to have reached
 * its working size.
 *
 * @param {Extent} extent
 */
export async function growthWithCalls({ isShort }) {
	const loads = await age(isShort ? [3_000, 10_000] : [10_000, 100_000], undefined, loaded);
	const approvals = await age(isShort ? [1_000, 3_000] : [5_000, 20_000], CLAUDE_CODE, approved);
	return [...rowsOf('calls', 'call', loads), ...rowsOf('approved calls', 'decision', approvals)];
}

/** @param {string} what the kind of calls @param {string} timed @param {Awaited<ReturnType<typeof age>>} ages */
function rowsOf(what, timed, { young, old }) {
	const [few, many] = [young, old].map(({ count }) => `${count.toLocaleString('en')} ${what}`);
	return [
		ratio(`${timed} after ${many}`, 'ms', old.time, [`after ${few}`, young.time], MAX_FLAT_RATIO),
		ratio(`memory after ${many}`, 'MB', old.memory, [`after ${few}`, young.memory], MAX_FLAT_RATIO),
	];
}

/** @param {Client} client @param {number} times */
const loaded = (client, times) => client.timeAll(times, load('small'));

let uses = 0;

/**
 * Loads as Claude Code does.
 *
 * @param {Client} client
 * @param {number} times
 * @returns {Promise<number[]>} times of the decisions
 */
async function approved(client, times) {
	const values = [];
	for (let n = 0; n < times; n++) {
		uses += 1;
		const id = `toolu_${uses}`;
		values.push(await client.time(loadHook('small', id)));
		await client.call({ ...load('small'), _meta: { 'claudecode/toolUseId': id } });
	}
	return values;
}

/**
 * @param {[number, number]} counts numbers of calls for the two processes
 * @param {{ name: string, version: string } | undefined} clientInfo
 * @param {(client: Client, times: number) => Promise<number[]>} run
 */
async function age([few, many], clientInfo, run) {
	const user = new User({ small: catalog(10_000) });
	user.build();
	return await withClient(user.broker, (young) =>
		withClient(user.broker, async (old) => {
			await Promise.all([young.introduce(clientInfo), old.introduce(clientInfo)]);
			await run(old, many);
			await run(young, few);
			const memory = { young: residentOf(young.pid), old: residentOf(old.pid) };
			const times = await interleave(25, { young: () => run(young, 20), old: () => run(old, 20) });
			return {
				young: { count: few, time: median(times.young), memory: memory.young },
				old: { count: many, time: median(times.old), memory: memory.old },
			};
		}),
	);
}
