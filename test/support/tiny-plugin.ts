import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { PLUGIN_ROOT } from './paths.ts';

declare module 'vitest' {
	interface ProvidedContext {
		tinyPlugin: TinyPlugin;
	}
}

/** The plugin with its real bootstrap, a broker of a few lines, and tiny packages of the same names. */
export interface TinyPlugin {
	/** Its folder, with the packages installed. */
	readonly root: string;
	/** Environment variables that tell npm where the packages are. */
	readonly npm: Readonly<Record<string, string>>;
}

/** Answers each line on standard input. */
const BROKER = `
import { createInterface } from 'node:readline';
export async function main({ saveCompileCache }) {
	const answer = async (line) => {
		if (line === 'save') saveCompileCache();
		const text = line === 'hello' || line === 'save' ? line : (await import('./later.ts')).answer(line);
		process.stdout.write(text + '\\n');
	};
	if (process.argv[2] !== undefined) return await answer(process.argv[2]);
	for await (const line of createInterface({ input: process.stdin })) await answer(line);
}
`;

const VERSION = '1.0.0';

/** Code and manifest by name. Like the real one, esbuild's program is an optional package for a platform. */
function tinyPackages(names: readonly string[]): Record<string, { code?: string; manifest?: object }> {
	const platform = { optional: true, os: [process.platform], cpu: [process.arch] };
	return {
		...Object.fromEntries(names.map((name) => [name, {}])),
		esbuild: {
			code: "module.exports = require('@esbuild/here');",
			manifest: {
				hasInstallScript: true,
				scripts: { postinstall: 'exit 1' },
				optionalDependencies: { '@esbuild/here': VERSION, '@esbuild/elsewhere': VERSION },
			},
		},
		'@esbuild/here': {
			code: `module.exports = require(${JSON.stringify(join(PLUGIN_ROOT, 'node_modules', 'esbuild'))});`,
			manifest: platform,
		},
		'@esbuild/elsewhere': { manifest: { ...platform, os: ['none'] } },
	};
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
	const folder = await mkdtemp(join(tmpdir(), 'context-broker-tiny-'));
	const real = JSON.parse(await readFile(join(PLUGIN_ROOT, 'package.json'), 'utf8'));
	const names = Object.keys(real.dependencies);
	const packed = await Promise.all(
		Object.entries(tinyPackages(names)).map(async ([name, { code = '', manifest }]) => {
			const source = join(folder, 'sources', name, 'package');
			await mkdir(source, { recursive: true });
			await writeFile(join(source, 'package.json'), JSON.stringify({ name, version: VERSION, ...manifest }));
			await writeFile(join(source, 'index.js'), code);
			const options = { encoding: 'buffer', cwd: join(source, '..') } as const;
			const { stdout: tarball } = await promisify(execFile)('tar', ['-cz', 'package'], options);
			const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
			return [name, { tarball, integrity, entry: { version: VERSION, integrity, ...manifest } }] as const;
		}),
	);
	const registry = new Map(packed);
	const server = createServer(({ url = '' }, response) => {
		const [, name = '', isTarball] = /^\/(.*?)(\.tgz)?$/.exec(decodeURIComponent(url)) ?? [];
		const found = registry.get(name);
		if (found === undefined) response.writeHead(404).end();
		else if (isTarball) response.end(found.tarball);
		else {
			const dist = { integrity: found.integrity, tarball: `${address}${name}.tgz` };
			const versions = { [VERSION]: { name, ...found.entry, dist } };
			const time = { [VERSION]: '2024-01-01T00:00:00.000Z' };
			response.end(JSON.stringify({ name, 'dist-tags': { latest: VERSION }, versions, time }));
		}
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
	const npm = { npm_config_registry: address, npm_config_cache: join(folder, 'npm-cache') };

	const root = join(folder, 'plugin');
	for (const part of ['bootstrap.cjs', 'bootstrap']) {
		await cp(join(PLUGIN_ROOT, 'server', part), join(root, 'server', part), { recursive: true });
	}
	const imports = names.filter((name) => name !== 'esbuild').map((name) => `import '${name}';\n`);
	await writeFile(join(root, 'server', 'main.ts'), imports.join('') + BROKER);
	await writeFile(join(root, 'server', 'later.ts'), "export const answer = (line: string) => 'served ' + line;\n");
	const dependencies = Object.fromEntries(names.map((name) => [name, VERSION]));
	const manifest = { ...real, dependencies };
	await writeFile(join(root, 'package.json'), JSON.stringify(manifest));
	const entries = packed.map(([name, { entry }]) => [`node_modules/${name}`, entry]);
	const lockfile = { lockfileVersion: 3, packages: { '': manifest, ...Object.fromEntries(entries) } };
	await writeFile(join(root, 'package-lock.json'), JSON.stringify(lockfile, undefined, 2));
	const env = { PATH: process.env.PATH, HOME: folder, USERPROFILE: folder, ...npm };
	await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: root, env });
	// A test starts it from an account without permissions.
	await promisify(execFile)('chmod', ['755', folder]);
	project.provide('tinyPlugin', { root, npm });
	return async () => {
		server.close();
		await rm(folder, { recursive: true, force: true, maxRetries: 5 });
	};
}
