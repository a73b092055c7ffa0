import * as z from 'zod/mini';
import { lazy } from '../memoize.ts';
import { isTable, path, seconds, toolPattern } from './fields.ts';
import { serverTable } from './server-schema.ts';

/** As in Claude Code: plugins join parts by colons, and a part can contain blanks. */
const agent = z
	.string('an agent must be text in quotes')
	// The same letters come composed and decomposed: a file name of macOS is not what a keyboard types.
	.check(
		z.normalize(),
		z.refine((name) => name.split(':').every(isNamePart), 'write an agent as "agent" or "plugin:agent"'),
	);

function isNamePart(part: string): boolean {
	return part !== '' && part === part.trim() && !/\p{Cc}/u.test(part);
}

const entryTable = z.strictObject({
	path,
	agents: z.optional(
		z.array(agent, 'agents must be a list of names in quotes').check(z.minLength(1, 'the list of agents is empty')),
	),
	private: z._default(z.boolean('private must be true or false'), true),
});

/** Protections of private content that `[guard]` can switch off. */
export const PROTECTIONS = ['quoting', 'background', 'resuming', 'files', 'results', 'traces'] as const;

export type Protection = (typeof PROTECTIONS)[number];

const onUnlessOff = z._default(z.boolean('a protection must be true or false'), true);

const guardTable = z.strictObject(
	Object.fromEntries(PROTECTIONS.map((name) => [name, onUnlessOff])) as Record<Protection, typeof onUnlessOff>,
	'[guard] must be a table',
);

const shellTable = z.strictObject(
	{ idle_timeout: z._default(seconds, 300), timeout: z._default(seconds, 1_800) },
	'[shell] must be a table',
);

/** A table of older versions. It is accepted and has no effect. */
export const OBSOLETE = 'log';

const logTable = z.strictObject(
	{ decisions: z.optional(z.boolean('decisions must be true or false')) },
	'[log] must be a table',
);

const privateDataTable = z.strictObject(
	{ allow_tools: z._default(z.array(toolPattern, 'allow_tools must be a list of names in quotes'), []) },
	'[private_data] must be a table',
);

export const settingsTables = {
	guard: z.prefault(guardTable, {}),
	shell: z.prefault(shellTable, {}),
	log: z.prefault(logTable, {}),
	private_data: z.prefault(privateDataTable, {}),
};

export const DOCUMENT_NAMES: readonly string[] = ['keys', ...Object.keys(settingsTables), 'mcp_servers'];

/**
 * The document's table names, and the field names in each table. For `[keys]` and `[mcp_servers]`, the fields of their
 * subtables.
 */
export const knownNames = lazy(() => ({
	document: DOCUMENT_NAMES.filter((name) => name !== OBSOLETE),
	keys: Object.keys(entryTable.shape),
	guard: Object.keys(guardTable.shape),
	shell: Object.keys(shellTable.shape),
	log: Object.keys(logTable.shape),
	private_data: Object.keys(privateDataTable.shape),
	mcp_servers: Object.keys(serverTable().shape),
}));

export function entrySchema(value: unknown): z.ZodMiniType<string | z.infer<typeof entryTable>> {
	return isTable(value) ? entryTable : path;
}
