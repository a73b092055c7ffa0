import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

interface Manifest {
	readonly version: string;
	readonly devDependencies?: Readonly<Record<string, string>>;
	readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const NAME = '@anthropic-ai/claude-code';

/** The versions of Claude Code for the sessions, the newest first. Default: those in test/package.json. */
export function clientVersions(): string[] {
	const { CLAUDE_VERSIONS } = process.env;
	return CLAUDE_VERSIONS === undefined ? namedVersions() : newestFirst(CLAUDE_VERSIONS.split(','));
}

/** The versions in test/package.json, the newest first. */
export function namedVersions(): string[] {
	const { devDependencies = {} } = readManifest(new URL('../../package.json', import.meta.url));
	const named = Object.entries(devDependencies).flatMap(([alias, wanted]) => {
		if (alias === NAME) return [wanted];
		return wanted.startsWith(`npm:${NAME}@`) ? [wanted.slice(`npm:${NAME}@`.length)] : [];
	});
	return newestFirst(named);
}

function newestFirst(versions: readonly string[]): string[] {
	return versions.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
}

/**
 * The native program of a version of Claude Code. It is in a platform package on which the named package depends. The
 * platform package is resolved from there, because npm nests all but one of them.
 *
 * @returns its path
 * @throws Error if that version is not installed, or does not exist for this platform
 */
export function resolveClient(version: string): string {
	const wrapper = findWrapper(version);
	const { optionalDependencies = {} } = readManifest(wrapper);
	const platform = `${NAME}-${process.platform}-${process.arch}${usesMusl() ? '-musl' : ''}`;
	if (!(platform in optionalDependencies)) throw new Error(`Claude Code ${version} is not made for ${platform}`);
	const manifest = createRequire(wrapper).resolve(`${platform}/package.json`);
	return join(dirname(manifest), process.platform === 'win32' ? 'claude.exe' : 'claude');
}

function findWrapper(version: string): string {
	// run.mjs installs requested versions in its own folder; npm has the versions in package.json.
	const own = new URL(`../../node_modules/.claude-code/${version}/package.json`, import.meta.url);
	const require = createRequire(existsSync(own) ? own : import.meta.url);
	const found = [`claude-code-${version}`, NAME].flatMap((name) => {
		const paths = require.resolve.paths(name) ?? [];
		return paths.map((path) => join(path, name, 'package.json')).filter((path) => hasVersion(path, version));
	});
	const [first] = found;
	if (first === undefined) throw new Error(`Claude Code ${version} is not installed: run npm ci in the folder test`);
	return first;
}

function hasVersion(manifest: string, version: string): boolean {
	try {
		return readManifest(manifest).version === version;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
		throw error;
	}
}

function readManifest(path: string | URL): Manifest {
	return JSON.parse(readFileSync(path, 'utf8')) as Manifest;
}

function usesMusl(): boolean {
	if (process.platform !== 'linux') return false;
	const { header } = process.report.getReport() as { readonly header: { readonly glibcVersionRuntime?: string } };
	return header.glibcVersionRuntime === undefined;
}
