import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FIELD_WORDS } from '../../../server/quoting/field-words.ts';
import { isOrdinaryWord } from '../../../server/quoting/ordinary-words.ts';
import { PLUGIN_ROOT } from '../../support/paths.ts';

/** The words of a list in a source file. */
function listed(file: string, name: string): string[] {
	const source = readFileSync(join(PLUGIN_ROOT, 'server/quoting', file), 'utf8');
	return source.split(`const ${name} = \`\n`)[1]?.split('\n`')[0]?.split(/\s+/) ?? [];
}

test.each([
	['ordinary-words.ts', 'WORDS'],
	['ordinary-words.ts', 'CAPITALISED'],
	['field-words.ts', 'FIELD_WORDS'],
	['common-words.ts', 'FREQUENT_WORDS'],
])('%s: %s is folded, sorted and without duplicates', (file, name) => {
	const words = listed(file, name);
	expect(words.length).toBeGreaterThan(50);
	expect(words).toEqual([...new Set(words)].sort());
	expect(words.filter((word) => !/^[a-z]+$/.test(word))).toEqual([]);
});

test('there are at least 3,000 words', () => {
	expect(listed('ordinary-words.ts', 'WORDS').length).toBeGreaterThan(3000);
});

test('words of the shorter lists are ordinary', () => {
	const words = [
		...FIELD_WORDS.split(/\s+/),
		...listed('common-words.ts', 'FREQUENT_WORDS'),
		...listed('ordinary-words.ts', 'CAPITALISED'),
	];
	expect(words.filter((word) => !isOrdinaryWord(word))).toEqual([]);
});

test.each([
	...['the', 'mark', 'rose', 'baker', 'telephone', 'monday', 'went', 'json', 'localhost', 's'],
	...['files', 'addresses', 'companies', 'added', 'moved', 'planned', 'carried', 'scanning', 'writing', 'running'],
	...['faster', 'larger', 'bigger', 'easier', 'strongest', 'largest', 'earliest', 'quickly', 'easily', 'simply'],
])('%s is ordinary', (word) => {
	expect(isOrdinaryWord(word)).toBe(true);
});

test.each([
	...['jane', 'doe', 'zebulon', 'janedoe', 'smithers', 'berlin', 'constructor2', 'ines', 'asher', 'ming', ''],
	...['straße', '山', '2024', 'iban1'],
])('"%s" is not', (word) => {
	expect(isOrdinaryWord(word)).toBe(false);
});
