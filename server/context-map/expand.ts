import { Fault } from './fault.ts';

/** A variable; or, without a name, what only begins like one. */
const VARIABLE = /\$\{(?:([A-Za-z_][A-Za-z0-9_]*)\})?/g;

/**
 * `text` with the value of the variable in the place of each `${NAME}`. Values are taken as they are: a `${` in one of
 * them means nothing.
 *
 * @param path where the text stands in its table
 * @throws Fault for a variable that is not set, and for any other `${`
 */
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

/** The same for each text of a list. */
export function expandList(
	texts: readonly string[],
	environment: NodeJS.ProcessEnv,
	path: readonly PropertyKey[],
): string[] {
	return texts.map((text, index) => expand(text, environment, [...path, index]));
}

/** The same for each value of a table; its names stay as they are. */
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
