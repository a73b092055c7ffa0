import { VARIABLES } from '../exposure/settings.ts';
import { COMMANDS, type Command } from './commands.ts';
import type { Style } from './style.ts';

/** @param envFile the env file's path, or why there is none */
export function helpText(envFile: string, style: Style): string {
	return `${style.heading('Usage')}
  context-broker                        serve MCP on standard input and output
  context-broker prepare                install and build what the broker needs, then end
  context-broker tools <command>        see and choose which tools are shown
  context-broker list-tools [--json]    the same as tools list
  context-broker doctor [--json]        check your setup, and see how to fix what is wrong
  context-broker scan [path]            find the entries of a private file in a project
  context-broker help                   this text; --help and -h do the same, also after a command
  context-broker --version              the version

${style.heading('Commands')}
${COMMANDS.map((command) => commandHelp(command, style)).join('\n')}
${style.heading('Tools')}
  A <tool> is its name (- and _ are the same), or one of:
    default        all tools except those of high impact; the allowlist if you set none
    safe           the tools that change nothing and reach nothing outside
    all, '*'       every tool, including those of high impact
    none           no tool
    'name*'        every tool whose name begins with "name"

${style.heading('Settings')}
  ${VARIABLES.enabled}   the allowlist
  ${VARIABLES.disabled}  the denylist, which wins over the allowlist
  Both are read from the environment and from the env file. The environment wins. Commands edit only the env file:
  ${envFile}

  --json prints the result for programs. Exit status: 0 done, 1 failed, 2 wrong use;
  of doctor: 0 all is well, 1 warnings, 2 failures; of scan: 0 nothing found, 1 found, 2 could not search.
`;
}

export function commandHelp({ name, operands, summary, example, sees }: Command, style: Style): string {
	return `  ${style.heading(`context-broker ${name}`)} ${operands}
    ${summary}
      $ context-broker ${example}
      ${sees}
`;
}
