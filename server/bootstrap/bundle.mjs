import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { notBuilt } from './errors.mjs';

const MAIN = 'main.js';

/**
 * A program in pieces: functions as of CommonJS modules, by the names that they require each other by. All in ASCII.
 *
 * @typedef {object} Bundle
 * @property {string} start a script whose value is an object of the pieces that a start needs
 * @property {Record<string, string>} later the other pieces, each a script whose value is the function
 */

/**
 * Bundles the TypeScript with its packages, in pieces: what only an `import()` leads to is not part of the start.
 *
 * @param {string} root
 * @param {string} packages the folder from which Node finds the packages
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

/** As esbuild names it. @param {string} root */
function oldestNode(root) {
	const { engines } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
	return `node${engines.node.replace('>=', '')}`;
}

const COMMON = {
	platform: 'node',
	// Names stay, for whoever reads a stack.
	minifyWhitespace: true,
	minifySyntax: true,
	legalComments: 'none',
	logLevel: 'silent',
	// Such a script knows no `import()`: it is turned into a `require`.
	supported: { 'dynamic-import': false },
};

/**
 * esbuild leaves regular expressions as they are, and one letter beyond Latin-1 doubles the memory of the text.
 *
 * @param {string} program
 */
function inAscii(program) {
	return program.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The SDK's client uses all of zod. It gets a copy of its own: what it shares with the broker would slow down the start. */
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

/** A quarter of the program: the SDK's validators for results, which the broker passes on unchecked. */
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
 * Finds the broker's packages in one folder. Node's way, upward from the file, would miss the data folder and could find a
 * stray node_modules in the user's home.
 *
 * @param {string} root @param {string} packages
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
