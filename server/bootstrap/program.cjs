const fs = require('node:fs');
const { Script } = require('node:vm');

/** @typedef {{ main(start: { parent: number, data: string, saveCompileCache: () => void }): Promise<void> }} Program */

/** @typedef {(exports: object, require: (name: string) => any, module: { exports: object }) => void} Piece */

/** The start's compiled code (V8's cache); it saves 15 ms. @param {string} build */
const codeOf = (build) => build.replace(/\.cjs$/, '.code');

/** The pieces that a start does not need, with their compiled code. @param {string} build */
const laterOf = (build) => build.replace(/\.cjs$/, '.later');

const MAIN = './main.js';

/** Bytes at the start of the later pieces: a JSON index of their positions, padded with blanks. */
const INDEX_LENGTH = 2_048;

/** Last byte of compiled code that was saved after the program was used, so that it holds more functions. */
const USED = 1;

/** @param {string} build @returns {Program & { saveCompileCache(): void }} @throws if the build is damaged */
function loadProgram(build) {
	// Kept open: another version's session can remove the file.
	const later = fs.openSync(laterOf(build), 'r');
	const code = readCode(codeOf(build));
	const script = compile(fs.readFileSync(build, 'latin1'), build, code && verified(code.subarray(0, -1)));
	const program = link(script.runInThisContext(), (name) => {
		try {
			return readLater(later, name);
		} catch (error) {
			discard(build);
			throw error;
		}
	})(MAIN);
	// Saved at most once per build.
	const isUsed = code?.at(-1) === USED && script.cachedDataRejected === false;
	return { main: program.main, saveCompileCache: () => isUsed || writeCode(codeOf(build), script) };
}

/** Removes a damaged build; the next start builds again. @param {string} build */
function discard(build) {
	try {
		fs.unlinkSync(build);
	} catch {
		// The damage itself is the error to report.
	}
}

/** @param {string} file @returns {Buffer | undefined} */
function readCode(file) {
	try {
		return fs.readFileSync(file);
	} catch {
		return undefined; // Compiled code only saves time.
	}
}

/** @param {string} file @param {Script} script */
function writeCode(file, script) {
	const temporary = `${file}.${process.pid}`;
	try {
		fs.writeFileSync(temporary, Buffer.concat([duplicated(script.createCachedData()), Buffer.of(USED)]));
		fs.renameSync(temporary, file);
	} catch {
		fs.rm(temporary, { force: true }, () => {}); // Compiled code only saves time.
	}
}

/**
 * Stores the code twice: V8 crashes on damaged code, and a comparison takes a tenth of a digest's time.
 *
 * @param {Buffer} code
 */
const duplicated = (code) => Buffer.concat([code, code]);

/** @param {Buffer} code from `duplicated` @returns {Buffer | undefined} undefined if it is damaged */
function verified(code) {
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
	const [position, source, code] = JSON.parse(read(0, INDEX_LENGTH).toString('latin1'))[name];
	const bytes = read(position, source + code);
	return compile(bytes.toString('latin1', 0, source), name, verified(bytes.subarray(source))).runInThisContext();
}

/** @param {string} source @param {string} filename @param {Buffer} [cachedData] */
function compile(source, filename, cachedData) {
	return new Script(source, { filename, ...(cachedData && { cachedData }) });
}

/** @param {Record<string, Piece>} start @param {(name: string) => Piece} later @returns {(name: string) => any} */
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

module.exports = { INDEX_LENGTH, MAIN, codeOf, laterOf, loadProgram, compile, link, duplicated };
