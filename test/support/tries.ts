/**
 * Tries something with each of several values, `width` at a time.
 *
 * @returns the failures, each with its value
 */
export async function failuresOf<T>(
	values: readonly T[],
	width: number,
	attempt: (value: T) => Promise<void>,
): Promise<string[]> {
	const left = [...values];
	const failures: string[] = [];
	const work = async () => {
		for (let value = left.shift(); value !== undefined; value = left.shift()) {
			const tried = JSON.stringify(value);
			await attempt(value).catch((error: unknown) => void failures.push(`${tried}: ${error}`));
		}
	};
	await Promise.all(Array.from({ length: width }, work));
	return failures;
}
