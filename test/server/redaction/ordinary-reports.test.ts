import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepareFile } from '../../../server/redaction/passages.ts';
import { redact } from '../../../server/redaction/redact.ts';
import { PLUGIN_ROOT } from '../../support/paths.ts';
import { random } from '../../support/random.ts';
import { writeReport } from './reports/report.ts';

const CATALOGS = join(import.meta.dirname, 'catalogs');
const SENTENCES = readFileSync(join(import.meta.dirname, 'reports', 'sentences.md'), 'utf8');

const catalogs = [
	...readdirSync(CATALOGS).map((name) => join(CATALOGS, name)),
	join(PLUGIN_ROOT, 'test/demo/config/context-broker/example-catalog.md'),
].map((path) => ({ path, file: prepareFile(readFileSync(path, 'utf8')) }));

test('of a thousand reports that share no identifier with ten catalogs, as many pairs lose text as the documents say', () => {
	const next = random(1);
	const lost: string[] = [];
	for (let n = 0; n < 1000; n++) {
		const report = writeReport(next, SENTENCES);
		for (const { path, file } of catalogs) {
			const { text, passages } = redact(report, [file]);
			if (passages > 0)
				lost.push(`${path.slice(CATALOGS.length)}: ${/.{0,60}\[context:L\d+\].{0,20}/.exec(text)?.[0]}`);
		}
	}
	expect(catalogs).toHaveLength(10);
	const rate = (100 * lost.length) / (1000 * catalogs.length);
	const text = readFileSync(join(PLUGIN_ROOT, 'docs/protection.md'), 'utf8');
	const documented = /([\d.]+) % of the pairs lose/.exec(text)?.[1];
	expect(rate, [...new Set(lost)].slice(0, 20).join('\n')).toBe(Number(documented));
});
