/** @import * as Esbuild from 'esbuild' */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { notBuilt } from './errors.mjs';

const MAIN = 'main.js';

/**
 * A program in pieces. Each piece is a function like that of a CommonJS module, under the name by which others require it.
 * `start` is a script whose value is an object of the pieces that a start needs. Each value of `later` is a script whose value
 * is one function.
 *
 * @typedef {{ start: string, later: Record<string, string> }} Bundle
 */

/**
 * Bundles the TypeScript with its packages. A piece that only an `import()` leads to is in `later`.
 *
 * @param {string} root @param {string} packages the folder from which Node finds the packages @returns {Promise<Bundle>}
 * @throws {PrepareError} if the build fails
 */
export async function bundle(root, packages) {
	/** @type {typeof Esbuild | undefined} */
	let esbuild;
	try {
		const { engines } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
		const common = { ...COMMON, target: `node${engines.node.replace('>=', '')}` };
		esbuild = /** @type {typeof Esbuild} */ (createRequire(path.join(packages, 'from'))('esbuild'));
		const { outputFiles, metafile } = await esbuild.build({
			...common,
			absWorkingDir: root,
			entryPoints: ['server/main.ts'],
			bundle: true,
			splitting: true,
			write: false,
			metafile: true,
			outdir: root,
			format: 'esm',
			tsconfigRaw: '{}',
			plugins: [resolver(root, packages)],
		});
		/** @type {Record<string, string>} */
		const pieces = {};
		for (const { path: file, text } of outputFiles) {
			const { code } = await esbuild.transform(text, { ...common, format: 'cjs' });
			pieces[path.basename(file)] = `function (exports, require, module) {${inAscii(code)}}`;
		}
		const start = new Set([MAIN]);
		for (const name of start) {
			for (const { path: file, kind, external } of metafile.outputs[name]?.imports ?? []) {
				if (kind === 'import-statement' && !external) start.add(file);
			}
		}
		const later = Object.entries(pieces).filter(([name]) => !start.has(name));
		return {
			start: `({${[...start].map((name) => `"./${name}": ${pieces[name]},\n`).join('')}})`,
			later: Object.fromEntries(later.map(([name, piece]) => [`./${name}`, `(${piece})`])),
		};
	} catch (error) {
		throw notBuilt(error);
	} finally {
		await esbuild?.stop();
	}
}

/** @satisfies {Esbuild.BuildOptions} */
const COMMON = {
	platform: /** @type {const} */ ('node'),
	minifyWhitespace: true,
	minifySyntax: true,
	legalComments: /** @type {const} */ ('none'),
	logLevel: /** @type {const} */ ('silent'),
	// A vm.Script cannot use `import()`; esbuild turns it into `require`.
	supported: { 'dynamic-import': false },
};

/**
 * One character beyond Latin-1 doubles the text's memory, and esbuild leaves those in regular expressions.
 *
 * @param {string} program
 */
function inAscii(program) {
	return program.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** @param {string} root @param {string} packages @returns {Esbuild.Plugin} */
function resolver(root, packages) {
	const sources = path.join(root, 'server') + path.sep;
	const copy = { suffix: '?copy', pluginData: 'copy', sideEffects: false };
	return {
		name: 'resolver',
		setup(build) {
			// The SDK's client uses all of zod. It gets a copy, so that the broker's start loads only the parts that the broker
			// uses.
			build.onResolve({ filter: /^zod(\/|$)/ }, async ({ path: name, importer, kind, resolveDir, pluginData }) => {
				const isClient = /[\\/](@modelcontextprotocol|zod-to-json-schema|upstreams)[\\/]/.test(importer);
				if (!isClient || pluginData === 'found') return undefined;
				const found = await build.resolve(name, { importer, kind, resolveDir, pluginData: 'found' });
				return { ...found, ...copy };
			});
			build.onResolve({ filter: /^\..*\.js$/ }, ({ path: name, resolveDir, pluginData }) =>
				pluginData === 'copy' ? { path: path.join(resolveDir, name), ...copy } : undefined,
			);
			build.onLoad({ filter: /[\\/]zod[\\/]/ }, ({ path: file, pluginData }) =>
				pluginData === 'copy' ? { contents: readFileSync(file, 'utf8'), pluginData: 'copy' } : undefined,
			);
			// Node's search upward from the file would miss the data folder and could find a stray node_modules in the home
			// folder.
			build.onResolve({ filter: /^[^./]/ }, ({ path: name, importer, kind }) => {
				if (!importer.startsWith(sources) || name.startsWith('node:')) return undefined;
				return build.resolve(name, { kind, resolveDir: packages });
			});
			// The SDK's result validators are a quarter of the program. The broker passes results on unchecked.
			build.onLoad({ filter: /[\\/]validation[\\/]ajv-provider\.js$/ }, () => ({
				contents: 'export class AjvJsonSchemaValidator {}',
			}));
		},
	};
}
