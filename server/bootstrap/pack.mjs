import { compile, duplicated, INDEX_LENGTH, link, MAIN } from './program.cjs';

/** @typedef {import('./bundle.mjs').Bundle} Bundle */

/** Last byte of compiled code that was saved at the build, before the program ran in earnest. */
const UNUSED = Buffer.of(0);

/**
 * A build's files. Runs every piece, because V8's cache holds only functions that ran.
 *
 * @param {Bundle} bundle
 * @param {string} build
 */
export function pack({ start, later }, build) {
	const program = compile(start, build);
	const pieces = Object.entries(later).map(([name, source]) => ({ name, source, script: compile(source, name) }));
	const scripts = new Map(pieces.map(({ name, script }) => [name, script]));
	const requirePiece = link(program.runInThisContext(), (name) => scripts.get(name)?.runInThisContext());
	requirePiece(MAIN);
	const code = Buffer.concat([duplicated(program.createCachedData()), UNUSED]);
	for (const { name } of pieces) requirePiece(name);

	/** @type {Record<string, readonly [position: number, source: number, code: number]>} */
	const index = {};
	const parts = [];
	let position = INDEX_LENGTH;
	for (const { name, source, script } of pieces) {
		const [text, compiled] = [Buffer.from(source, 'latin1'), duplicated(script.createCachedData())];
		index[name] = [position, text.length, compiled.length];
		parts.push(text, compiled);
		position += text.length + compiled.length;
	}
	const head = Buffer.alloc(INDEX_LENGTH, ' ');
	if (head.write(JSON.stringify(index)) === INDEX_LENGTH) throw new Error('the program came out in too many pieces');
	return { program: start, code, later: Buffer.concat([head, ...parts]) };
}
