/** The circumstances of a call, by which its paths are read. */
export interface Place {
	/** Absolute working folder of the call. */
	readonly cwd: string;
	readonly home: string;
	/** Other folders that shells take for it. */
	readonly shellHomes?: readonly string[];
	/** Of the shells. */
	readonly environment?: NodeJS.ProcessEnv;
	readonly platform: NodeJS.Platform;
}

/** A file, or a folder with its whole content. Both the path as written and the resolved path are protected. */
export interface ProtectedPath {
	/** Absolute. */
	readonly path: string;
	readonly isFolder: boolean;
}
