import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLUGIN_ROOT } from './paths.ts';

const FILE = join(PLUGIN_ROOT, 'docs', 'protection.md');

/** A part of docs/protection.md that a run writes, between two comments that name it. */
export function markedPart(name: string): { readonly text: string; write(text: string): void } {
	const [begin, end] = [`<!-- ${name}:begin -->\n`, `<!-- ${name}:end -->`];
	const [before = '', rest = ''] = readFileSync(FILE, 'utf8').split(begin);
	const [text = '', ...after] = rest.split(end);
	return { text, write: (now) => writeFileSync(FILE, [before, begin, now, end, ...after].join('')) };
}
