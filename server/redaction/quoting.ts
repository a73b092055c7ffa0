export { prepareFile } from './passages.ts';
export { linesIn, redact } from './redact.ts';
