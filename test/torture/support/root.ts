/** Put in by bundled.mjs. */
declare const TORTURE_ROOT: string;

/** The checkout's root: the rows are bundled, so `import.meta` does not lead there. */
export const ROOT = TORTURE_ROOT;
