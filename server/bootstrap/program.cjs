const fs = require('node:fs');
const path = require('node:path');
const { Script } = require('node:vm');

/**
 * The broker's program, as the bundle exports it.
 *
 * @typedef {{ main(start: { parent: number, data: string }): Promise<void> }} Program
 */

/**
 * Where the code lies that V8 made of a build. With it a start takes 15 ms less; without it, or where it is of another
 * version of Node, V8 compiles the source.
 *
 * @param {string} build
 */
const codeOf = (build) => build.replace(/\.cjs$/, '.code');

/** @param {string} build @returns {Program} @throws whatever is wrong with it */
function loadProgram(build) {
	return run(compile(fs.readFileSync(build, 'latin1'), build, readCode(codeOf(build))), build);
}

/** @param {string} file @returns {Buffer | undefined} undefined where there is none that is whole */
function readCode(file) {
	try {
		const content = fs.readFileSync(file);
		const [one, other] = [content.subarray(0, content.length / 2), content.subarray(content.length / 2)];
		return one.equals(other) ? one : undefined;
	} catch {
		return undefined; // Nothing but time depends on it.
	}
}

/**
 * What V8 makes of a build: of all that runs while it is loaded.
 *
 * @param {string} source a function as of a CommonJS module, in ASCII
 * @param {string} build where it is going to be
 */
function compiledCode(source, build) {
	const script = compile(source, build);
	run(script, build);
	const code = script.createCachedData();
	// Twice: V8 crashes on what is damaged, and to compare takes a tenth of the time of a sum.
	return Buffer.concat([code, code]);
}

/** @param {string} source @param {string} filename @param {Buffer} [cachedData] */
function compile(source, filename, cachedData) {
	return new Script(source, { filename, ...(cachedData && { cachedData }) });
}

/** @param {Script} script @param {string} build @returns {Program} */
function run(script, build) {
	const module = { exports: {} };
	script.runInThisContext()(module.exports, require, module, build, path.dirname(build));
	return /** @type {Program} */ (module.exports);
}

module.exports = { codeOf, loadProgram, compiledCode };
