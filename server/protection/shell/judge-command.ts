import { absolutePattern } from '../absolute.ts';
import type { Inspection } from '../inspection.ts';
import { literalPath } from '../pattern.ts';
import { parseBash } from './bash-parser.ts';
import { parsePowerShell } from './powershell-parser.ts';
import { searchProgram } from './program-text.ts';
import { runScript } from './run.ts';
import { type Dialect, State } from './state.ts';
import type { Parse } from './syntax.ts';

/** Settings of bash and zsh with which wildcards stand for hidden names. */
const HIDDEN_TOO = /dotglob|glob_?dots/i;

/**
 * Takes note of what a shell command reaches. Any text is judged: what can't be read as a script is also searched for
 * the paths.
 *
 * @param cwd the folder that the call names, if it does
 * @throws TooComplexError
 */
export function judgeCommand(text: string, cwd: string | undefined, dialect: Dialect, inspection: Inspection): void {
	const spend = (work: number) => inspection.spend(work);
	const parser = dialect === 'bash' ? parseBash : parsePowerShell;
	const parse: Parse = (script, depth) => parser(script, depth, spend);
	const { place } = inspection;
	const folder =
		cwd === undefined ? inspection.cwd : absolutePattern(literalPath(cwd, place.platform), inspection.cwd, place);
	if (cwd !== undefined) inspection.look(folder, folder);

	const { script, isBroken } = parse(text, 0);
	const state = new State(inspection, dialect, parse, { text, cwd: folder, coversHidden: HIDDEN_TOO.test(text) });
	if (isBroken) searchProgram(state);
	runScript(script, state, false);
}
