import { describe, expect, test } from 'vitest';
import { prepareFile } from '../../../server/redaction/passages.ts';
import { redact } from '../../../server/redaction/redact.ts';

function redacted(file: string, answer: string): string {
	return redact(answer, [prepareFile(file)]).text;
}

describe('each kind of unit is found', () => {
	test.each([
		['a list item', '# A\n\n- Jane Doe\n', 'Jane Doe', 3],
		['a list item with another bullet', '* Jane Doe\n+ John Roe', 'John Roe', 2],
		['a numbered item', '1. Jane Doe\n2) John Roe', 'John Roe', 2],
		['a task', '- [ ] Jane Doe\n- [x] John Roe', 'John Roe', 2],
		['a nested item', '- people\n  - friends\n    - zebulon', 'zebulon', 3],
		['an item in a quotation', '> - Zebulon', 'zebulon', 1],
		['a table cell', '| who | what |\n|---|---|\n| Zebulon | friend |', 'Zebulon', 3],
		['a cell of a table without outer bars', 'who | what\n-|-\nx | Zebulon', 'Zebulon', 3],
		['the value of a key', 'name: Zebulon Quist', 'Zebulon Quist', 1],
		['the value of a key in bold', '**name**: Zebulon', 'Zebulon', 1],
		['the value of a key with the colon in bold', '- **name:** Zebulon', 'Zebulon', 1],
		['the value of a key in a cell', '| a | b |\n|-|-|\n| x | code: zbq77 |', 'zbq77', 3],
		['the value of a second key', '- first name: Zebulon, last name: Quist', 'Quist', 1],
		['a value with commas', '- home: Quist, Zebulon', 'quist, zebulon', 1],
		['a value in the front matter', '---\ntitle: Zebulon\n---\n', 'Zebulon', 2],
		['a value in the last line of the front matter', '---\r\nx: y\r\nlogin: zbq77\r\n---\r\n', 'zbq77', 3],
		['a value in JSON', '```json\n{ "name": "Zebulon" }\n```', 'Zebulon', 2],
		['a code span', 'the login is `zbq77` here', 'zbq77', 1],
		['a code span of two backticks', 'the login is ``zbq`77`` here', 'zbq`77', 1],
		['a line of fenced code', '~~~\n# zbq77\n~~~', 'zbq77', 2],
		['a value in fenced code', '```\nTOKEN=zbq77\n```', 'zbq77', 2],
		['a line of indented code', 'So:\n\n    zbq77 -x\n', 'zbq77 -x', 3],
		['a quoted string', 'they call him "the zebu" there', 'the zebu', 1],
		['a string in single quotes', "they call him 'the zebu' there", 'the zebu', 1],
		['a string in curly quotes', 'they call him “the zebu” there', 'the zebu', 1],
		['a string in German quotes', 'they call him „the zebu“ there', 'the zebu', 1],
		['a string in French quotes', 'they call him «the zebu» there', 'the zebu', 1],
		['a quoted string over two lines', 'they call him "the\nzebu man" there', 'the zebu man', 1],
		['the text of a link', 'see [the zebu](x.html) there', 'the zebu', 1],
		['the text of a link with a comma, joined', '- [12 Quist, Zebu](https://a.example/z)', '12quistzebu', 1],
		['the text of a link with brackets, joined', 'see [(0171) 555-3659][1] there', '01715553659', 1],
		['the target of a link', 'see [there](https://a.example/zbq77 "x y")', 'https://a.example/zbq77', 1],
		['a curly quoted string over two lines', 'they call him “the\nzebu man” there', 'the zebu man', 1],
		['a value of ordinary words with commas', '- x: plain, ordinary, boring, words', 'plain ordinary boring words', 1],
		['a task of ordinary words', '- [x] at the same time', 'at the same time', 1],
		['an entry of more than five words', '- anna bela cora dora emma fina', 'annabelacoradoraemmafina', 1],
		['bold text', 'we call him **the zebu** here', 'the zebu', 1],
		['a line of a quotation', '> the zebu', 'the zebu', 1],
		['a short line', 'the zebu\nzbq77\n', 'zbq77', 2],
		['a comment', '<!-- the zebu -->', 'the zebu', 1],
		['a name in an entry', '- Jane Doe (accounting), jane@example.org', 'jane doe', 1],
		['an address in an entry', '- Jane Doe (accounting), jane@example.org', 'JANE@example.org', 1],
		['a part before a dash', '- zebulon – my friend', 'zebulon', 1],
		['a part between slashes', '- my friend / zebulon / yours', 'zebulon', 1],
		['a part between semicolons', '- my friend; zebulon; yours', 'zebulon', 1],
		['a part with a character reference', '- Smith &amp; Quist, zebulon', 'Smith & Quist', 1],
		['a name in a sentence', 'I am told that Jane Doe owns it.', 'jane doe', 1],
		['a name that starts a sentence', 'Call Jane Doe, who owns it.', 'jane doe', 1],
		['an initial and a name', 'It is J. Doe who owns it.', 'J. Doe', 1],
		['a telephone number in a sentence', 'Call me at +1 555 0100 at night.', '15550100', 1],
		['an address in a sentence', 'any address at mail.example counts', 'mail.example', 1],
		['a street in a sentence', 'I live at 12 Sample Street now.', '12 sample street', 1],
		['a number with letters in a sentence', 'It is EX-000-123 as of now.', 'EX000123', 1],
		['a key that is a name', '- Jane Doe: accounting', 'Jane Doe', 1],
		['a key that is a name with an ordinary word', '- Mark Quist: accounting', 'Mark Quist', 1],
		['a line behind what closes no fence', '```\nx\n``` y\n# Zebulon\n```', 'Zebulon', 4],
		['a key that is an address', '- build.example: a host', 'build.example', 1],
		['a part before a dash after a hyphen', '- e-mail - zebulon', 'zebulon', 1],
		['a name after a bracket', 'Ask Anna (Zed Quist at last)', 'zed quist', 1],
		['an entry that is a key elsewhere', '- Zebulon\n\nZebulon: friend', 'Zebulon', 1],
		['a long entry of few words', `- ${'zeb'.repeat(50)} quist`, `${'zeb'.repeat(50)} QUIST`, 1],
	])('%s', (_, file, unit, line) => {
		expect(redacted(file, `It says ${unit}; so.`)).toBe(`It says [context:L${line}]; so.`);
	});
});

describe('what counts, on its own in an entry', () => {
	test.each([
		...[
			'Customer Rose',
			'MarkYoung',
			'Mark Young',
			'MARK YOUNG',
			'janedoe',
			'Zebulon',
			'EX-000-123',
			'build.internal.example',
			'+1 555 0100',
		],
		...[
			'12 Sample Street',
			'Jane',
			'4711',
			'ab1',
			'山田',
			'김민',
			'two plain ordinary words',
			'silver otter',
			'Mill 12',
			'mill 4711',
		],
	])('%s', (entry) => {
		expect(redacted(`- ${entry}`, `(${entry})`)).toContain('[context:L1]');
	});
});

describe('what does not count, on its own in an entry', () => {
	test.each([
		...['Mark', 'TODO', 'telephone', 'customer number', 'Customer number', 'Customer Number', 'date of birth'],
		...[
			'Date Of Birth',
			'the API key',
			'internal URL',
			'last Monday',
			"customer's name",
			'userName',
			'dirtyFlag',
			'userFileName',
			'config.json',
		],
		...['README.md', '123', 'ab', '-', '山', '김', 'line 12', 'Line 12', '30 days', 'no', 'as far'],
	])('%s', (entry) => {
		expect(redacted(`- ${entry}`, `(${entry})`)).toBe(`(${entry})`);
	});

	test('an apostrophe parts no entry', () => {
		expect(redacted("- O'Quist", "quist or o'quist")).toBe('quist or [context:L1]');
	});

	test('four ordinary words between commas are a stock phrase, in an entry of their own they are not', () => {
		expect(redacted('- zebu, at the same time', 'at the same time')).toBe('at the same time');
		expect(redacted('- at the same time', 'at the same time')).toBe('[context:L1]');
	});
});

describe('labels stay', () => {
	test.each([
		['a heading', '# Zebulon\n\n- Zebulon'],
		['a heading without blank', '- Zebulon\n\n## Zebulon ##'],
		['an underlined heading', 'Zebulon\n=======\n\n- zebulon'],
		['another underlined heading', 'Zebulon\n---\n\n- zebulon'],
		['a heading behind fenced code', '```\nx\n```\n# Zebulon\n- Zebulon'],
		['a heading behind the front matter', '---\nx: y\n---\n# Zebulon\n- Zebulon'],
		['the header of a table', '| Zebulon | x |\n|:--|--:|\n| Zebulon | y |'],
		['a key', '- Zebulon: friend\n- a friend, Zebulon'],
		['a quoted key', '```\n"zebulon": "friend"\n```'],
		['a key in the front matter', '---\nzebulon: friend\n---'],
	])('%s', (_, file) => {
		expect(redacted(file, 'See Zebulon, entry 1.')).toBe('See Zebulon, entry 1.');
	});

	test.each([
		['a URL', 'https://zebulon.example'],
		['a time', 'Zebulon 10:30'],
	])('the colon of %s makes no key', (_, entry) => {
		expect(redacted(`- ${entry}`, entry)).toBe('[context:L1]');
	});

	test.each([
		['a key of ordinary words', 'Green Door: x'],
		['a key of a single name', 'Quist: x'],
		['a short key', 'Q7: x'],
		['a key in sentence case', 'The quist: x'],
		['ordinary words in capitals in a sentence', 'We open a Pull Request for it.'],
		['words parted by hyphens', '- quist-mail-order-zebu'],
		['words parted by a hyphen and a blank', '- quist- mail order zebu'],
	])('%s makes no unit', (_, file) => {
		for (const answer of ['green door', 'quist', 'q7', 'the quist', 'pull request', 'mail order zebu']) {
			expect(redacted(file, answer)).toBe(answer);
		}
	});

	test('a fence is closed by one of its own kind', () => {
		expect(redacted('```\n~~~\n# Zebulon\n```', 'Zebulon')).toBe('[context:L3]');
	});

	test('a comment in fenced code is no heading', () => {
		expect(redacted('```\n# Zebulon\n```\n- Zebulon', 'Zebulon')).toBe('[context:L2]');
	});
});
