import { compile, INDEX, link, MAIN, twice } from './program.cjs';

/** @typedef {import('./bundle.mjs').Bundle} Bundle */

/** The last byte of code that was made before the program was used. */
const UNUSED = Buffer.of(0);

/**
 * The files of a build, as `loadProgram` reads them. All pieces are run, since V8 compiles what runs.
 *
 * @param {Bundle} bundle
 * @param {string} build where it is going to be
 * @returns {{ program: string, code: Buffer, later: Buffer }}
 */
export function pack({ start, later }, build) {
	const program = compile(start, build);
	const pieces = Object.entries(later).map(([name, source]) => ({ name, source, script: compile(source, name) }));
	const scripts = new Map(pieces.map(({ name, script }) => [name, script]));
	const requirePiece = link(program.runInThisContext(), (name) => scripts.get(name)?.runInThisContext());
	requirePiece(MAIN);
	const code = Buffer.concat([twice(program.createCachedData()), UNUSED]);
	for (const { name } of pieces) requirePiece(name);

	/** @type {Record<string, readonly [position: number, source: number, code: number]>} */
	const index = {};
	const parts = [];
	let position = INDEX;
	for (const { name, source, script } of pieces) {
		const [text, made] = [Buffer.from(source, 'latin1'), twice(script.createCachedData())];
		index[name] = [position, text.length, made.length];
		parts.push(text, made);
		position += text.length + made.length;
	}
	const head = Buffer.alloc(INDEX, ' ');
	if (head.write(JSON.stringify(index)) === INDEX) throw new Error('the program came out in too many pieces');
	return { program: start, code, later: Buffer.concat([head, ...parts]) };
}
