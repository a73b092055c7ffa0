/** Where a call is made. */
export interface Place {
	/** Absolute working folder of the call. */
	readonly cwd: string;
	readonly home: string;
	/** Other folders that shells take for it. */
	readonly shellHomes?: readonly string[];
	readonly platform: NodeJS.Platform;
}

/** A file, or a folder with all that is in it. Both as written and resolved are looked for. */
export interface ProtectedPath {
	/** Absolute. */
	readonly path: string;
	readonly isFolder: boolean;
}
