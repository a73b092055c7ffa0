const fs = require('node:fs');
const { Script } = require('node:vm');

/**
 * The broker's program.
 *
 * @typedef {object} Program
 * @property {(start: { parent: number, data: string, saveCompileCache: () => void }) => Promise<void>} main
 */

/**
 * A piece of it: a function as of a CommonJS module.
 *
 * @typedef {(exports: object, require: (name: string) => any, module: { exports: object }) => void} Piece
 */

/**
 * Where the code lies that V8 made of a build. With it a start takes 15 ms less; without it, or where it is of another
 * version of Node, V8 compiles the source.
 *
 * @param {string} build
 */
const codeOf = (build) => build.replace(/\.cjs$/, '.code');

/**
 * Where the pieces of a build lie that a start does not take, and their code.
 *
 * @param {string} build
 */
const laterOf = (build) => build.replace(/\.cjs$/, '.later');

/** The piece that exports the program. */
const MAIN = './main.js';

/** The bytes at the start of the file of later pieces that say where each lies: JSON, then blanks. */
const INDEX = 2_048;

/** The last byte of the code of a start: whether V8 made it after the program was used, so that it holds more. */
const USED = 1;

/**
 * @param {string} build
 * @returns {Program & { saveCompileCache(): void }} `saveCompileCache` keeps what V8 has compiled by now for later starts, unless that
 *   was done before
 * @throws whatever is wrong with it
 */
function loadProgram(build) {
	// It stays open, since a session of another version can remove it.
	const later = fs.openSync(laterOf(build), 'r');
	const code = readCode(codeOf(build));
	const script = compile(fs.readFileSync(build, 'latin1'), build, code && whole(code.subarray(0, -1)));
	const program = link(script.runInThisContext(), (name) => {
		try {
			return readLater(later, name);
		} catch (error) {
			discard(build);
			throw error;
		}
	})(MAIN);
	const isUsed = code?.at(-1) === USED && script.cachedDataRejected === false;
	return { main: program.main, saveCompileCache: () => isUsed || writeCode(codeOf(build), script) };
}

/** Has the next start make a build anew that turned out to be damaged. @param {string} build */
function discard(build) {
	try {
		fs.unlinkSync(build);
	} catch {
		// What is damaged is the error to tell.
	}
}

/** @param {string} file @returns {Buffer | undefined} */
function readCode(file) {
	try {
		return fs.readFileSync(file);
	} catch {
		return undefined; // Nothing but time depends on it.
	}
}

/** @param {string} file @param {Script} script */
function writeCode(file, script) {
	const temporary = `${file}.${process.pid}`;
	try {
		fs.writeFileSync(temporary, Buffer.concat([twice(script.createCachedData()), Buffer.of(USED)]));
		fs.renameSync(temporary, file);
	} catch {
		fs.rm(temporary, { force: true }, () => {}); // Nothing but time depends on it.
	}
}

/** V8 crashes on code that is damaged, and to compare takes a tenth of the time of a sum. @param {Buffer} code */
const twice = (code) => Buffer.concat([code, code]);

/** @param {Buffer} code as `twice` makes it @returns {Buffer | undefined} undefined where it is damaged */
function whole(code) {
	const [one, other] = [code.subarray(0, code.length / 2), code.subarray(code.length / 2)];
	return one.equals(other) ? one : undefined;
}

/** @param {number} file open @param {string} name @returns {Piece} */
function readLater(file, name) {
	const read = (/** @type {number} */ position, /** @type {number} */ length) => {
		const buffer = Buffer.alloc(length);
		fs.readSync(file, buffer, 0, length, position);
		return buffer;
	};
	const [position, source, code] = JSON.parse(read(0, INDEX).toString('latin1'))[name];
	const bytes = read(position, source + code);
	return compile(bytes.toString('latin1', 0, source), name, whole(bytes.subarray(source))).runInThisContext();
}

/** @param {string} source @param {string} filename @param {Buffer} [cachedData] */
function compile(source, filename, cachedData) {
	return new Script(source, { filename, ...(cachedData && { cachedData }) });
}

/**
 * @param {Record<string, Piece>} start
 * @param {(name: string) => Piece} later
 * @returns {(name: string) => any} what a piece exports
 */
function link(start, later) {
	/** @type {Map<string, { exports: object }>} */
	const made = new Map();
	const requirePiece = (/** @type {string} */ name) => {
		if (!name.startsWith('./')) return require(name);
		let piece = made.get(name);
		if (piece === undefined) {
			piece = { exports: {} };
			made.set(name, piece);
			(start[name] ?? later(name))(piece.exports, requirePiece, piece);
		}
		return piece.exports;
	};
	return requirePiece;
}

module.exports = { INDEX, MAIN, codeOf, laterOf, loadProgram, compile, link, twice };
