import type { Row } from '../row.ts';
import { copyPlugin, Installation, READY, unlessSilent } from '../support/installation.ts';
import { inScene } from '../support/scene.ts';

/** Sessions that start at once: half of the processes are the hook, half the server. */
const AT_ONCE = 50;

/** Many first sessions with an empty data folder, at the same moment. */
export const firstSessions: Row = {
	name: 'first sessions at once',
	holds: 'one install for all, and all work',
	full: 10 * AT_ONCE,
	short: AT_ONCE,
	seconds: [80, 15],
	run: (run) =>
		inScene(async (scene) => {
			const root = copyPlugin(scene.path('plugin'), false);
			for (let first = 0; first < run.count && !run.isLate(); first += AT_ONCE) {
				const installation = new Installation(scene, root, scene.path(`data-${first}`), `user-${first}`);
				const order = run.random(first).shuffled(Array.from({ length: AT_ONCE }, (_, at) => at));
				await Promise.all(
					order.map(async (at) => {
						const isHook = at % 2 === 0;
						const fault = isHook ? unlessSilent(await installation.prepare()) : await installation.loadFault();
						run.tried();
						if (fault !== undefined) run.fail(first + at, fault);
					}),
				);
				const [runs, contents] = [installation.npmRuns(), installation.contents()];
				if (runs !== 1) run.fail(first, `npm was started ${runs} times`);
				if (contents.join() !== READY.join()) run.fail(first, `the data folder holds ${contents.join(', ')}`);
			}
		}),
};
