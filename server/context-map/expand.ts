/** A fault of a table of the map that its schema has passed. */
export class Fault extends Error {
	/** Names and indexes from the table on; empty for the table itself. */
	readonly path: readonly PropertyKey[];

	/** @param problem a sentence without its full stop and without any text of the map */
	constructor(path: readonly PropertyKey[], problem: string) {
		super(problem);
		this.path = path;
	}
}

/** A variable; without a name, text that only begins like one. */
const VARIABLE = /\$\{(?:([A-Za-z_][A-Za-z0-9_]*)\})?/g;

/** A `${` in a value means nothing. @throws Fault for a variable that is not set, and for any other `${` */
export function expand(text: string, environment: NodeJS.ProcessEnv, path: readonly PropertyKey[]): string {
	return text.replace(VARIABLE, (_, name: string | undefined) => {
		// biome-ignore lint/suspicious/noTemplateCurlyInString: it is the form that the map has to use
		if (name === undefined) throw new Fault(path, '${ begins a variable: ${NAME}');
		// `constructor` is inherited, not set.
		const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
		if (value === undefined) throw new Fault(path, 'a variable in it is not set');
		return value;
	});
}

export function expandList(
	texts: readonly string[],
	environment: NodeJS.ProcessEnv,
	path: readonly PropertyKey[],
): string[] {
	return texts.map((text, index) => expand(text, environment, [...path, index]));
}

export function expandTable(
	table: Readonly<Record<string, string>>,
	environment: NodeJS.ProcessEnv,
	path: readonly PropertyKey[],
): Record<string, string> {
	// Object.fromEntries, unlike an assignment, also takes the name `__proto__`.
	return Object.fromEntries(
		Object.entries(table).map(([name, text]) => [name, expand(text, environment, [...path, name])]),
	);
}
