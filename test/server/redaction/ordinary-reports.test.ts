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

test('of a thousand reports that share no identifier with ten catalogs, fewer than one pair in a thousand loses text', () => {
	const next = random(1);
	const lost: string[] = [];
	let pairs = 0;
	for (let n = 0; n < 1000; n++) {
		const report = writeReport(next, SENTENCES);
		for (const { path, file } of catalogs) {
			pairs++;
			const { text, passages } = redact(report, [file]);
			if (passages > 0)
				lost.push(`${path.slice(CATALOGS.length)}: ${/.{0,60}\[context:L\d+\].{0,20}/.exec(text)?.[0]}`);
		}
	}
	expect(catalogs).toHaveLength(10);
	expect(lost.length / pairs, [...new Set(lost)].slice(0, 20).join('\n')).toBeLessThan(0.001);
});
