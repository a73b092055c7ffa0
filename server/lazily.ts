/** What is made when it is first asked for. For schemas: each takes its time, and a session needs few of them. */
export function lazily<T extends object>(make: () => T): () => T {
	let made: T | undefined;
	return () => {
		made ??= make();
		return made;
	};
}

/** The same function, which for the argument that it got last gives the same value. */
export function rememberingLast<A extends string, T>(make: (argument: A) => T): (argument: A) => T {
	let last: { readonly argument: A; readonly value: T } | undefined;
	return (argument) => {
		if (last?.argument !== argument) last = { argument, value: make(argument) };
		return last.value;
	};
}

/** Passes each sentence on once. */
export function eachOnce<Rest extends unknown[]>(tell: (sentence: string, ...rest: Rest) => void): typeof tell {
	const told = new Set<string>();
	return (sentence, ...rest) => {
		if (!told.has(sentence)) tell(sentence, ...rest);
		told.add(sentence);
	};
}

/** What is made when it is first asked for; `begun` as soon as it was. */
export function once<T>(make: () => Promise<T>): { (): Promise<T>; begun: Promise<T> | undefined } {
	const get = (): Promise<T> => {
		get.begun ??= make();
		return get.begun;
	};
	get.begun = undefined as Promise<T> | undefined;
	return get;
}
