/**
 * How many runs of a property: of as many as CI makes, the share that PROPERTY_RUNS names. vitest.config.ts has its default.
 *
 * @param count fast-check's own by default
 */
export function runs(count = 100): number {
	return Math.max(Math.min(10, count), Math.round(count * Number(process.env.PROPERTY_RUNS ?? 1)));
}
