import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { PLUGIN_ROOT } from './paths.ts';
import { temporaryFolder } from './temporary.ts';

/** Shared by all of an account's tests, so that packages are downloaded once. */
export const NPM_CACHE = join(tmpdir(), `context-broker-npm-cache-${process.getuid?.() ?? ''}`);

export const CHECKOUT_PACKAGES = join(PLUGIN_ROOT, 'node_modules');

/** Shell commands that link or copy the packages instead of npm, whose speed and network do not depend on the broker. */
export const LINK_PACKAGES = `cp -Rl "$CHECKOUT_PACKAGES" node_modules 2>/dev/null && exit
rm -rf node_modules && exec cp -R "$CHECKOUT_PACKAGES" node_modules`;

/** A copy of the plugin without packages, an empty data folder, and an npm that counts its runs. */
export interface Installation {
	readonly root: string;
	readonly data: string;
	readonly env: Record<string, string>;
	/** How many times npm was started. */
	npmRuns(): Promise<number>;
	/** Runs the bootstrap to its end. */
	run(args: readonly string[], env?: Record<string, string>): Promise<Outcome>;
	/** Starts the bootstrap. */
	start(args: readonly string[], env?: Record<string, string>): ChildProcess;
	/** The data folder's content. npm's packages and the builds are represented by their parent folders. */
	contents(): Promise<string[]>;
	builds(): Promise<string[]>;
}

export interface Outcome {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

/** Whether npm had no network, or took longer than the broker allows: the test cannot change that. */
export function wasHindered({ stderr }: Pick<Outcome, 'stderr'>): boolean {
	return /The packages were not ready after|npm cannot reach its registry/.test(stderr);
}

/** The reason to skip a test in that case. */
export const HINDERED = 'npm has no network here, or takes longer than the broker waits for it';

/** The content of a data folder with a ready broker and its packages. */
export const READY = ['builds', 'node_modules', 'package-lock.json', 'package.json'];

/** The hook's outcome if all went well. */
export const SILENT: Outcome = { code: 0, stdout: '', stderr: '' };

/**
 * @param name the name of the plugin's folder
 * @param npmScript shell commands that the counting npm runs before the real one
 * @param isReal whether to use the real plugin with its real packages instead of the tiny one
 */
export async function createInstallation({
	name = 'plugin',
	npmScript = '',
	isReal = false,
} = {}): Promise<Installation> {
	const folder = await temporaryFolder();
	const [root, data, bin] = [join(folder, name), join(folder, 'data'), join(folder, 'bin')];
	const source = isReal ? { root: PLUGIN_ROOT, npm: { npm_config_cache: NPM_CACHE } } : inject('tinyPlugin');
	for (const part of ['package.json', 'package-lock.json', 'server']) {
		await cp(join(source.root, part), join(root, part), { recursive: true });
	}
	await Promise.all([mkdir(bin), mkdir(join(folder, 'home')), mkdir(NPM_CACHE, { recursive: true })]);
	const log = join(folder, 'npm-runs');
	await writeFile(log, '');
	const script = `#!/bin/sh\necho run >>"$NPM_RUNS"\nPATH="\${PATH#*:}"\n${npmScript}\nexec npm "$@"\n`;
	await writeFile(join(bin, 'npm'), script, { mode: 0o755 });
	const env = {
		PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
		HOME: join(folder, 'home'),
		USERPROFILE: join(folder, 'home'),
		CLAUDE_PLUGIN_DATA: data,
		NPM_RUNS: log,
		CHECKOUT_PACKAGES,
		...source.npm,
	};
	const start = (args: readonly string[], extra: Record<string, string> = {}) => {
		const child = spawn(process.execPath, [join(root, 'server', 'bootstrap.cjs'), ...args], {
			env: { ...env, ...extra },
		});
		onTestFinished(() => void child.kill('SIGKILL'));
		return child;
	};
	return {
		root,
		data,
		env,
		npmRuns: async () => (await readFile(log, 'utf8')).split('\n').length - 1,
		start,
		run: (args, extra) => outcome(start(args, extra)),
		contents: async () => (await readdir(data)).sort(),
		builds: async () => (await readdir(join(data, 'builds'))).filter((name) => name.endsWith('.cjs')),
	};
}

/** Waits for a process to end; keeps its input open until then. */
export async function outcome(child: ChildProcess): Promise<Outcome> {
	let [stdout, stderr] = ['', ''];
	child.stdout?.on('data', (chunk: Buffer) => {
		stdout += chunk.toString();
	});
	child.stderr?.on('data', (chunk: Buffer) => {
		stderr += chunk.toString();
	});
	const [code] = await once(child, 'close');
	return { code: code as number | null, stdout, stderr };
}

/**
 * Copies packages to the plugin's root, where the client installs them.
 *
 * @param source a plugin with packages, by default the tiny one
 */
export async function givePackages(root: string, source = inject('tinyPlugin').root): Promise<void> {
	await cp(join(source, 'node_modules'), join(root, 'node_modules'), { recursive: true, verbatimSymlinks: true });
}

/** Sends lines to a tiny broker. @returns its answer to each */
export function asking(server: ChildProcess): (line: string) => Promise<string> {
	return async (line) => {
		server.stdin?.write(`${line}\n`);
		const [answer] = await once(server.stdout ?? server, 'data');
		return String(answer);
	};
}
