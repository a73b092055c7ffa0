import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { matrix, TESTED_WAYS } from './ways/matrix.ts';

test('the documents show the matrix of ways, as it is printed here', () => {
	const printed = matrix(clientVersions());
	process.stdout.write(`\n${printed}\n\n`);
	expect(readFileSync(join(PLUGIN_ROOT, 'docs', 'protection.md'), 'utf8')).toContain(`\n${printed}\n`);
});

test.each(TESTED_WAYS)('$way: there is a session for it', ({ file, title }) => {
	expect(readFileSync(new URL(file, import.meta.url), 'utf8')).toContain(title);
});
