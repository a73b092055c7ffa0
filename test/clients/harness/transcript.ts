import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLUGIN_ROOT } from '../../support/paths.ts';

/** What docs/clients.md says to type, and what the user will see. */
export interface Step {
	readonly command: string;
	/** What is printed on standard output, with a line break at its end. */
	readonly output: string;
}

const DOCUMENT = readFileSync(join(PLUGIN_ROOT, 'docs', 'clients.md'), 'utf8');

/** The key that it uses. */
export const KEY = 'notes-4kd82hq1';

/** The steps that begin with this program, with the path of this checkout in them. */
export function documentedSteps(program: string): Step[] {
	const blocks = [...DOCUMENT.matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, block = '']) => block);
	const steps = blocks.flatMap((block) => [...block.matchAll(/^\$ (.+)\n((?:(?!\$ ).*\n)*)/gm)]);
	return steps
		.map(([, command = '', output = '']) => ({ command: withCheckout(command), output }))
		.filter(({ command }) => command.startsWith(`${program} `));
}

/** The command of its configuration for any client, started from what is given. */
export function documentedConfiguration(repository: string): [string, ...string[]] {
	const [, json = ''] = /^```json\n(.*?)^```$/ms.exec(DOCUMENT) ?? [];
	const { mcpServers } = JSON.parse(json) as { mcpServers: Record<string, { command: string; args: string[] }> };
	const [{ command, args } = { command: '', args: [] }] = Object.values(mcpServers);
	return [command, ...args.map((arg) => arg.replace('REPOSITORY', repository))];
}

function withCheckout(command: string): string {
	return command.replace(/\/path\/to\/context-broker(\S*)/, (_, rest: string) => `'${PLUGIN_ROOT}${rest}'`);
}
