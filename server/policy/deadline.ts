import { BrokerError } from '../errors.ts';

/** @returns a function that cancels the work */
export type Schedule = (work: () => void, milliseconds: number) => () => void;

/** Two seconds in steps: a pause in which the process cannot run costs one step, not all. */
const STEPS = 20;
const STEP_MS = 100;

const byTimer: Schedule = (work, milliseconds) => {
	const timer = setTimeout(work, milliseconds).unref();
	return () => clearTimeout(timer);
};

/** @param decide must change nothing once `isLate` returns true. @throws BrokerError `check_timeout` */
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
			// After the results that have arrived by now.
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
