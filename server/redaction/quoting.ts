export { prepareFile } from './passages.ts';
export { redact } from './redact.ts';
