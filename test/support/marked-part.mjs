import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The part of a document that a run writes, between two comments with its name. @param {string} name */
export function markedPart(name, document = 'docs/protection.md') {
	const file = fileURLToPath(new URL(`../../${document}`, import.meta.url));
	const [begin, end] = [`<!-- ${name}:begin -->\n`, `<!-- ${name}:end -->`];
	const [before = '', rest = ''] = readFileSync(file, 'utf8').split(begin);
	const [text = '', ...after] = rest.split(end);
	/** @param {string} now */
	const write = (now) => writeFileSync(file, [before, begin, now, end, ...after].join(''));
	return { text, write };
}
