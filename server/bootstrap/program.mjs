import * as fs from 'node:fs';
import { createRequire, Module } from 'node:module';
import * as path from 'node:path';
import { Script } from 'node:vm';

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
export const codeOf = (build) => build.replace(/\.cjs$/, '.code');

/** @param {string} build @returns {Program} @throws whatever is wrong with it */
export function loadProgram(build) {
	return run(compile(fs.readFileSync(build, 'latin1'), build, readCode(codeOf(build))), build);
}

/** @param {string} file @returns {Buffer | undefined} undefined where there is none that is whole */
function readCode(file) {
	try {
		const content = fs.readFileSync(file);
		const code = content.subarray(SUM);
		return content.length > SUM && content.readInt32LE() === sumOf(code) ? code : undefined;
	} catch {
		return undefined; // Nothing but time depends on it.
	}
}

/** Bytes of the sum in front of the code: V8 looks at its length only, and crashes on what is damaged. */
const SUM = 4;

/** @param {Buffer} code */
function sumOf(code) {
	const words = new Int32Array(code.buffer, code.byteOffset, code.length >> 2);
	let sum = code.length;
	// At each start, and before V8 has made anything fast: an iterator takes twice as long.
	for (let index = 0; index < words.length; index++) sum = ((sum << 1) | (sum >>> 31)) ^ (words[index] ?? 0);
	return sum | 0;
}

/**
 * What V8 makes of a build: of all that runs while it is loaded.
 *
 * @param {string} source ASCII
 * @param {string} build where it is going to be
 */
export function compiledCode(source, build) {
	const script = compile(source, build);
	run(script, build);
	const code = script.createCachedData();
	const sum = Buffer.alloc(SUM);
	sum.writeInt32LE(sumOf(code));
	return Buffer.concat([sum, code]);
}

/** @param {string} source @param {string} filename @param {Buffer} [cachedData] */
function compile(source, filename, cachedData) {
	return new Script(Module.wrap(source), { filename, ...(cachedData && { cachedData }) });
}

/** @param {Script} script @param {string} build @returns {Program} */
function run(script, build) {
	const module = { exports: {} };
	script.runInThisContext()(module.exports, createRequire(build), module, build, path.dirname(build));
	return /** @type {Program} */ (module.exports);
}
