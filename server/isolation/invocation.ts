/** A program with its arguments. */
export interface Invocation {
	readonly program: string;
	readonly args: readonly string[];
}
