import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { PLUGIN_ROOT } from './paths.ts';
import { temporaryFolder } from './temporary.ts';

/** Shared by all tests of an account, so that packages are downloaded once. */
export const NPM_CACHE = join(tmpdir(), `context-broker-npm-cache-${process.getuid?.() ?? ''}`);

/** Links or copies the packages of this checkout: how fast npm is, and whether it has a network, is not up to the broker. */
export const STAND_IN = `cp -Rl "$CHECKOUT_PACKAGES" node_modules 2>/dev/null && exit
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
	/** What lies in the data folder, but for npm's packages and builds: their parent folders stand for them. */
	contents(): Promise<string[]>;
	builds(): Promise<string[]>;
}

export interface Outcome {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

/** Whether npm itself had no network, or not the time that the broker gives it: nothing that a test can change. */
export function wasHindered({ stderr }: Pick<Outcome, 'stderr'>): boolean {
	return /The packages were not ready after|npm can't reach its registry/.test(stderr);
}

/** The reason to skip a test then. */
export const HINDERED = 'npm has no network here, or takes longer than the broker waits for it';

/** What is in a data folder in which the broker is ready, its packages installed there. */
export const READY = ['builds', 'node_modules', 'package-lock.json', 'package.json'];

/**
 * @param name the name of the plugin's folder
 * @param npmScript shell commands that the counting npm runs before it installs
 * @param isReal whether npm itself installs
 */
export async function createInstallation({
	name = 'plugin',
	npmScript = '',
	isReal = false,
} = {}): Promise<Installation> {
	const folder = await temporaryFolder();
	const [root, data, bin] = [join(folder, name), join(folder, 'data'), join(folder, 'bin')];
	await mkdir(root);
	for (const part of ['package.json', 'package-lock.json', 'server']) {
		await cp(join(PLUGIN_ROOT, part), join(root, part), { recursive: true });
	}
	await Promise.all([mkdir(bin), mkdir(join(folder, 'home')), mkdir(NPM_CACHE, { recursive: true })]);
	const log = join(folder, 'npm-runs');
	await writeFile(log, '');
	const path = process.env.PATH ?? '';
	const install = isReal ? 'exec npm "$@"' : STAND_IN;
	const script = `#!/bin/sh\necho run >>"$NPM_RUNS"\nPATH="\${PATH#*:}"\n${npmScript}\n${install}\n`;
	await writeFile(join(bin, 'npm'), script);
	await chmod(join(bin, 'npm'), 0o755);
	const env = {
		PATH: `${bin}${delimiter}${path}`,
		HOME: join(folder, 'home'),
		CLAUDE_PLUGIN_DATA: data,
		npm_config_cache: NPM_CACHE,
		NPM_RUNS: log,
		CHECKOUT_PACKAGES: join(PLUGIN_ROOT, 'node_modules'),
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

/** Waits for a process to end, its input open until then. */
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

/** Copies the packages of this checkout, as the client installs them at the plugin's root. */
export async function givePackages(root: string): Promise<void> {
	await cp(join(PLUGIN_ROOT, 'node_modules'), join(root, 'node_modules'), { recursive: true, verbatimSymlinks: true });
}
