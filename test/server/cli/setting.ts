import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommandLine } from '../../../server/cli/run.ts';
import type { ExposableTool } from '../../../server/exposure/policy.ts';
import type { Findings } from '../../../server/search/findings.ts';
import { temporaryFolder } from '../../support/temporary.ts';

export const ENABLED = 'CONTEXT_BROKER_ENABLED_TOOLS';
export const DISABLED = 'CONTEXT_BROKER_DISABLED_TOOLS';

/** The names are of different lengths, and both kinds of dashes occur. */
export const TOOLS: readonly ExposableTool[] = [
	{ name: 'load_context', exposure: 'safe' },
	{ name: 'run_shell_command', exposure: 'named' },
	{ name: 'docs__search', exposure: 'default' },
	{ name: 'docs__fetch', exposure: 'default' },
	{ name: 'web-page', exposure: 'default' },
];

export interface Outcome {
	readonly status: number;
	readonly stdout: string;
	readonly stderr: string;
}

export interface Setting {
	/** The path of the env file. */
	readonly envFile: string;
	run(...args: string[]): Promise<Outcome>;
	/** The env file's text; undefined where there is none. */
	text(): Promise<string | undefined>;
	/** The names of the tools that `tools list` gives as shown. */
	shown(): Promise<string[]>;
}

export interface SettingOptions {
	/** The text of the env file, which is not there without. */
	readonly text?: string | Uint8Array | undefined;
	readonly environment?: NodeJS.ProcessEnv;
	readonly isTTY?: boolean;
	/** How the names of tools begin that could not be asked for. */
	readonly expected?: readonly string[];
	readonly envFile?: string;
	readonly tools?: readonly ExposableTool[];
}

/** The command line with an env file of its own. */
/** What the doctor says here. */
export const EXAMINED = '✔ map          /home/jo/.config/context-broker/context-map.toml, 1 key';

/** What a scan finds here. */
const FOUND: Findings = {
	searched: { files: 2, versions: 0, bytes: 20 },
	files: [
		{ path: 'src/seed.ts', inName: [], places: [{ line: 3, column: 14, entry: 5, certainty: 'exact' }], count: 1 },
	],
	moreFiles: 0,
	total: 1,
	entries: new Map([[5, 1]]),
	unsearched: new Map(),
	unsearchable: [],
};

export async function createSetting({
	text,
	environment = {},
	isTTY,
	...options
}: SettingOptions = {}): Promise<Setting> {
	const envFile = options.envFile ?? join(await temporaryFolder(), '.env');
	if (text !== undefined) await writeFile(envFile, text);
	async function run(...args: string[]): Promise<Outcome> {
		const written = { stdout: '', stderr: '' };
		const stream = (name: keyof typeof written) => ({
			write: (part: string) => {
				written[name] += part;
			},
		});
		const status = await runCommandLine(args, {
			tools: async () => ({ tools: options.tools ?? TOOLS, expected: options.expected ?? [] }),
			examine: async (isForProgram) => ({ text: isForProgram ? '{}\n' : `${EXAMINED}\n`, status: 1 }),
			scan: async () => await Promise.resolve(FOUND),
			envFile: () => envFile,
			environment,
			version: '1.2.3',
			stdout: { ...stream('stdout'), ...(isTTY !== undefined && { isTTY }) },
			stderr: stream('stderr'),
		});
		return { status, ...written };
	}
	return {
		envFile,
		run,
		text: () =>
			readFile(envFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
				if (error.code === 'ENOENT') return undefined;
				throw error;
			}),
		shown: async () => {
			const { stdout } = await run('tools', 'list');
			return [...stdout.matchAll(/^shown +(\S+)/gm)].map(([, name = '']) => name);
		},
	};
}

/** The lines of an env file with these lists. */
export function envFileWith(lists: { enabled?: string | undefined; disabled?: string | undefined }): string {
	const line = (name: string, value: string | undefined) => (value === undefined ? '' : `${name}='${value}'\n`);
	return line(ENABLED, lists.enabled) + line(DISABLED, lists.disabled);
}
