import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mayHold, prepareEntries } from '../../../server/redaction/occurrences.ts';
import { prepareFile } from '../../../server/redaction/passages.ts';
import { linesIn, passagesIn } from '../../../server/redaction/redact.ts';
import { random } from '../../support/random.ts';
import { runs } from '../../support/runs.ts';
import { ESCAPES, makeEntries } from './writings/entries.ts';

/** How a text is found to repeat a file of one entry: what of it, and how surely. */
function found(entry: string, text: string): string[] {
	return passagesIn(text, [prepareFile(`- ${entry}`)]).map(
		({ start, end, certainty }) => `${certainty}: ${text.slice(start, end)}`,
	);
}

describe('what anybody writes is nothing of the entry', () => {
	test.each([
		['Anna Young', 'Anna, a young developer, and Ann Younger; a Young one'],
		['Anna Smith', 'Smith, smith@mail.example and anna@mail.example'],
		['Mark Young', 'young marks and young mark'],
		['Samuel Jackson', "Samuel and Jackson, it's Jackson, Jackson 1984"],
		['Earline Calle', 'call(e), call e, callE'],
		['Charis Has', 'the char is, m.has(x), charIs'],
		['Caleb Heese', 'extra cheese'],
		['Lin So', 'line, so; LINESO, lineso, lin e so'],
		['Lin Wu', 'lwu, l wu, LWU, L Wu'],
		['Juergen Koehler', 'J. Kohler, jkohler'],
		['Zebulon Quackenbush', 'Zebulon is a town'],
		['info@mail.example', 'info; other, mail.example, info@other.example'],
		['jane.private@gmail.com', 'gmail.com, private, jane@gmail.com'],
		['+49 170 1234567', '1234567, 170, 01701234568, 491701234'],
		['+1 555 0100', '5550100 and 0100'],
		['1984-03-07', '1984, 07.03.1985, 1.984.307, 1984, 307, v1.9.84-307, 731984'],
		['Jürgen Groß', 'large'],
		['Michael Boe', 'Michal Bo'],
		['irow', 'for (let i = 0; i < row; i++)'],
		['EX-317557', '317557'],
		['Anna Zolc', 'zolc'],
		['Anna Zolce', 'zolce'],
		['ann.wu@gmail.com', 'ann.wu'],
		['michael@gmail.com', 'michael'],
		['info@mail.quackenbush', 'quackenbush'],
		['+1 555 123 4567', '05551234567'],
		['+49 1 2 34', '0049 1234'],
		['0170 1234', '1701234'],
		['170 123 456', '70123456'],
	])('%s: %s', (entry, text) => {
		expect(found(entry, text)).toEqual([]);
	});
});

describe('an entry is found in the writings of people', () => {
	test.each([
		['Zebulon Quackenbush', 'Quackenbush, Zebulon', 'certain'],
		['Zebulon Quackenbush', 'Z. Quackenbush', 'certain'],
		['Zebulon Quackenbush', 'zquackenbush', 'certain'],
		['Zebulon Quackenbush', 'Zebulon "Zeb" Quackenbush', 'certain'],
		['Zebulon Quackenbush', 'Zebulon (Zeb) Quackenbush', 'certain'],
		['Zebulon Quackenbush', 'ZebulonLQuackenbush'.replace('LQ', '_l_q').toLowerCase(), 'certain'],
		['Zebulon Quackenbush', 'Zebulon Maria Quackenbush', 'likely'],
		['Zebulon Quackenbush', 'quackenbush', 'likely'],
		['Quackenbush, Zebulon', 'Zebulon L. Quackenbush', 'certain'],
		['Dr. Zebulon Quackenbush', 'Zebulon Quackenbush', 'certain'],
		['Ms Quackenbush', 'quackenbush', 'likely'],
		['Zebulon McQuackenbush', 'McQuackenbush', 'likely'],
		['Samuel Jackson', 'Samuel L. Jackson', 'certain'],
		['Samuel Jackson', 'Samuel R. R. Jackson', 'certain'],
		['Samuel Jackson', 'Jackson, Samuel', 'certain'],
		['Samuel Jackson', 'S. Jackson', 'likely'],
		['Samuel Leroy Jackson', 'Samuel Jackson', 'likely'],
		['Samuel L. Jackson', 'samuelLJackson', 'certain'],
		['Zebulon Quincy Quackenbush', 'Z. Q. Quackenbush', 'certain'],
		['Zebulon Quackenbush', 'Zebulon\nQuackenbush', 'certain'],
		['Zebulon Quackenbush', 'Zebulon\n// Quackenbush', 'certain'],
		['Zebulon Quackenbush', 'Zebulon\n# Quackenbush', 'certain'],
		['Zebulon Quackenbush', 'Zebulon\n * Quackenbush', 'certain'],
		['Kim Lee', 'Kim Q. Lee', 'certain'],
		['Kim Lee', 'kim_q_lee', 'certain'],
		['Kim Lee', 'KimQLee', 'certain'],
		['Lin Wu', 'L. Wu', 'likely'],
		['Mark Young', 'Young, Mark', 'certain'],
		['Haverstock Surgery', 'haverstock', 'likely'],
		['Haverstock Thornquist Surgery', 'haverstock', 'likely'],
		['Anna Zolce', 'Zolce', 'likely'],
		['Jürgen Müller', 'Juergen Mueller', 'certain'],
		['Juergen Mueller', 'Jürgen Müller', 'certain'],
		['Juergen Mueller', 'M&uuml;ller, J&uuml;rgen', 'certain'],
		['Juergen Koehler', 'J. Köhler', 'likely'],
		['Jürgen Köhler', 'J. Koehler', 'likely'],
		['Karl-Heinz Übelacker', 'K.-H. Uebelacker', 'certain'],
		['Karl-Heinz Uebelacker', 'Übelacker, Karl-Heinz', 'certain'],
		['Łukasz Żółć', 'zolc, lukasz', 'certain'],
		['Königsallee 7', 'Koenigsallee 7', 'certain'],
		['zq.private@quackmail.example', 'zq.private', 'likely'],
		['4711.quackenbush@mail.example', '4711.quackenbush', 'likely'],
		['Quackenbush, Dr. Zebulon', 'Zebulon Quackenbush', 'certain'],
		['zq.private@mail.quackmail.example', 'quackmail.example', 'likely'],
		['info@quackmail.example', 'quackmail.example', 'likely'],
		['info@quackenbush-mail.example', 'quackenbush-mail.example', 'likely'],
		['quackenbush.info@mail.example', 'quackenbush.info', 'likely'],
		['+49 170 1234567', '0170 1234567', 'certain'],
		['+49 170 1234567', '0049 170/1234567', 'certain'],
		['+49 (0)170 1234567', '49 170 1234567', 'certain'],
		['+49 170 1234567', '49 (0)170 1234567', 'certain'],
		['+1 555 123 4567', '(555) 123-4567'.slice(1), 'certain'],
		['0170 1234567', '170 1234567', 'likely'],
		['1984-03-07', '07.03.1984', 'certain'],
		['1984-03-07', '7. März 1984', 'certain'],
		['1984-12-31', '31.12.1984', 'certain'],
		['1984-03-03', '03/03/1984', 'certain'],
		['1984-03-13', '3/13/1984', 'certain'],
		['1984-03-01', 'March 1st, 1984', 'certain'],
		['1984-03-07', 'March 7th, 1984', 'certain'],
		['1984-03-07', '03/07/1984', 'likely'],
		['+49 30 123456', '30 123456', 'likely'],
		['1984-03-17', '3/17/1984', 'certain'],
		['March 7, 1984', '19840307', 'certain'],
		['7.3.1984', '1984-03-07', 'certain'],
		['03/07/1984', '7 March 1984', 'likely'],
		['03/07/1984', 'July 3, 1984', 'likely'],
		['03/17/1984', '1984-03-17', 'certain'],
		['Quackenbush', 'Quacken-\n  bush', 'certain'],
		['Quackenbush', '\x1b[31mQuacken\x1b[0mbush'.slice(5), 'certain'],
	] as const)('%s as %s', (entry, writing, certainty) => {
		expect(found(entry, `see ${writing} there`)).toEqual([`${certainty}: ${writing}`]);
	});

	test('a number without a calling code is found behind any', () => {
		expect(found('0170 1234567', '+491701234567')).toEqual(['likely: 1701234567']);
	});

	test('a name is found in the name of a file', () => {
		expect(found('Zebulon Quackenbush', 'docs/quackenbush-letter.md')).toEqual(['likely: quackenbush']);
	});
});

describe('where a letter behind a backslash may be an escape or not', () => {
	test.each([
		['newbury quackenbush', 'C:\\newbury\\quackenbush', 'newbury\\quackenbush'],
		['Zebulon Quackenbush', '"Zebulon\\nquackenbush"', 'Zebulon\\nquackenbush'],
		['Tom Quackenbush', 'people\\tom-quackenbush.txt', 'tom-quackenbush'],
		['Tom Quackenbush', `${'x'.repeat(300)}\\tom-quackenbush`, 'tom-quackenbush'],
	])('%s is found in %s', (entry, text, repeated) => {
		expect(found(entry, text)).toEqual([`certain: ${repeated}`]);
	});
});

test('an entry that is whole in one line, and a part of another one there, is told as the whole', () => {
	const file = prepareFile('- Zebulon Quackenbush\n- Quackenbush');
	expect(passagesIn('Quackenbush', [file])).toMatchObject([{ line: 2, certainty: 'certain' }]);
});

test('each line counts by itself where places are asked for', () => {
	const file = prepareFile('- Zebulon Quackenbush\n- Quackenbush\n- Samuel Jackson');
	const text = 'Zebulon Quackenbush, Samuel L. Jackson, 7';
	const lines = linesIn(text, file).map(({ start, end, line }) => `${line}: ${text.slice(start, end)}`);
	expect(lines).toEqual(['1: Zebulon Quackenbush', '2: Quackenbush', '3: Samuel L. Jackson']);
});

test('the filter lets every writing through', () => {
	const entries = makeEntries(240, random(3));
	const all = prepareEntries(entries.map(({ text }) => `- ${text}`).join('\n'));
	const writing = fc.constantFrom(...entries.flatMap(({ writings }) => writings.map(([text]) => text)));
	const around = fc.constantFrom('', ' ', 'x', '"', '\\n', '\n', '%20', '+', '&lt;', '(', '日');
	fc.assert(
		fc.property(around, writing, around, fc.constantFrom(...Object.values(ESCAPES)), (before, text, after, escaped) => {
			const whole = before + escaped(text) + after;
			const own = prepareEntries(`- ${text}`);
			if (passagesIn(whole, [own.file]).length === 0) return;
			expect(mayHold(whole, own)).toBe(true);
			if (!/[x日]/.test(before + after)) expect(mayHold(whole, all)).toBe(true);
		}),
		{ numRuns: runs(2000) },
	);
});
