import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../support/runs.ts';
import { reachedIn } from './place.ts';

/** Ways to write one component of a path. */
const quoting = fc.constantFrom<(text: string) => string>(
	(text) => text,
	(text) => `'${text}'`,
	(text) => `"${text}"`,
	(text) => `\\${text}`,
	(text) => `${text.slice(0, 2)}''${text.slice(2)}`,
	(text) => `${text.slice(0, 1)}"${text.slice(1)}"`,
	(text) => `$'${text}'`,
	(text) => `$'\\x${text.charCodeAt(0).toString(16)}${text.slice(1)}'`,
	(text) => [...text].map((character) => `\\${character}`).join(''),
	(text) => `{${text},other}`,
	(text) => `${text.slice(0, -1)}?`,
	(text) => `${text.slice(0, 1)}*`,
	(text) => `[${text.slice(0, 1)}]${text.slice(1)}`,
);

/** What stands between two components and changes nothing. */
const divider = fc.constantFrom('/', '//', '/./', '/x/../', '/.//y/z/../../', '"/"', '\\/', '/"x"/../');

/** Ways to write the home folder. */
const start = fc.constantFrom(
	'/home/u',
	'~',
	'~u',
	'$HOME',
	'"$HOME"',
	`\${HOME}`,
	`"\${HOME}"`,
	'..',
	'./..',
	'/tmp/home',
	'deep/../..',
	'/tmp/../home/u',
);

const spelling = fc
	.tuple(start, divider, quoting, divider, quoting)
	.map(([home, first, folder, second, file]) => `${home}${first}${folder('private')}${second}${file('catalog.md')}`);

const command = fc.constantFrom<(path: string) => string>(
	(path) => `cat ${path}`,
	(path) => `cat <${path}`,
	(path) => `true && head -n 3 ${path} | tail`,
	(path) => `(cat ${path})`,
	(path) => `X=$(cat ${path})`,
	(path) => `cat - <<EOF\n$(cat ${path})\nEOF`,
	(path) => `eval "$(cat ${path})"`,
);

test('a protected file is found however it is spelled', async () => {
	await fc.assert(
		fc.asyncProperty(command, spelling, async (write, path) => {
			expect(await reachedIn(write(path))).toBe('catalog.md');
		}),
		{ numRuns: runs(1000) },
	);
});

test('no word is found among those that name something else', async () => {
	const name = fc.constantFrom(
		'src',
		'docs',
		'catalog.md',
		'private',
		'notes',
		'context-map.toml',
		'a b',
		'.config',
		'*.ts',
		'x?',
	);
	const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
	const words = fc.array(fc.tuple(path, fc.constantFrom('', './', '/srv/', '~/project/', '-f', '--x=')), {
		minLength: 1,
		maxLength: 5,
	});
	const program = fc.constantFrom(
		'cat',
		'ls',
		'grep -r',
		'rg',
		'cp -r',
		'find',
		'git add',
		'git commit -m',
		'tar czf',
		'echo',

		'npm run',
	);
	await fc.assert(
		fc.asyncProperty(program, words, fc.constantFrom("'", '"'), async (start, given, quote) => {
			const text = given
				.map(([path, before]) => `${before}${/ /.test(path) ? `${quote}${path}${quote}` : path}`)
				.join(' ');
			expect(await reachedIn(`${start} ${text}`)).toBe('nothing');
		}),
		{ numRuns: runs(1000) },
	);
});
