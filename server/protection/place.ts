/** Where a call is made. */
export interface Place {
	/** Absolute working folder of the call. */
	readonly cwd: string;
	readonly home: string;
	/** For `$NAME` in shell commands: only names that are set. */
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly platform: NodeJS.Platform;
	/** An absolute path with every link in it resolved, as far as it exists; what does not exist is appended unchanged. */
	readonly realPath: (path: string) => string;
}

/** A file, or a folder with all that is in it. Both as written and resolved are looked for. */
export interface ProtectedPath {
	/** Absolute. */
	readonly path: string;
	readonly isFolder: boolean;
}
