import { onTestFinished } from 'vitest';

/** What came of a way in the running test, for the table of ways, if it is not the usual one. */
export function reportOutcome(outcome: string): void {
	onTestFinished(({ task }) => {
		Object.assign(task.meta, { outcome });
	});
}
