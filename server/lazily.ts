/** What is made when it is first asked for. For schemas: each takes its time, and a session needs few of them. */
export function lazily<T extends object>(make: () => T): () => T {
	let made: T | undefined;
	return () => {
		made ??= make();
		return made;
	};
}
