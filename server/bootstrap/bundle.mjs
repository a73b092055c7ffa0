import { createRequire } from 'node:module';
import * as path from 'node:path';
import { notBuilt } from './errors.mjs';
import { OLDEST_NODE } from './place.cjs';

/**
 * Turns the TypeScript and its packages into one function, as of a CommonJS module.
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
			// What Node would put around it at each start.
			banner: { js: '(function (exports, require, module, __filename, __dirname) {' },
			footer: { js: '})' },
			// A start reads it all. Names stay, for who reads a stack.
			minifyWhitespace: true,
			minifySyntax: true,
			legalComments: 'none',
			// So that a package is loaded when it is needed, also in a Node that knows no `import()` in such a script.
			supported: { 'dynamic-import': false },
			logLevel: 'silent',
			tsconfigRaw: '{}',
			plugins: [withEffects(), packagesFrom(root, fromPackages), withoutValidators()],
		});
		const program = result?.outputFiles[0];
		if (!program) throw new Error('the build came out empty');
		return inAscii(program.text);
	} catch (error) {
		throw notBuilt(error);
	} finally {
		await esbuild?.stop();
	}
}

/**
 * The same program in ASCII alone: esbuild leaves regular expressions as they are. One letter beyond Latin-1 doubles the
 * memory of the whole text, and what a start takes to read it.
 *
 * @param {string} program
 */
function inAscii(program) {
	return program.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * An esbuild plugin: runs the files of zod/mini before they are used. zod says that they have no effects, and esbuild
 * then forgets to run those that a part which is loaded later needs as well.
 */
function withEffects() {
	const seen = {};
	return {
		name: 'with-effects',
		/** @param {any} build */
		setup(build) {
			build.onResolve(
				{ filter: /^(zod\/mini$|\.)/ },
				/** @param {any} args */
				async ({ path: name, importer, kind, resolveDir, pluginData }) => {
					const isMini = name === 'zod/mini' || /[\\/]zod[\\/](v4[\\/])?mini[\\/][^\\/]*$/.test(importer);
					if (!isMini || pluginData === seen) return undefined;
					const result = await build.resolve(name, { importer, kind, resolveDir, pluginData: seen });
					return { ...result, sideEffects: true };
				},
			);
		},
	};
}

/**
 * An esbuild plugin: leaves out a quarter of the program. The SDK's client brings validators for the results of tools;
 * the broker passes those on as they are.
 */
function withoutValidators() {
	return {
		name: 'without-validators',
		/** @param {any} build */
		setup(build) {
			build.onLoad({ filter: /[\\/]validation[\\/]ajv-provider\.js$/ }, () => ({
				contents: 'export class AjvJsonSchemaValidator {}',
			}));
		},
	};
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
