import type * as z from 'zod/mini';
import { BrokerError } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import { type Position, positionOf } from './position.ts';
import { knownNames } from './schema.ts';

/** @param problem a sentence without its full stop and without any text of the map */
export function configInvalid({ line, column }: Position, problem: string): BrokerError {
	return new BrokerError('config_invalid', { detail: `Line ${line}, column ${column}: ${problem}.` });
}

/**
 * The first fault that a schema found, with its place and without any text of the map.
 *
 * @param text the document, which parses
 * @param at where `value`, which the schema was for, stands in it
 */
export function invalid(
	text: string,
	at: readonly PropertyKey[],
	value: unknown,
	error: z.core.$ZodError,
): BrokerError {
	// A name that does not exist explains the one that is missing for it.
	const issue = error.issues.find(({ code }) => code === 'unrecognized_keys') ?? error.issues[0];
	if (issue === undefined) throw error;
	if (issue.code === 'unrecognized_keys') {
		const [name = ''] = issue.keys;
		const within = [...at, ...issue.path];
		const problem = unknownName(name, within, (value as Record<string, unknown>)[name]);
		return configInvalid(positionOf(text, [...within, name]), problem);
	}
	const [field] = issue.path;
	const missing = field !== undefined && !Object.hasOwn(Object(value), field);
	const what = at.length === 0 ? `the table [${String(field)}]` : `"${String(field)}"`;
	const problem = missing ? `${what} is missing` : issue.message;
	return configInvalid(positionOf(text, [...at, ...issue.path]), problem);
}

/** @param within the names of the tables that it stands in */
function unknownName(name: string, within: readonly PropertyKey[], value: unknown): string {
	const [table] = within;
	// Otherwise a table of a name that has nothing to do with it would be offered.
	if (table === undefined && typeof value !== 'object')
		return 'this stands above every table; keys belong below [keys]';
	// No other table has a schema that knows its names.
	const names = knownNames();
	const known = names[(table ?? 'document') as keyof typeof names];
	const what = table === undefined ? 'table' : 'field';
	return `there is no such ${what}; the nearest valid one is "${nearest(name, known)}"`;
}
