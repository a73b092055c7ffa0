import { expect, test } from 'vitest';
import lists from '../../../server/redaction/words.json' with { type: 'json' };
import { isOrdinaryWord } from '../../../server/redaction/words.ts';

const wordsOf = (list: keyof typeof lists) => lists[list].join(' ').split(' ');

test.each(['ordinary', 'capitalised', 'fields', 'frequent'] as const)(
	'%s: is folded, sorted and without duplicates',
	(list) => {
		const words = wordsOf(list);
		expect(words.length).toBeGreaterThan(50);
		expect(words).toEqual([...new Set(words)].sort());
		expect(words.filter((word) => !/^[a-z]+$/.test(word))).toEqual([]);
	},
);

test('there are at least 3,000 words', () => {
	expect(wordsOf('ordinary').length).toBeGreaterThan(3000);
});

test('words of the shorter lists are ordinary', () => {
	const words = [...wordsOf('fields'), ...wordsOf('frequent'), ...wordsOf('capitalised')];
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
