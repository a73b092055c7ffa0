import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLUGIN_ROOT } from './paths.ts';

/** A part of a document that a run writes, between two comments that name it. */
export function markedPart(name: string, document = 'docs/protection.md') {
	const file = join(PLUGIN_ROOT, document);
	const [begin, end] = [`<!-- ${name}:begin -->\n`, `<!-- ${name}:end -->`];
	const [before = '', rest = ''] = readFileSync(file, 'utf8').split(begin);
	const [text = '', ...after] = rest.split(end);
	return { text, write: (now: string) => writeFileSync(file, [before, begin, now, end, ...after].join('')) };
}
