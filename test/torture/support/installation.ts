import { type ChildProcess, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Conversation } from './conversation.ts';
import { ROOT } from './root.ts';
import type { Scene } from './scene.ts';

/** That of the tests, so that packages are downloaded once. */
const NPM_CACHE = join(tmpdir(), `context-broker-npm-cache-${process.getuid?.() ?? ''}`);

/** What a key of the user leads to. */
export const CATALOG = '# Catalog\n- Jane Example, 12 Example Road\n- +49 30 1234567\n';

/** The user's key. */
export const KEY = 'catalog-torture';

/** What is in a data folder in which the broker is ready, its packages installed there. */
export const READY: readonly string[] = ['builds', 'node_modules', 'package-lock.json', 'package.json'];

/** A plugin as a user has it: its folder, a data folder, a home with a map, and an npm that counts its runs. */
export class Installation {
	/** The plugin's folder. */
	readonly root: string;
	/** The data folder, which need not exist. */
	readonly data: string;
	readonly env: Readonly<Record<string, string>>;
	readonly #scene: Scene;
	readonly #npmLog: string;

	/** @param name of the folder for all but these two */
	constructor(scene: Scene, root: string, data: string, name = 'user') {
		this.root = root;
		this.data = data;
		this.#scene = scene;
		const [bin, home] = [scene.path(name, 'bin'), scene.path(name, 'home')];
		this.#npmLog = scene.path(name, 'npm-runs');
		for (const folder of [bin, NPM_CACHE]) mkdirSync(folder, { recursive: true });
		const script = `#!/bin/sh\necho run >>"${this.#npmLog}"\nPATH="\${PATH#*:}"\nexec npm "$@"\n`;
		writeFileSync(join(bin, 'npm'), script, { mode: 0o755 });
		writeFileSync(this.#npmLog, '');
		writeHome(home);
		this.env = {
			PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
			HOME: home,
			CLAUDE_PLUGIN_DATA: data,
			npm_config_cache: NPM_CACHE,
		};
	}

	get home(): string {
		return this.env.HOME ?? '';
	}

	/** How many times npm was started. */
	npmRuns(): number {
		return readFileSync(this.#npmLog, 'utf8').split('\n').length - 1;
	}

	start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
		const bootstrap = join(this.root, 'server', 'bootstrap.cjs');
		return this.#scene.start(process.execPath, [bootstrap, ...args], { env: { ...this.env, ...env } });
	}

	/** Starts a server, and a client that speaks to it. */
	serve(env: Readonly<Record<string, string>> = {}): Conversation {
		return new Conversation(this.start([], env));
	}

	/** Runs the hook that prepares. */
	async prepare(env: Readonly<Record<string, string>> = {}): Promise<Prepared> {
		return await outcomeOf(this.start(['prepare'], env));
	}

	/** A client starts a server, and loads. @returns the fault, if any, in a line */
	async loadFault(env: Readonly<Record<string, string>> = {}): Promise<string | undefined> {
		const client = this.serve(env);
		const hello = await client.initialize();
		if (hello === undefined) return `the server ended: ${oneLine(client.errors)}`;
		const answer = await client.call('load_context', { key: KEY });
		await client.finish();
		const text = answer?.result?.content?.[0]?.text;
		return text === CATALOG ? undefined : `the server did not load: ${oneLine(client.errors || (text ?? 'no answer'))}`;
	}

	/** What lies in the data folder: of npm's packages and the builds their folders alone. */
	contents(): readonly string[] {
		return existsSync(this.data) ? readdirSync(this.data).sort() : [];
	}
}

/** How the hook that prepares came out. */
export interface Prepared {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

/** Waits until a process has ended. */
export async function outcomeOf(child: ChildProcess): Promise<Prepared> {
	let [stdout, stderr] = ['', ''];
	child.stdout?.setEncoding('utf8').on('data', (text: string) => {
		stdout += text;
	});
	child.stderr?.setEncoding('utf8').on('data', (text: string) => {
		stderr += text;
	});
	const code = await new Promise<number | null>((resolve) => void child.once('close', resolve));
	return { code, stdout, stderr };
}

/** @returns undefined where the hook ended well and said nothing; else what it said, in a line */
export function unlessSilent({ code, stdout, stderr }: Prepared): string | undefined {
	if (code === 0 && stdout === '' && stderr === '') return undefined;
	return `the hook ended with ${code}: ${oneLine(stderr || stdout)}`;
}

/** Copies the plugin. @param packages also its packages, as the client installs them */
export function copyPlugin(root: string, packages: boolean): string {
	mkdirSync(root, { recursive: true });
	for (const part of ['package.json', 'package-lock.json', 'server']) {
		cpSync(join(ROOT, part), join(root, part), { recursive: true });
	}
	if (packages) execFileSync('cp', ['-R', join(ROOT, 'node_modules'), join(root, 'node_modules')]);
	return root;
}

/** A home folder with a map, a file for it, and other things. */
function writeHome(home: string): void {
	const config = join(home, '.config', 'context-broker');
	mkdirSync(config, { recursive: true });
	writeFileSync(join(config, 'context-map.toml'), `[keys]\n${KEY} = "catalog.md"\n`);
	writeFileSync(join(config, 'catalog.md'), CATALOG);
	writeFileSync(join(home, 'letter.txt'), 'Dear Jane,\n');
}

/** So much of a text as a failure tells. */
export function oneLine(text: string): string {
	return text.trim().replace(/\s+/g, ' ').slice(0, 240);
}
