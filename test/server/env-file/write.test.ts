import { describe, expect, test } from 'vitest';
import { editEnvFile } from '../../../server/env-file/write.ts';

describe('an assignment is changed in place', () => {
	test.each([
		['all other lines stay', '# c\n\nB=1\nA=1\nnonsense\nC = "2" \n', 'x', '# c\n\nB=1\nA=x\nnonsense\nC = "2" \n'],
		['the last one of several', 'A=1\nA=2\nB=3\n', 'x', 'A=1\nA=x\nB=3\n'],
		['export stays', 'export  A=1\n', 'x', 'export  A=x\n'],
		['indentation stays', '\t A=1\n', 'x', '\t A=x\n'],
		['blanks around = stay', 'A = 1\n', 'x', 'A = x\n'],
		['a comment stays', 'A=1  # c\n', 'x', 'A=x  # c\n'],
		['a comment behind quotes stays', "A='1' # 'c'\n", 'x', "A='x' # 'c'\n"],
		['a comment behind nothing stays', 'A= # c\n', 'x', 'A=x # c\n'],
		['blanks at the end stay', 'A=1 \t\n', 'x', 'A=x \t\n'],
		['blanks behind nothing stay behind', 'A=  \n', 'x', 'A=x  \n'],
		['a missing line ending stays so', 'A=1', 'x', 'A=x'],
		['the line ending stays', 'A=1\rB=2\r\n', 'x', 'A=x\rB=2\r\n'],
		['a byte-order mark stays', '\ufeffA=1\n', 'x', '\ufeffA=x\n'],
		['commented-out ones stay', '#A=1\n# A=2\nA=3\n#A=4\n', 'x', '#A=1\n# A=2\nA=x\n#A=4\n'],
		['names that only begin so stay', 'AB=1\nA=1\nBA=1\n', 'x', 'AB=1\nA=x\nBA=1\n'],
	])('%s', (_, text, value, edited) => {
		expect(editEnvFile(text, 'A', value)).toBe(edited);
	});
});

describe('the way of quoting stays where the value allows it', () => {
	test.each([
		['A=1', 'x', 'A=x'],
		["A='1'", 'x', "A='x'"],
		["A='1'", '', "A=''"],
		["A='1'", "it's", `A="it's"`],
		['A="1"', 'x', 'A="x"'],
		['A="1"', '', 'A=""'],
		['A="1"', '"x"', `A='"x"'`],
		['A=`1`', 'x', "A='x'"],
		['A=`1`', 'x*', "A='x*'"],
	])('%j set to %j', (text, value, edited) => {
		expect(editEnvFile(text, 'A', value)).toBe(edited);
	});
});

describe('a new variable is appended', () => {
	test.each([
		['to nothing', '', 'A=x\n'],
		['to a byte-order mark', '\ufeff', '\ufeff\nA=x\n'],
		['with LF', 'B=1\n', 'B=1\nA=x\n'],
		['with CRLF', 'B=1\r\n', 'B=1\r\nA=x\r\n'],
		['with CR', 'B=1\r', 'B=1\rA=x\r'],
		['with the first line ending', '#\r\n#\n', '#\r\n#\nA=x\r\n'],
		['behind a line without ending', 'B=1', 'B=1\nA=x\n'],
		['behind a line without ending, with the file’s own', 'B=1\r\nC=2', 'B=1\r\nC=2\r\nA=x\r\n'],
		['behind a comment', '# A=1', '# A=1\nA=x\n'],
		['behind a bare name', 'A', 'A\nA=x\n'],
		['behind blank lines', 'B=1\n\n', 'B=1\n\nA=x\n'],
	])('%s', (_, text, edited) => {
		expect(editEnvFile(text, 'A', 'x')).toBe(edited);
	});
});

describe('a variable is removed', () => {
	test.each([
		['with its line', 'B=1\nA=1 # c\nC=2\n', 'B=1\nC=2\n'],
		['at the end', 'B=1\nA=1', 'B=1\n'],
		['wherever it stands', 'A=1\nB=1\nA=2\nA=3\nC=1\nA=4', 'B=1\nC=1\n'],
		['but no byte-order mark', '\ufeffA=1\nB=1\n', '\ufeffB=1\n'],
		['but no comment', '# A=1\nA=1\n#A=2', '# A=1\n#A=2'],
		['of which there is none', 'B=1\r\n# A', 'B=1\r\n# A'],
	])('%s', (_, text, edited) => {
		expect(editEnvFile(text, 'A', undefined)).toBe(edited);
	});
});

test.each(['__proto__', 'constructor', 'export', '_', 'a9'])('%s is a name', (name) => {
	const text = editEnvFile('B=1\n', name, 'x');
	expect(text).toBe(`B=1\n${name}=x\n`);
	expect(editEnvFile(text, name, undefined)).toBe('B=1\n');
});
