/** Creates the value on first use. Building a schema is slow, and a session needs few. */
export function lazy<T extends object>(make: () => T): () => T {
	let made: T | undefined;
	return () => {
		made ??= make();
		return made;
	};
}

/** Like {@link lazy}. `begun` is the promise, or undefined before the first call. */
export function lazyAsync<T>(make: () => Promise<T>): { (): Promise<T>; begun: Promise<T> | undefined } {
	const get = (): Promise<T> => {
		get.begun ??= make();
		return get.begun;
	};
	get.begun = undefined as Promise<T> | undefined;
	return get;
}

export function memoizeLast<A extends string, T>(make: (argument: A) => T): (argument: A) => T {
	let last: { readonly argument: A; readonly value: T } | undefined;
	return (argument) => {
		if (last?.argument !== argument) last = { argument, value: make(argument) };
		return last.value;
	};
}

export function withoutRepeats<Rest extends unknown[]>(
	notify: (sentence: string, ...rest: Rest) => void,
): typeof notify {
	const seen = new Set<string>();
	return (sentence, ...rest) => {
		if (!seen.has(sentence)) notify(sentence, ...rest);
		seen.add(sentence);
	};
}
