/** A fault in a table of the map that its schema does not find. */
export class Fault extends Error {
	/** Names and indexes below the table; empty for the table itself. */
	readonly path: readonly PropertyKey[];

	/** @param problem a sentence without its full stop, and without text from the map */
	constructor(path: readonly PropertyKey[], problem: string) {
		super(problem);
		this.path = path;
	}
}

/** A variable. The name is missing if the text only begins like a variable. */
const VARIABLE = /\$\{(?:([A-Za-z_][A-Za-z0-9_]*)\})?/g;

/**
 * Substitutes variables. A `${` in a variable's value has no meaning.
 *
 * @throws Fault for an unset variable, and for any other `${`
 */
export function expand(text: string, environment: NodeJS.ProcessEnv, path: readonly PropertyKey[]): string {
	return text.replace(VARIABLE, (_, name: string | undefined) => {
		// biome-ignore lint/suspicious/noTemplateCurlyInString: it is the form that the map has to use
		if (name === undefined) throw new Fault(path, '${ begins a variable: ${NAME}');
		// Only own properties: `constructor` is inherited.
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
	// Unlike an assignment, Object.fromEntries accepts the name `__proto__`.
	return Object.fromEntries(
		Object.entries(table).map(([name, text]) => [name, expand(text, environment, [...path, name])]),
	);
}
