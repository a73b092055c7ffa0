import { describe, expect, test } from 'vitest';
import { parseEnvFile } from '../../../server/env-file/parse.ts';

/** `[rule, text, what it holds]` */
type Row = [rule: string, text: string, variables: Record<string, string>];

function check(rows: readonly Row[]): void {
	test.each(rows)('%s: %j', (_, text, variables) => {
		expect([...parseEnvFile(text)]).toEqual(Object.entries(variables));
	});
}

describe('lines', () => {
	check([
		['nothing', '', {}],
		['one', 'A=1\n', { A: '1' }],
		['without an ending', 'A=1', { A: '1' }],
		['in order', 'B=1\nA=2\n', { B: '1', A: '2' }],
		['CRLF', 'A=1\r\nB=2\r\n', { A: '1', B: '2' }],
		['CR', 'A=1\rB=2\r', { A: '1', B: '2' }],
		['mixed endings', 'A=1\r\nB=2\rC=3\n\rD=4', { A: '1', B: '2', C: '3', D: '4' }],
		['blank ones', '\n \t\n\r\nA=1\n\n', { A: '1' }],
		['indented', ' \tA=1', { A: '1' }],
		['a byte-order mark', '\ufeffA=1', { A: '1' }],
		['a comment', '# A=1\n  #A=2\n#', {}],
		['export', 'export A=1\n  export\t B=2', { A: '1', B: '2' }],
		['a variable named export', 'export=1\nexport = 2', { export: '2' }],
		['a name twice', 'A=1\nB=2\nA=3', { A: '3', B: '2' }],
		['no assignment', 'A\nexport A\n=1\nset A=1\nA+=1\nA: 1\nB=2', { B: '2' }],
		['two in one line', 'A=1 B=2', { A: '1 B=2' }],
	]);
});

describe('names', () => {
	check([
		['letters, digits and _', '_a9Z=1', { _a9Z: '1' }],
		['a digit first', '9A=1', {}],
		['other characters', 'A-B=1\nA.B=1\nÄ=1\nA B=1', {}],
		['other case', 'a=1\nA=2', { a: '1', A: '2' }],
	]);

	test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s is one like any other', (name) => {
		expect(parseEnvFile('').get(name)).toBeUndefined();
		expect(parseEnvFile(`${name}=1`).get(name)).toBe('1');
	});
});

describe('without quotes', () => {
	check([
		['empty', 'A=\nB= \nC', { A: '', B: '' }],
		['trimmed', 'A= \t1 2\t \n', { A: '1 2' }],
		['blanks before =', 'A = 1', { A: '1' }],
		['other white space', 'A=\u00a01\u2003\f', { A: '1' }],
		['= in it', 'A==1=', { A: '=1=' }],
		['a comment', 'A=1 # 2', { A: '1' }],
		['a comment behind a tab', 'A=1\t#2', { A: '1' }],
		['# within it', 'A=1#2 #3', { A: '1#2' }],
		['# at its start', 'A=#1', { A: '#1' }],
		['a comment only', 'A= #1', { A: '' }],
		['quotes within it', `A=it's "b" \`c\``, { A: `it's "b" \`c\`` }],
		['backslashes', 'A=C:\\new\\', { A: 'C:\\new\\' }],
		['a backslash at the end of a line', 'A=1\\\nB=2', { A: '1\\', B: '2' }],
		['nothing is expanded', 'A=$HOME\nB=~/b\nC=$(id)', { A: '$HOME', B: '~/b', C: '$(id)' }],
	]);
});

describe('with quotes', () => {
	check([
		['single', "A='1'", { A: '1' }],
		['double', 'A="1"', { A: '1' }],
		['backticks', 'A=`1`', { A: '1' }],
		['empty', `A=''\nB=""\nC=\`\``, { A: '', B: '', C: '' }],
		['blanks around', "A =  '1' \t\n", { A: '1' }],
		['blanks within', `A=' 1 '\nB=" 2\t"`, { A: ' 1 ', B: ' 2\t' }],
		['a comment', `A='1' # '2'\nB="1"# 2\nC=\`1\`\t#`, { A: '1', B: '1', C: '1' }],
		['# within', `A='1 # 2'\nB="# "`, { A: '1 # 2', B: '# ' }],
		['other quotes within', `A='"\`'\nB="'\`"\nC=\`'"\``, { A: '"`', B: "'`", C: `'"` }],
		['no escapes', 'A="\\n"', { A: '\\n' }],
		['nothing is expanded', `A="$HOME"\nB='$HOME'`, { A: '$HOME', B: '$HOME' }],
		['not closed on the line', "A='1 # 2\nB=2", { A: "'1", B: '2' }],
		['the next one opens a value', "A='1\nB='2'", { A: "'1", B: '2' }],
		['text behind it', `A='1'2\nB="1" 2 # 3`, { A: "'1'2", B: '"1" 2' }],
	]);
});
