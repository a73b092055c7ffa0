import { expect, test } from 'vitest';
import commonWords from '../../../server/redaction/common-words.json' with { type: 'json' };
import lists from '../../../server/redaction/words.json' with { type: 'json' };
import { isOrdinaryWord, isRareWord } from '../../../server/redaction/words.ts';

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

test.each([...['quackenbush', 'thornquist', 'zolc', 'achterberg', 'mussiggang', 'ab12'], ...['straße', 'żółć']])(
	'"%s" is rare',
	(word) => {
		expect(isRareWord(word)).toBe(true);
	},
);

test.each([
	...['smith', 'baker', 'young', 'garcia', 'schmidt', 'anna', 'markus', 'berlin', 'einstein', 'doe', ''],
	...['sparrow', 'chimeras', 'webpack', 'stringify', 'gmail', 'jaeger', 'helvetica', 'telephone'],
	...['kumar', 'nowak', 'rossi', 'tanaka', 'schroder', 'zimmermann', 'boulanger', 'iglesias'],
])('"%s" is not rare', (word) => {
	expect(isRareWord(word)).toBe(false);
});

test('the list of common words is folded, sorted, and as short as it is said to be', () => {
	expect(JSON.stringify(commonWords).length).toBeLessThan(150_000);
	expect(commonWords.filter((line) => !/^[a-z]+(?:\d[a-z]+)*$/.test(line))).toEqual([]);
	const heads = commonWords.map((line) => line.split(/\d/, 1)[0] ?? '');
	expect(heads).toEqual([...heads].sort());
});
