import { describe, expect, test } from 'vitest';
import { prepareFile } from '../../../server/redaction/passages.ts';
import { redact } from '../../../server/redaction/redact.ts';

const CATALOG = prepareFile(`# Names

- Jane Doe
- Rául Ejemplo
- 山田太郎

The second owner of the old mill by the river wants to sell it before the winter comes.

- \`tok_9f8e\`
`);

function redacted(answer: string): string {
	return redact(answer, [CATALOG]).text;
}

describe('units', () => {
	test.each([
		['nothing here', 'nothing here'],
		['Jane Doe', '[context:L3]'],
		['JaneDoe, jane-doe', '[context:L3]'],
		['a: j a n e d o e.', 'a: [context:L3].'],
		['seedJaneDoe', 'seed[context:L3]'],
		['janeDoeAccount', '[context:L3]Account'],
		['jane_doe.json', '[context:L3].json'],
		['xjanedoe janedoes JANEDOEs', 'xjanedoe janedoes JANEDOEs'],
		['Jane Roe, Doe Jane', 'Jane Roe, [context:L3]'],
		['**Jane** Doe', '**[context:L3]'],
		['"Jane"\n"Doe"!', '"[context:L3]"!'],
		['RAUL&nbsp;ejemplo', '[context:L4]'],
		['Rau\u0301l Ejemplo\u0301!', '[context:L4]!'],
		['彼は山田太郎です', '彼は[context:L5]です'],
	])('%s → %s', (answer, expected) => {
		expect(redacted(answer)).toBe(expected);
	});
});

describe('runs', () => {
	test.each([
		['The second owner of the', '[context:L7]'],
		['the SECOND owner -- of\nthe', '[context:L7]'],
		['second owner of the', 'second owner of the'],
		['a mill by the river wanted it', 'a mill by the river wanted it'],
		['The mill by the river wants to go', 'The [context:L7] go'],
		['all the old mill by the river wants to sell it, so', 'all [context:L7], so'],
		['winter comes. tok_9f8e', 'winter comes. [context:L9]'],
		['the winter comes: `tok 9f8e`.', '[context:L7]`.'],
		['Names: Jane Doe, Raul Ejemplo', '[context:L1]'],
	])('%s → %s', (answer, expected) => {
		expect(redacted(answer)).toBe(expected);
	});

	test('five common words tell nothing, a sixth of a private kind does', () => {
		const file = prepareFile('We met him on the way to the old mill.');
		expect(redact('on the way to the', [file]).text).toBe('on the way to the');
		const fields = prepareFile('| first name | last name | street |\n|---|---|---|\n');
		expect(redact('first name, last name, street', [fields]).passages).toBe(0);
		expect(redact('the way to the mill; way to the old mill', [file]).text).toBe('the way to the mill; [context:L1]');
	});

	test('a run is found in other case where the file joins words', () => {
		const file = prepareFile('There the oldJaneFile was copied twice');
		for (const answer of ['THE OLDJANEFILE WAS COPIED TWICE', 'the old jane file was']) {
			expect(redact(answer, [file]).text).toBe('[context:L1]');
		}
	});
});

describe('passages side by side', () => {
	test.each([
		['in a line, become one', 'Jane Doe, Rául Ejemplo.', '[context:L3].'],
		['in two lines, stay two', 'Jane Doe\ntok_9f8e', '[context:L3]\n[context:L9]'],
		['in two cells, stay two', '| Jane Doe | tok_9f8e |', '| [context:L3] | [context:L9] |'],
		['with a word between them, stay two', 'Jane Doe and tok_9f8e', '[context:L3] and [context:L9]'],
		['without anything between them, become one', 'janeDoeTok_9f8e', '[context:L3]'],
	])('%s', (_, answer, expected) => {
		expect(redacted(answer)).toBe(expected);
	});
});

test('the passages are counted, and their lines are told in order, each once', () => {
	expect(redact('tok_9f8e or Jane Doe or tok 9f8e', [CATALOG])).toEqual({
		text: '[context:L9] or [context:L3] or [context:L9]',
		passages: 3,
		lines: [3, 9],
	});
	expect(redact('none', [CATALOG])).toEqual({ text: 'none', passages: 0, lines: [] });
});

test('where an entry is repeated, its first line is told', () => {
	const file = prepareFile('x\n\n`zebulon`\n- zebulon\n- zebulon');
	expect(redact('Zebulon', [file]).lines).toEqual([3]);
	const run = prepareFile('Alfa beta gama delta epsi omega.\n\n- alfa beta gama delta epsi');
	expect(redact('alfa beta gama delta epsi', [run]).lines).toEqual([1]);
});

test.each(['\n', '\r\n', '\r'])('lines end with %j', (lineBreak) => {
	expect(redact('Zebulon', [prepareFile(`a${lineBreak}${lineBreak}- Zebulon`)]).lines).toEqual([3]);
});

test('all files are looked at; of those that hold the same the first one gives the line', () => {
	const files = ['', '\n- Zebulon', '- Quist\n\n\n- Zebulon'].map((text) => prepareFile(text));
	expect(redact('Zebulon and Quist', files).text).toBe('[context:L2] and [context:L1]');
	expect(redact('Zebulon and Quist', files.toReversed()).text).toBe('[context:L4] and [context:L1]');
	expect(redact('Zebulon', []).text).toBe('Zebulon');
});

describe('references of the answer itself', () => {
	const file = prepareFile('- context\n- the context: L12\n- see [context:L12] in context L12 for that\n- Jane Doe');

	test.each(['[context:L12]', 'see [context:L12] in', '[context:L1], [context:L2]'])('%s stays', (answer) => {
		expect(redact(answer, [file, CATALOG])).toEqual({ text: answer, passages: 0, lines: [] });
	});

	test('nothing is found across one', () => {
		expect(redact('Jane [context:L4] Doe', [file]).text).toBe('Jane [context:L4] Doe');
		expect(redact('[context:L4]Jane Doe', [file]).text).toBe('[context:L4][context:L4]');
	});

	test('what only looks like one is text', () => {
		expect(redact('the context L12', [file]).text).toBe('[context:L2]');
	});
});
