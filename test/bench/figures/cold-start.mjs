import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { start, timeStart } from '../client.mjs';
import { interleave } from '../interleave.mjs';
import { peersOf } from '../peers.mjs';
import { difference, ratio } from '../row.mjs';
import { median } from '../statistics.mjs';
import { catalog, load, ROOT, User } from '../user.mjs';

/**
 * From a process's start to the answer of its first call, installed and built: the broker, the broker without its bootstrap,
 * the floor server, other servers, and bare Node.
 *
 * @param {import('../run.mjs').Extent} extent
 */
export async function coldStart({ rounds }) {
	const [user, unused] = [new User({ small: catalog(10_000) }), new User({ small: catalog(10_000) })];
	unused.build();
	const call = load('small');
	await user.useOnce('small');
	const peers = Object.entries(peersOf(user));
	const direct = withoutBootstrap(user);
	const starts = {
		broker: () => timeStart(user.broker, call),
		unused: () => timeStart(unused.broker, call),
		direct: () => timeStart(direct, call),
		floor: () => timeStart(user.floor, call),
		node: () => timeNode(user.env),
	};
	const others = Object.fromEntries(peers.map(([name, peer]) => [name, () => timeStart(peer.program, peer.call)]));
	// The first start of each reads its files into the system's cache.
	await interleave(1, { ...starts, ...others });
	const {
		broker,
		unused: first,
		direct: without,
		floor,
		node,
		...rest
	} = await interleave(rounds, { ...starts, ...others });
	const time = median(broker ?? []);
	const figure = 'cold start';
	const peerTimes = Object.entries(rest)
		.map(([name, times]) => /** @type {[string, number]} */ ([name, median(times)]))
		.sort(([, a], [, b]) => a - b);
	const [fastest, ...slower] = peerTimes.map((peer) => ratio(figure, 'ms', time, peer));
	return [
		ratio(figure, 'ms', time, ['30-line server', median(floor ?? [])], 1.35),
		...(fastest ? [{ ...fastest, target: { of: /** @type {const} */ ('ratio'), limit: 0.5 } }] : []),
		...slower,
		ratio('cold start, nothing loaded before', 'ms', median(first ?? []), ['30-line server', median(floor ?? [])]),
		ratio(figure, 'ms', time, ['node -e 0', median(node ?? [])]),
		difference("bootstrap's share", 'ms', time, ['without bootstrap', median(without ?? [])], 5),
	];
}

/** The broker's build alone. @param {User} user @returns {import('../client.mjs').Program} */
function withoutBootstrap(user) {
	const script = join(user.home, 'direct.cjs');
	const program = JSON.stringify(join(ROOT, 'server', 'bootstrap', 'program.cjs'));
	const [build, data] = [JSON.stringify(user.build()), JSON.stringify(user.data)];
	writeFileSync(
		script,
		`require(${program}).loadProgram(${build}).main({ parent: process.ppid, data: ${data}, saveCompileCache() {} });\n`,
	);
	return { args: [script], env: user.env };
}

/** @param {NodeJS.ProcessEnv} env */
async function timeNode(env) {
	const before = performance.now();
	const child = start({ args: ['-e', '0'], env });
	await once(child, 'exit');
	return performance.now() - before;
}
