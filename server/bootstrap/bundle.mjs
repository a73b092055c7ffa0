import { createRequire } from 'node:module';
import * as path from 'node:path';
import { notBuilt } from './errors.mjs';
import { OLDEST_NODE } from './place.mjs';

/**
 * Turns the TypeScript and its packages into one CommonJS file.
 *
 * @param {string} root
 * @param {string} packages the folder whose node_modules holds every package
 * @returns {Promise<string>} the program's text
 */
export async function bundle(root, packages) {
	const fromPackages = path.join(packages, 'node_modules');
	/** @type {{ build(options: object): Promise<{ outputFiles: { text: string }[] }>, stop(): Promise<void> } | undefined} */
	let esbuild;
	try {
		esbuild = createRequire(path.join(fromPackages, 'from'))('esbuild');
		const result = await esbuild?.build({
			absWorkingDir: root,
			entryPoints: ['server/main.ts'],
			bundle: true,
			write: false,
			platform: 'node',
			target: `node${OLDEST_NODE}`,
			format: 'cjs',
			logLevel: 'silent',
			tsconfigRaw: '{}',
			plugins: [packagesFrom(root, fromPackages)],
		});
		const program = result?.outputFiles[0];
		if (!program) throw new Error('the build came out empty');
		return program.text;
	} catch (error) {
		throw notBuilt(error);
	} finally {
		await esbuild?.stop();
	}
}

/**
 * An esbuild plugin: what the broker's own files import by name is looked up in `packages` alone. Node's way, upward
 * from the file, would miss the data folder and could find a stray node_modules in the user's home.
 *
 * @param {string} root
 * @param {string} packages
 */
function packagesFrom(root, packages) {
	const sources = path.join(root, 'server') + path.sep;
	return {
		name: 'packages-from',
		/** @param {any} build */
		setup(build) {
			build.onResolve(
				{ filter: /^[^./]/ },
				/** @param {any} args */
				(args) => {
					if (!args.importer.startsWith(sources) || args.path.startsWith('node:')) return undefined;
					return build.resolve(args.path, { kind: args.kind, resolveDir: packages });
				},
			);
		},
	};
}
