import { expect, test } from 'vitest';
import { loaded, TEXT, withContext } from '../support/first-start.ts';
import { createInstallation, LINK_PACKAGES, READY, SILENT } from '../support/installation.ts';
import { random, shuffled } from '../support/random.ts';
import { runs } from '../support/runs.ts';

/** Half of the processes are the hook, half the server. */
const AT_ONCE = 50;

test('fifty first sessions at the same moment do one install, and all work', async () => {
	const next = random(1);
	for (let round = 0; round < runs(1); round++) {
		const installation = await withContext(await createInstallation({ isReal: true, npmScript: LINK_PACKAGES }));
		const order = shuffled(
			Array.from({ length: AT_ONCE }, (_, at) => at % 2 === 0),
			next,
		);
		const outcomes = await Promise.all(
			order.map(async (isHook) => (isHook ? await installation.run(['prepare']) : await loaded(installation))),
		);
		expect(outcomes).toEqual(order.map((isHook) => (isHook ? SILENT : TEXT)));
		expect(await installation.npmRuns()).toBe(1);
		expect(await installation.contents()).toEqual(READY);
	}
});
