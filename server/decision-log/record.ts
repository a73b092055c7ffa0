import * as z from 'zod/mini';
import { lazily } from '../lazily.ts';
import { OUTCOMES } from './decision.ts';

/** What was not written here could mean something to a terminal. */
const text = lazily(() => z.string().check(z.refine((value) => cleaned(value) === value)));

const recordSchema = lazily(() =>
	z.strictObject({
		/** No date is later. */
		at: z.int().check(z.minimum(0), z.maximum(8.64e15)),
		session: text(),
		agent: z.optional(text()),
		type: z.optional(text()),
		tool: text(),
		outcome: z.enum(OUTCOMES),
		reason: z.optional(text()),
		/** A digest of the key, as `key-digest.ts` makes it. */
		key: z.optional(text()),
	}),
);

/** A decision as it is written down: with a digest in the place of the key. */
export type DecisionRecord = z.infer<ReturnType<typeof recordSchema>>;

/** Characters of a field: all names that clients give are shorter, and a line stays small enough to be written at once. */
const LONGEST = 120;

/** The line of a record, without control characters and invisible ones, whatever names the client gives. */
export function lineOf({ at, session, agent, type, tool, outcome, reason, key }: DecisionRecord): string {
	const texts = { session, agent, type, tool, outcome, reason, key };
	const clean = Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, cleaned(text)]]));
	return `${JSON.stringify({ at, ...Object.fromEntries(clean) })}\n`;
}

/** The record that a line holds; undefined where it holds none. */
export function recordIn(line: string): DecisionRecord | undefined {
	const record = recordSchema().safeParse(parse(line));
	return record.success ? record.data : undefined;
}

/** A name as the log has it. */
export function cleaned(text: string): string {
	// Cut first: the patterns need not see what is left out.
	const characters = [...text.slice(0, 2 * LONGEST)].slice(0, LONGEST);
	return characters.join('').replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

function parse(line: string): unknown {
	try {
		return JSON.parse(line);
	} catch {
		return undefined; // Of a process that was ended while it wrote.
	}
}
