import { execFileSync } from 'node:child_process';
import {
	chmodSync,
	closeSync,
	constants,
	existsSync,
	linkSync,
	mkdirSync,
	openSync,
	symlinkSync,
	writeFileSync,
	writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Kind, uniqueText } from './file.ts';

/** Root may read everything. */
const isRoot = process.getuid?.() === 0;

const DEVICES = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/tty', '/dev/ptmx'].filter(existsSync);

/** Links, names, and what is no file. */
export const PLACES: Readonly<Record<string, Kind>> = {
	'a chain of links': ({ folder, random }) => {
		const text = uniqueText(random);
		writeFileSync(join(folder, 'real.md'), text);
		const length = random.pick([1, 2, 10, 30]);
		return { path: chain(folder, 'real.md', length), may: { texts: [text] } };
	},
	'a chain of too many links': ({ folder, random }) => {
		writeFileSync(join(folder, 'real.md'), uniqueText(random));
		return { path: chain(folder, 'real.md', 60), may: { codes: ['file_unreadable'] } };
	},
	'links to a file of another kind': ({ folder, random }) => {
		const target = random.pick(['secret', 'secret.txt', 'secret.md.txt', 'secret.md~', 'secret.md ', 'secret.md\n']);
		writeFileSync(join(folder, target), uniqueText(random));
		return { path: chain(folder, target, 1 + random.below(4)), may: { codes: ['not_markdown'] } };
	},
	'a link to a file of the kernel': ({ folder, random }) => {
		const target = random.pick(['/proc/self/environ', '/proc/self/cmdline', '/proc/self/mem', '/etc/passwd']);
		const there = existsSync(target);
		return { path: chain(folder, target, 1), may: { codes: [there ? 'not_markdown' : 'file_missing'] } };
	},
	'a link to nothing': ({ folder }) => ({ path: chain(folder, 'none.md', 2), may: { codes: ['file_missing'] } }),
	'links in a circle': ({ folder }) => {
		symlinkSync('a.md', join(folder, 'b.md'));
		symlinkSync('b.md', join(folder, 'a.md'));
		return { path: join(folder, 'a.md'), may: { codes: ['file_unreadable'] } };
	},
	'a link to itself as a folder': ({ folder }) => {
		symlinkSync('.', join(folder, 'here'));
		return {
			path: join(folder, ...Array.from({ length: 60 }, () => 'here'), 'x.md'),
			may: { codes: ['file_missing', 'file_unreadable'] },
		};
	},
	'a folder that is a link': ({ folder, random }) => {
		const text = uniqueText(random);
		mkdirSync(join(folder, 'real'));
		writeFileSync(join(folder, 'real', 'x.md'), text);
		symlinkSync('real', join(folder, 'alias'));
		return { path: join(folder, 'alias', 'x.md'), may: { texts: [text] } };
	},
	'a hard link': ({ folder, random }) => {
		const text = uniqueText(random);
		writeFileSync(join(folder, 'other'), text);
		linkSync(join(folder, 'other'), join(folder, 'x.md'));
		return { path: join(folder, 'x.md'), may: { texts: [text] } };
	},
	'an odd name': ({ folder, random }) => {
		const text = uniqueText(random);
		const stem = random.pick([
			'',
			' ',
			'-rf',
			'\n',
			'\u001b[2J',
			'\u202e',
			'é',
			'\u{1f600}',
			'a'.repeat(252),
			'\'"`$()',
			'.md',
			'%2e',
		]);
		const path = `${folder}/${stem}${random.pick(['.md', '.MD', '.mD'])}`;
		writeFileSync(path, text);
		return { path, may: { texts: [text] } };
	},
	'a name of another kind': ({ folder, random }) => {
		const path = `${folder}/x${random.pick(['', '.txt', '.md.txt', '.md ', '.md\n', '.markdown', 'md', '.md\u200b', '.ｍd'])}`;
		writeFileSync(path, uniqueText(random));
		return { path, may: { codes: ['not_markdown'] } };
	},
	'a name that is too long': ({ folder }) => ({
		path: join(folder, `${'a'.repeat(300)}.md`),
		may: { codes: ['file_unreadable'] },
	}),
	'a path that is too long': ({ folder }) => ({
		path: join(folder, 'a/'.repeat(5_000), 'x.md'),
		may: { codes: ['file_unreadable'] },
	}),
	'a file as a folder': ({ folder, random }) => {
		writeFileSync(join(folder, 'a.md'), uniqueText(random));
		return { path: join(folder, 'a.md', 'x.md'), may: { codes: ['file_missing'] } };
	},
	nothing: ({ folder, random }) => ({
		path: join(folder, random.pick(['x.md', 'none/x.md'])),
		may: { codes: ['file_missing'] },
	}),
	'a folder': ({ folder }) => {
		mkdirSync(join(folder, 'x.md'));
		return { path: join(folder, 'x.md'), may: { codes: ['not_a_file'] } };
	},
	'a FIFO that nobody writes to': ({ folder }) => {
		const path = fifo(folder, 'x.md');
		return { path, may: { codes: ['not_a_file'] } };
	},
	'a FIFO with something in it': ({ folder, random }) => {
		const path = fifo(folder, 'x.md');
		const end = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
		writeSync(end, uniqueText(random));
		return { path, may: { codes: ['not_a_file'] }, close: () => closeSync(end) };
	},
	'a socket': async ({ folder }) => {
		const path = join(folder, 'x.md');
		const server = createServer().listen(path);
		await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
		return { path, may: { codes: ['not_a_file'] }, close: () => void server.close() };
	},
	'a link to a device': ({ folder, random }) => ({
		path: chain(folder, random.pick(DEVICES), 1),
		may: { codes: ['not_a_file'] },
	}),
	...(!isRoot && {
		'a file that may not be read': ({ folder, random }) => {
			writeFileSync(join(folder, 'x.md'), uniqueText(random), { mode: 0 });
			return { path: join(folder, 'x.md'), may: { codes: ['file_unreadable'] } };
		},
		'a folder that may not be entered': ({ folder, random }) => {
			const closed = join(folder, 'closed');
			mkdirSync(closed);
			writeFileSync(join(closed, 'x.md'), uniqueText(random));
			chmodSync(closed, 0);
			return { path: join(closed, 'x.md'), may: { codes: ['file_unreadable'] }, close: () => chmodSync(closed, 0o700) };
		},
	}),
};

export function fifo(folder: string, name: string): string {
	const path = join(folder, name);
	execFileSync('mkfifo', [path]);
	return path;
}

/** So many links, one to the next. @returns the path of the first */
function chain(folder: string, target: string, length: number): string {
	let next = target;
	for (let number = length; number > 0; number--) {
		symlinkSync(next, join(folder, `link-${number}.md`));
		next = `link-${number}.md`;
	}
	return join(folder, next);
}
