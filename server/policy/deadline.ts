import { BrokerError } from '../errors.ts';

/** Does work after some milliseconds. @returns what calls it off */
export type Schedule = (work: () => void, milliseconds: number) => () => void;

/** Two seconds in steps: while the process gets no time to run, one step passes and not all of them. */
const STEPS = 20;
const STEP_MS = 100;

const byTimer: Schedule = (work, milliseconds) => {
	const timer = setTimeout(work, milliseconds).unref();
	return () => clearTimeout(timer);
};

/**
 * What a decision comes to, if it does so in time.
 *
 * @param decide is told whether it is too late by now: then nothing must follow from the decision
 * @throws BrokerError `check_timeout`, and whatever the decision throws in time
 */
export function withinDeadline<T>(decide: (isLate: () => boolean) => Promise<T>, schedule = byTimer): Promise<T> {
	return new Promise((resolve, reject) => {
		let left = STEPS;
		let isDone = false;
		let isLate = false;
		const giveUp = () => {
			if (isDone) return;
			isLate = true;
			reject(new BrokerError('check_timeout'));
		};
		const step = () => {
			left -= 1;
			// What has been read by now gets its turn before.
			if (left === 0) setImmediate(giveUp);
			else cancel = schedule(step, STEP_MS);
		};
		let cancel = schedule(step, STEP_MS);
		const done = () => {
			isDone = true;
			cancel();
		};
		decide(() => isLate)
			.finally(done)
			.then(resolve, reject);
	});
}
