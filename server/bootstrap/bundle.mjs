import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { notBuilt } from './errors.mjs';

/** The piece that holds `main`. */
const MAIN = 'main.js';

/**
 * A program in pieces: functions as of CommonJS modules, by the names that they require each other by. All is ASCII.
 *
 * @typedef {object} Bundle
 * @property {string} start a script whose value is an object of the pieces that a start takes
 * @property {Record<string, string>} later the other pieces, each a script whose value is the function
 */

/**
 * Turns the TypeScript and its packages into the pieces that its imports make: what only an `import()` leads to is not
 * part of the start.
 *
 * @param {string} root
 * @param {string} packages the folder from which Node finds every package
 * @returns {Promise<Bundle>}
 */
export async function bundle(root, packages) {
	/** @type {any} */
	let esbuild;
	try {
		const common = { ...COMMON, target: oldestNode(root) };
		esbuild = createRequire(path.join(packages, 'from'))('esbuild');
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
			plugins: [zodOfItsOwn(), packagesFrom(root, packages), withoutValidators()],
		});
		/** @type {Record<string, string>} */
		const pieces = {};
		for (const { path: file, text } of outputFiles) {
			const { code } = await esbuild.transform(text, { ...common, format: 'cjs' });
			pieces[path.basename(file)] = `function (exports, require, module) {${inAscii(code)}}`;
		}
		/** @type {string[]} */
		const start = [];
		/** @param {string} name */
		const add = (name) => {
			if (start.includes(name)) return;
			start.push(name);
			for (const { path: file, kind, external } of metafile.outputs[name].imports) {
				if (kind === 'import-statement' && !external) add(file);
			}
		};
		add(MAIN);
		const later = Object.entries(pieces).filter(([name]) => !start.includes(name));
		return {
			start: `({${start.map((name) => `"./${name}": ${pieces[name]},\n`).join('')}})`,
			later: Object.fromEntries(later.map(([name, piece]) => [`./${name}`, `(${piece})`])),
		};
	} catch (error) {
		throw notBuilt(error);
	} finally {
		await esbuild?.stop();
	}
}

/** The oldest Node.js that is supported, as esbuild names it. @param {string} root */
function oldestNode(root) {
	const { engines } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
	return `node${engines.node.replace('>=', '')}`;
}

const COMMON = {
	platform: 'node',
	// A start reads it all. Names stay, for who reads a stack.
	minifyWhitespace: true,
	minifySyntax: true,
	legalComments: 'none',
	logLevel: 'silent',
	// What `import()` leads to is required when it is needed: such a script knows no `import()`.
	supported: { 'dynamic-import': false },
};

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
 * An esbuild plugin: gives the SDK's client a copy of zod of its own. It uses all of it; the broker itself a part, and
 * what both use would be part of the start.
 */
function zodOfItsOwn() {
	const copy = { suffix: '?copy', pluginData: 'copy', sideEffects: false };
	return {
		name: 'zod-of-its-own',
		/** @param {any} build */
		setup(build) {
			build.onResolve(
				{ filter: /^zod(\/|$)/ },
				/** @param {any} args */
				async ({ path: name, importer, kind, resolveDir, pluginData }) => {
					const isClient = /[\\/](@modelcontextprotocol|zod-to-json-schema|upstreams)[\\/]/.test(importer);
					if (!isClient || pluginData === 'found') return undefined;
					const found = await build.resolve(name, { importer, kind, resolveDir, pluginData: 'found' });
					return { ...found, ...copy };
				},
			);
			build.onResolve(
				{ filter: /^\..*\.js$/ },
				/** @param {any} args */
				({ path: name, resolveDir, pluginData }) =>
					pluginData === 'copy' ? { path: path.join(resolveDir, name), ...copy } : undefined,
			);
			build.onLoad(
				{ filter: /[\\/]zod[\\/]/ },
				/** @param {any} args */
				({ path: file, pluginData }) =>
					pluginData === 'copy' ? { contents: readFileSync(file, 'utf8'), pluginData: 'copy' } : undefined,
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
 * An esbuild plugin: what the broker's own files import by name is looked up from `packages`. Node's way, upward from
 * the file, would miss the data folder and could find a stray node_modules in the user's home.
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
