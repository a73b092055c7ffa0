import type { ParsedScript } from 'unbash';
import { absolutePattern } from '../absolute.ts';
import { literal, literalPath, MAX_PATH_LENGTH, type Pattern, UNKNOWN } from '../pattern.ts';
import type { Touches } from '../touches.ts';
import { operandsOf } from './arguments.ts';
import type { Invocation } from './programs.ts';

/** A variable is given up if it has more values, or longer ones, in UTF-16 code units. */
const MAX_VALUES = 16;
const MAX_VALUE_LENGTH = 100_000;
const MAX_FOLDERS = 8;

/** What a script has done so far that changes what follows. */
export class State {
	readonly touches: Touches;
	/** The whole command. */
	readonly text: string;
	/** Whether something in the whole command says that wildcards stand for hidden names, as settings of bash and zsh do. */
	readonly coversHidden: boolean;
	/** The folders that it can be in. */
	folders: readonly Pattern[];
	/** Scripts within scripts. */
	depth = 0;
	/** Whether something could not be parsed. */
	isBroken = false;
	/** Folders from which the whole command was searched. */
	readonly searched = new Set<Pattern>();
	readonly #variables = new Map<string, readonly Pattern[]>();
	readonly #left: (readonly Pattern[])[] = [];

	readonly #run: (script: ParsedScript, state: State) => void;

	/** @param run goes through a script of which what it writes is used */
	constructor(text: string, cwd: Pattern, touches: Touches, run: (script: ParsedScript, state: State) => void) {
		this.#run = run;
		this.text = text;
		this.touches = touches;
		this.coversHidden = /dotglob|glob_?dots/i.test(text);
		this.folders = [cwd];
	}

	/** @returns undefined if it is not known whether it has a value */
	valuesOf(name: string): readonly Pattern[] | undefined {
		const own = this.#variables.get(name);
		if (own !== undefined) return own;
		if (name === 'PWD') return this.folders;
		const { environment, home } = this.touches.place;
		const value = name === 'HOME' ? home : environment[name];
		return value === undefined ? undefined : [literal(value)];
	}

	assign(name: string, values: readonly Pattern[]): void {
		const isKept = values.length <= MAX_VALUES && values.every((value) => value.length <= MAX_VALUE_LENGTH);
		this.#variables.set(name, isKept ? values : [UNKNOWN]);
	}

	/** Runs `$(…)` and its like: they go nowhere. */
	substitute(script: ParsedScript | undefined): void {
		const outside = this.folders;
		if (script !== undefined) this.#run(script, this);
		this.folders = outside;
	}

	/** Runs what may be run or not, or elsewhere: from then on it can be in the folders of before as well. */
	branch(run: () => void): void {
		const before = this.folders;
		run();
		this.#enter([...this.folders, ...before]);
	}

	/**
	 * Goes where `cd` and its like go.
	 *
	 * @param isSure whether it is no longer in what it was in before
	 */
	follow({ name, given }: Invocation, isSure: boolean): void {
		const { place } = this.touches;
		if (name === 'pushd') this.#left.push(this.folders);
		const [operand] = operandsOf(given);
		let folders: readonly Pattern[] = [UNKNOWN];
		if (name === 'popd') folders = this.#left.pop() ?? [UNKNOWN];
		else if (operand === undefined) folders = [literalPath(place.home, place.platform)];
		// With `-` back to where it was, which is not followed.
		else if (operand !== '-') {
			folders = operandsOf(given).flatMap((each) => this.folders.map((from) => absolutePattern(each, from, place)));
		}
		this.#enter(isSure ? folders : [...folders, ...this.folders]);
	}

	#enter(folders: readonly Pattern[]): void {
		const known = new Set(folders.map((folder) => (folder.length > MAX_PATH_LENGTH ? UNKNOWN : folder)));
		this.folders = known.size <= MAX_FOLDERS ? [...known] : [...[...known].slice(0, MAX_FOLDERS - 1), UNKNOWN];
	}
}
