import type { Inspection } from '../inspection.ts';
import { LONGEST_PATH } from '../limits.ts';
import { literal, type Pattern, UNKNOWN } from '../pattern.ts';
import type { Parse, Script } from './syntax.ts';

/** A variable is given up where it has more values, or longer ones, in UTF-16 code units. */
const MOST_VALUES = 16;
const LONGEST_VALUE = 100_000;
const MOST_FOLDERS = 8;

export type Dialect = 'bash' | 'powershell';

export interface Start {
	readonly text: string;
	readonly cwd: Pattern;
	readonly coversHidden: boolean;
}

/** What a script has done so far that changes what follows. */
export class State {
	readonly inspection: Inspection;
	readonly dialect: Dialect;
	readonly parse: Parse;
	/** The whole command. */
	readonly text: string;
	/** Whether something in the whole command says that wildcards stand for hidden names. */
	readonly coversHidden: boolean;
	/** The folders that it can be in. */
	folders: readonly Pattern[];
	/** Scripts within scripts. */
	depth = 0;
	/** Folders from which the whole command was searched. */
	readonly searched = new Set<Pattern>();
	readonly #variables = new Map<string, readonly Pattern[]>();
	readonly #left: (readonly Pattern[])[] = [];

	constructor(inspection: Inspection, dialect: Dialect, parse: Parse, options: Start) {
		this.inspection = inspection;
		this.dialect = dialect;
		this.parse = parse;
		this.text = options.text;
		this.coversHidden = options.coversHidden;
		this.folders = [options.cwd];
	}

	/** @returns undefined where it is not known whether it has a value */
	valuesOf(name: string): readonly Pattern[] | undefined {
		const own = this.#variables.get(name);
		if (own !== undefined) return own;
		if (/^PWD$/i.test(name)) return this.folders;
		const { environment, home } = this.inspection.place;
		const isHome = name === 'HOME' || (this.dialect === 'powershell' && /^(?:ENV:)?(?:HOME|USERPROFILE)$/.test(name));
		if (isHome) return [literal(home)];
		const value = this.dialect === 'bash' ? environment[name] : variableWithoutCase(environment, name);
		return value === undefined ? undefined : [literal(value)];
	}

	assign(name: string, values: readonly Pattern[]): void {
		const isKept = values.length <= MOST_VALUES && values.every((value) => value.length <= LONGEST_VALUE);
		this.#variables.set(name, isKept ? values : [UNKNOWN]);
	}

	/** @param isSure whether it is now in one of the folders, and no longer in what it was in before */
	enter(folders: readonly Pattern[], isSure: boolean): void {
		const known = folders.map((folder) => (folder.length > LONGEST_PATH ? UNKNOWN : folder));
		const all = [...new Set(isSure ? known : [...known, ...this.folders])];
		this.folders = all.length <= MOST_FOLDERS ? all : [...all.slice(0, MOST_FOLDERS - 1), UNKNOWN];
	}

	/** For `popd`. */
	remember(): void {
		this.#left.push(this.folders);
	}

	/** Where it was when it was last to be remembered. */
	recall(): readonly Pattern[] {
		return this.#left.pop() ?? [UNKNOWN];
	}
}

function variableWithoutCase(
	environment: Readonly<Record<string, string | undefined>>,
	name: string,
): string | undefined {
	const sought = /^ENV:(.*)$/.exec(name)?.[1];
	if (sought === undefined) return undefined;
	return Object.entries(environment).find(([other]) => other.toUpperCase() === sought)?.[1];
}

/** Goes through a script within another, of which what it writes is used. */
export type RunSubstitution = (script: Script, state: State) => void;
