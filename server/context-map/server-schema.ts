import * as z from 'zod/mini';
import { lazy } from '../memoize.ts';
import { isTable, seconds, toolPattern, wholeToolName } from './fields.ts';

/** The server's name becomes part of tool names. */
export const SERVER_NAME = /^[A-Za-z0-9_-]+$/;

/** A token: RFC 9110, section 5.6.2. */
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

const VARIABLE_NAME = /^[^=\0]+$/;

/** Process arguments and variables cannot contain NUL. */
function text(what: string): z.ZodMiniString {
	return z
		.string(`${what} must be text in quotes`)
		.check(z.refine((value) => !value.includes('\0'), `${what} cannot have a NUL character`));
}

function args(field: string): z.ZodMiniArray<z.ZodMiniString> {
	return z.array(text('an argument'), `${field} must be a list of texts in quotes`);
}

/** A table of texts. Not `z.record`, which drops an entry named `__proto__`. @param rule the message for invalid `names` */
function texts(field: string, names: RegExp, rule: string): z.ZodMiniType<Readonly<Record<string, string>>> {
	const table = z.custom<Readonly<Record<string, string>>>(isTable, `${field} must be a table of texts`);
	return table.check(({ value, issues }) => {
		for (const [name, input] of Object.entries<unknown>(value)) {
			const message = names.test(name) ? text('a value').safeParse(input).error?.issues[0]?.message : rule;
			if (message !== undefined) issues.push({ code: 'custom', input, path: [name], message });
		}
	});
}

const COMMAND_ISOLATED =
	'command_isolated no longer exists; write command = "env", and put the program first in args and in args_isolated';

/** `[mcp_servers.NAME]` as written, field by field; {@link toServerConfig} checks the rest. */
export const serverTable = lazy(() =>
	z.strictObject(
		{
			url: z.optional(text('url')),
			url_isolated: z.optional(text('url_isolated')),
			headers: z.optional(texts('headers', HEADER_NAME, 'the name of a header must be a token as in RFC 9110')),
			command: z.optional(text('command')),
			args: z.optional(args('args')),
			env: z.optional(texts('env', VARIABLE_NAME, 'the name of a variable cannot be empty or have a =')),
			cwd: z.optional(text('cwd')),
			// From older versions. If it were ignored, the open instance would serve sessions with private data.
			command_isolated: z.optional(z.never(COMMAND_ISOLATED)),
			args_isolated: z.optional(args('args_isolated')),
			isolate_network: z.optional(z.boolean('isolate_network must be true or false')),
			read_timeout: z._default(seconds, 60),
			private_tools: z._default(z.array(wholeToolName, 'private_tools must be a list of names in quotes'), []),
			isolated: z._default(z.boolean('isolated must be true or false'), false),
			isolated_tools: z._default(z.array(toolPattern, 'isolated_tools must be a list of names in quotes'), []),
			when_private: z._default(z.enum(['open', 'refuse'], 'when_private must be "open" or "refuse"'), 'open'),
		},
		'a server must be a table, [mcp_servers.NAME]',
	),
);

export type ServerTable = z.infer<ReturnType<typeof serverTable>>;
