/**
 * How many runs a property makes: CI's number, times PROPERTY_RUNS. vitest.config.ts has its default.
 *
 * @param count CI's number; the default is fast-check's own
 */
export function runs(count = 100): number {
	return Math.max(Math.min(10, count), Math.round(count * Number(process.env.PROPERTY_RUNS ?? 1)));
}
