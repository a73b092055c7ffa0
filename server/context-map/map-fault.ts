import type * as z from 'zod/mini';
import { BrokerError } from '../errors.ts';
import { lazy } from '../memoize.ts';
import { nearest } from '../text/nearest.ts';
import { type Position, positionOf } from './position.ts';
import { knownNames } from './schema.ts';

/** A fault's place and sentence, without its full stop and without text from the map. */
export interface FaultPlace extends Position {
	readonly problem: string;
}

export interface MapFault {
	/** What the unread part of the map may contain. */
	readonly hides: readonly ('keys' | 'isolation')[];
	readonly lacksKeys?: true;
	/** On demand, because finding the place parses parts of the map several times. */
	readonly place: () => FaultPlace;
}

/** A fault that is not located yet. */
export interface Spot {
	/** Names and indexes from the document's root. */
	readonly at: readonly PropertyKey[];
	/** A function if computing it is slow. */
	readonly problem: string | (() => string);
}

export function mapFault(hides: MapFault['hides'], text: string, { at, problem }: Spot): MapFault {
	const sentence = () => (typeof problem === 'string' ? problem : problem());
	return { hides, place: lazy(() => ({ ...positionOf(text, at), problem: sentence() })) };
}

export function configInvalid(fault: MapFault): BrokerError {
	return new BrokerError('config_invalid', { detail: detailOf(fault) });
}

/** The map is not a TOML document, so nothing in it counts. */
export class MapSyntaxError extends BrokerError {
	readonly fault: MapFault;
	/** As written: texts that look like a private file's path. They are protected. */
	readonly paths: readonly string[];

	constructor(place: FaultPlace, text: string, paths: readonly string[]) {
		const fault: MapFault = { hides: /\bisolated/.test(text) ? ['keys', 'isolation'] : ['keys'], place: () => place };
		// The parser's error is not the cause: it quotes the lines around the fault.
		super('config_invalid', { detail: detailOf(fault) });
		this.fault = fault;
		this.paths = paths;
	}
}

function detailOf(fault: MapFault): string {
	const { line, column, problem } = fault.place();
	return `Line ${line}, column ${column}: ${problem}.`;
}

/** The first fault that a schema found in `value`, which is at `at` in the map. */
export function schemaFault(at: readonly PropertyKey[], value: unknown, error: z.core.$ZodError): Spot {
	// An unknown name explains why another one is missing, so it comes first.
	const issue = error.issues.find(({ code }) => code === 'unrecognized_keys') ?? error.issues[0];
	if (issue === undefined) throw error;
	if (issue.code === 'unrecognized_keys') return unknownName([...at, ...issue.path], issue.keys[0] ?? '', value);
	const [field] = issue.path;
	const isMissing = field !== undefined && !Object.hasOwn(Object(value), field);
	return { at: [...at, ...issue.path], problem: isMissing ? `"${String(field)}" is missing` : issue.message };
}

/** @param within the names of the enclosing tables */
export function unknownName(within: readonly PropertyKey[], name: string, value: unknown): Spot {
	const [table = 'document'] = within;
	const at = [...within, name];
	// A suggestion for a table's name would be unrelated to a misplaced key.
	if (table === 'document' && typeof value !== 'object')
		return { at, problem: 'this is above every table; keys belong below [keys]' };
	const what = table === 'document' ? 'table' : 'field';
	// Only these tables have a schema that knows its names.
	const known = () => knownNames()[table as keyof ReturnType<typeof knownNames>];
	return { at, problem: () => `there is no such ${what}; the nearest valid one is "${nearest(name, known())}"` };
}
