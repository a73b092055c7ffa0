import * as z from 'zod';
import { lazily } from '../lazily.ts';
import { isTable, seconds, toolName, toolPattern } from './fields.ts';

/** What the name of a server behind the broker looks like: it becomes a part of the names of tools. */
export const SERVER_NAME = /^[A-Za-z0-9_-]+$/;

/** A token: RFC 9110, section 5.6.2. */
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** What a process can be given as the name of a variable. */
const VARIABLE_NAME = /^[^=\0]+$/;

/** No process can be given a NUL. */
function text(what: string): z.ZodString {
	return z.string(`${what} is text in quotes`).refine((value) => !value.includes('\0'), `${what} has no NUL character`);
}

/** A list of texts for a command. */
function args(field: string): z.ZodArray<z.ZodString> {
	return z.array(text('an argument'), `${field} is a list of texts in quotes`);
}

/**
 * A table of texts. Not `z.record`: that leaves out an entry of the name `__proto__` without a word.
 *
 * @param names what each name has to look like
 * @param rule what to say of one that does not
 */
function texts(field: string, names: RegExp, rule: string): z.ZodType<Readonly<Record<string, string>>> {
	const table = z.custom<Readonly<Record<string, string>>>(isTable, `${field} is a table of texts`);
	return table.check(({ value, issues }) => {
		for (const [name, input] of Object.entries<unknown>(value)) {
			const message = names.test(name) ? text('a value').safeParse(input).error?.issues[0]?.message : rule;
			if (message !== undefined) issues.push({ code: 'custom', input, path: [name], message });
		}
	});
}

/**
 * `[mcp_servers.NAME]` as written: the shape of each field. Which fields go together, and what holds for a text once its
 * variables are in, is for {@link toServerConfig}.
 */
export const serverTable = lazily(() =>
	z.strictObject(
		{
			url: text('url').optional(),
			url_isolated: text('url_isolated').optional(),
			headers: texts('headers', HEADER_NAME, 'the name of a header is a token, as RFC 9110 calls it').optional(),
			command: text('command').optional(),
			args: args('args').optional(),
			env: texts('env', VARIABLE_NAME, 'the name of a variable is not empty and has no =').optional(),
			cwd: text('cwd').optional(),
			command_isolated: text('command_isolated').optional(),
			args_isolated: args('args_isolated').optional(),
			isolate_network: z.boolean('isolate_network is true or false').optional(),
			read_timeout: seconds.default(60),
			private_tools: z.array(toolName, 'private_tools is a list of names in quotes').default([]),
			isolated: z.boolean('isolated is true or false').default(false),
			isolated_tools: z.array(toolPattern, 'isolated_tools is a list of names in quotes').default([]),
			when_private: z.enum(['open', 'refuse'], 'when_private is "open" or "refuse"').default('open'),
		},
		'a server is a table, [mcp_servers.NAME]',
	),
);

export type ServerTable = z.infer<ReturnType<typeof serverTable>>;
