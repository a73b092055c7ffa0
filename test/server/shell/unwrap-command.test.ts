import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unwrapCommand } from '../../../server/shell/invocation.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** `[rule, command, what is in the wrapper]` */
type Row = [rule: string, command: string, inner: string];

const HEREDOC = 'cat <<\'EOF\' >/dev/null\na `b` $(c) $d \\ "e"\nEOF\necho';

describe('the wrapper is removed', () => {
	const rows: Row[] = [
		['single quotes', "bash -c 'ls -l'", 'ls -l'],
		['double quotes', 'bash -c "ls -l"', 'ls -l'],
		['one plain word', 'bash -c ls', 'ls'],
		['all plain characters', 'bash -c AZaz09_./,:@%+-', 'AZaz09_./,:@%+-'],
		['blanks around and between', ' \t bash\t -c \t "ls" \t ', 'ls'],
		['line ends around', '\n\n bash -c "ls"\n\n\t\n', 'ls'],
		['blanks and line ends within', "bash -c ' \n ls \n '", ' \n ls \n '],
		['nothing expands in single quotes', 'bash -c \'a $x $(b) `c` \\ \\\\ "d" !e\'', 'a $x $(b) `c` \\ \\\\ "d" !e'],
		['a line end behind \\ stays in single quotes', "bash -c 'a \\\nb'", 'a \\\nb'],
		['the escapes of double quotes', 'bash -c "\\$x \\`a\\` \\"b\\" \\\\ c"', '$x `a` "b" \\ c'],
		['a line end behind \\ goes in double quotes', 'bash -c "a \\\nb"', 'a b'],
		['a line end behind \\\\ stays in double quotes', 'bash -c "a \\\\\nb"', 'a \\\nb'],
		['any other \\ stays in double quotes', 'bash -c "a\\n \\t \\\' \\! \\é \\😀"', "a\\n \\t \\' \\! \\é \\😀"],
		['single quotes in double quotes', `bash -c "echo 'a  b'"`, "echo 'a  b'"],
		['an ! is no history in a program', 'bash -c "! a !b !!"', '! a !b !!'],
		['quotes one behind the other', `bash -c 'it'"'"'s'"\\$x"`, "it's$x"],
		['a quote between two parts', `bash -c 'echo '\\''a b'\\'''`, "echo 'a b'"],
		['quotes that are empty', `bash -c ''"ls"''`, 'ls'],
		['escapes without quotes', 'bash -c echo\\ \\$x\\;\\#\\\\\\\t\\~\\é\\😀\\n', 'echo $x;#\\\t~é😀n'],
		['a line end behind \\ goes without quotes', "bash -c \\\n'a'\\\n'b'\\\n", 'ab'],
		['operators and comments within', `bash -c 'a && b; c | d & # e'`, 'a && b; c | d & # e'],
		['a heredoc with all that expands elsewhere', `bash -c '${HEREDOC.replaceAll("'", `'"'"'`)}'`, HEREDOC],
		['a heredoc without end', "bash -c 'cat <<E\na'", 'cat <<E\na'],
		['a \\ at the end', "bash -c 'a \\'", 'a \\'],
		['an escaped \\ at the end', 'bash -c "a \\\\"', 'a \\'],
		['no whole program', `bash -c 'if "('`, 'if "('],
		['another program with options', 'bash -c "bash script.sh -c; sh -c b"', 'bash script.sh -c; sh -c b'],
		['bash, but later', `bash -c 'cd a && bash -c "b"'`, 'cd a && bash -c "b"'],
		['letters of all scripts', `bash -c 'äöü 漢字 😀' `, 'äöü 漢字 😀'],
	];

	test.each(rows)('%s: %j', (_, command, inner) => {
		expect(unwrapCommand(command)).toBe(inner);
	});
});

describe('the command stays', () => {
	test.each([
		['nothing', ''],
		['blanks', ' \n'],
		['no wrapper', 'ls -l'],
		['bash only', 'bash'],
		['no word', 'bash -c'],
		['a blank for a word', 'bash -c \n'],
		['a line end behind \\ for a word', 'bash -c \\\n'],
		['no blank before the word', "bash -c'ls'"],
		['no blank before -c', "bash-c 'ls'"],
		['a line end before -c', "bash\n-c 'ls'"],
		['a line end before the word', "bash -c\n'ls'"],
		['a line end and a blank before the word', "bash -c \n'ls'"],
		['another vertical blank before the word', "bash -c\v'ls'"],
		['a no-break space behind the word', "bash -c 'ls'\u00a0"],
		['another option', 'bash -lc "ls"'],
		['an option before', 'bash -l -c "ls"'],
		['an option behind', 'bash -c -l "ls"'],
		['another command before', 'env bash -c "ls"'],
		['an assignment before', 'A=1 bash -c "ls"'],
		['a command in the line before', 'a\nbash -c "ls"'],
		['exec', 'exec bash -c "ls"'],
		['a negation', '! bash -c "ls"'],
		['a path', '/bin/bash -c "ls"'],
		['another shell', 'sh -c "ls"'],
		['yet another shell', 'zsh -c "ls"'],
		['another name that ends so', 'rbash -c "ls"'],
		['a name in quotes', '"bash" -c "ls"'],
		['an option in quotes', 'bash "-c" "ls"'],
		['a capital', 'Bash -c "ls"'],
		['another capital', 'bash -C "ls"'],
		['&& behind', 'bash -c "a" && b'],
		['|| behind', 'bash -c "a" || b'],
		['; behind', 'bash -c "a"; b'],
		['; without more', 'bash -c "a";'],
		['a pipe', 'bash -c "a" | b'],
		['& behind', 'bash -c "a" &'],
		['& without a blank', 'bash -c "a"&'],
		['another argument', 'bash -c "a" "b"'],
		['another plain argument', "bash -c 'a' b"],
		['a command in the next line', "bash -c 'a'\nb"],
		['a comment', 'bash -c "a" # b'],
		['a comment in the next line', 'bash -c "a"\n# b'],
		['a # in the word', 'bash -c "a"# b'],
		['a redirection', 'bash -c "a" >/dev/null'],
		['a redirection without a blank', 'bash -c "a">/dev/null'],
		['a redirection of a number', 'bash -c "a" 2>&1'],
		['a redirection before', '>/dev/null bash -c "a"'],
		['a heredoc behind', "bash -c 'a' <<E\nb\nE"],
		['a group', '(bash -c "a")'],
		['an end that is escaped', 'bash -c "a" \\\n'],
		['a lone single quote', "bash -c 'ls"],
		['a lone double quote', 'bash -c "ls'],
		['a lone quote at the end', `bash -c "ls"'`],
		['a double quote that is escaped', 'bash -c "ls\\"'],
		['no \\ escapes in single quotes', "bash -c 'ls\\''"],
		['a \\ at the very end', "bash -c 'ls'\\"],
		['a \\ at the end of double quotes without end', 'bash -c "ls\\'],
		['a variable', 'bash -c "echo $x"'],
		['a variable in braces', `bash -c "echo \${x}"`],
		['a command substitution', 'bash -c "echo $(a)"'],
		['backticks', 'bash -c "echo `a`"'],
		['a $ behind an escaped \\', 'bash -c "echo \\\\$x"'],
		['a $ before a blank', 'bash -c "a $ b"'],
		['a $ at the end of double quotes', 'bash -c "a$"'],
		['a variable without quotes', 'bash -c $x'],
		['backticks without quotes', 'bash -c `a`'],
		['ANSI-C quotes', "bash -c $'a\\nb'"],
		['translated quotes', 'bash -c $"a"'],
		['expansion behind quotes', `bash -c 'a'$x`],
		...Array.from('~*?[]{}()<>|&;!^=#$`é', (character) => [`${character} without quotes`, `bash -c a${character}b`]),
		['~ at the start', 'bash -c ~'],
		['an option for a word', 'bash -c -x'],
		['an option for a word in quotes', "bash -c '-x'"],
		['an option that switches off', 'bash -c "+x"'],
		['the end of options', "bash -c '--'"],
		['two layers', `bash -c "bash -c 'a'"`],
		['two layers with blanks', `bash -c ' \n\tbash \t -c a'`],
		['two layers with another option', `bash -c 'bash -lc "a"'`],
		['nothing in quotes', "bash -c ''"],
		['blanks in quotes', `bash -c " \n"'\t'`],
		['a NUL', "bash -c 'a\0b'"],
		['a NUL behind', "bash -c 'ls'\0"],
		['a carriage return', "bash -c 'a\r\nb'"],
		['a carriage return at the end', "bash -c 'a'\r\n"],
		['a control character', "bash -c 'a\u0001b'"],
		['another control character', "bash -c 'a\u001bb'"],
		['delete', "bash -c 'a\u007fb'"],
		['half a surrogate pair', "bash -c 'a\ud83db'"],
		['a surrogate pair in two halves', "bash -c '\ud83d''\ude00'"],
	])('%s: %j', (_, command) => {
		expect(unwrapCommand(command)).toBe(command);
	});
});

test.each(['a', ' ', '\n', "'", "''", '"', '\\"', '\\\\', '\\a', "\\\n''", 'bash -c ', '\ud83d'])(
	'no command takes long: %j again and again',
	(part) => {
		const repeated = part.repeat(500_000 / part.length);
		for (const start of ['', 'bash ', 'bash -c ', 'bash -c "', "bash -c '"]) {
			for (const end of ['', '"', "'", '$']) expect(typeof unwrapCommand(`${start}${repeated}${end}`)).toBe('string');
		}
	},
);

/** A `bash` that runs nothing, and tells with what arguments it was called: each with a NUL behind it. */
const FAKE_BASH = `#!/bin/sh\nprintf '%s\\0' "$@"\n`;

const PIECES = [
	...['a', 'ls', 'bash', '-c', 'bash -c ', 'x=1', 'é', '😀'],
	...[' ', '\t', '\n', '  ', '&&', '||', '; ', '|', '&', '#', ' # c', '!', '!!', '~', '*', '{a,b}', '[a]', '(', ')'],
	...['\\', '\\\\', '\\\n', '\\$', '\\`', '\\"', "\\'", '\\n', '\\ ', '\\é', '"', "'", '`', '`a`'],
	...['$', '$x', `\${x}`, '$(a)', "$'a'", '$"a"', ' >/dev/null', '<<E\n', '\nE\n', '-', '+', '%', ',', '/'],
];
const piece = fc.oneof(
	{ weight: 40, arbitrary: fc.constantFrom(...PIECES) },
	{ weight: 1, arbitrary: fc.constantFrom('\ud83d', '\ude00', '\u0001', '\u007f', '\r') },
);
const text = fc.string({ unit: piece, maxLength: 8 });

/** Parts of a word that most often go together without more; a piece of any kind is among them now and then. */
const part = fc.oneof(
	{ weight: 6, arbitrary: text.map((raw) => `'${raw.replaceAll("'", '')}'`) },
	{ weight: 6, arbitrary: text.map((raw) => `"${raw.replace(/\\?["$`]/g, '\\$&').replace(/\\$/, '')}"`) },
	{ weight: 2, arbitrary: piece.map((raw) => `"${raw}"`) },
	{ weight: 3, arbitrary: piece.map((raw) => `\\${raw}`) },
	{ weight: 2, arbitrary: fc.constantFrom('a', '-', '\\\n', '\\ ', `"'"`) },
	{ weight: 1, arbitrary: piece },
);
const around = fc.oneof(
	{ weight: 6, arbitrary: fc.constant('') },
	{ weight: 4, arbitrary: fc.constantFrom(' ', '\n', ' \t', '\n\n') },
	{ weight: 1, arbitrary: text },
);
const between = fc.oneof(
	{ weight: 9, arbitrary: fc.constantFrom(' ', '\t ') },
	{ weight: 1, arbitrary: fc.constantFrom('', '\n', '\\\n', ' -l ') },
);
const wrapped = fc
	.tuple(around, between, between, fc.array(part, { minLength: 1, maxLength: 5 }), around)
	.map(([before, first, second, word, after]) => `${before}bash${first}-c${second}${word.join('')}${after}`);

test.skipIf(process.platform === 'win32')(
	'what comes back is what bash would have given to the inner one',
	async () => {
		const folder = await temporaryFolder();
		await writeFile(join(folder, 'bash'), FAKE_BASH, { mode: 0o755 });
		const runs = 600;
		let unwrapped = 0;
		fc.assert(
			fc.property(wrapped, (command) => {
				const inner = unwrapCommand(command);
				if (inner === command) return;
				unwrapped += 1;
				// There is no other program in the folder.
				const { status, stdout, stderr } = spawnSync('/bin/bash', ['-c', command], {
					env: { PATH: folder, LC_ALL: 'C.UTF-8', x: '1' },
					// To a pipe of Node's bash listens as to a network connection, and reads ~/.bashrc.
					stdio: ['ignore', 'pipe', 'pipe'],
					encoding: 'utf8',
				});
				expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `-c\0${inner}\0`, stderr: '' });
			}),
			{ numRuns: runs },
		);
		expect(unwrapped).toBeGreaterThan(runs / 5);
	},
);
