import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createThread } from '../../../server/search/thread.ts';
import { withoutRights } from '../../support/account.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { createProject, GIT, placesOf, unsearchedOf } from './setting.ts';

test('places are told by file, line and column, with how sure they are', async () => {
	const { search } = await createProject({
		'src/b.ts': '\n  const a = "Zebulon Quux-Marker"; // 😀 aloysia_brandenburgh\n',
		'src/a.ts': 'userZebulonQuuxMarker\r\nqx7781mark\r\n',
		'none.txt': 'Nobody is here.\n',
	});
	const findings = await search();
	expect(placesOf(findings)).toEqual([
		'src/a.ts:1:5 L3 part',
		'src/a.ts:2:1 L8 spelling',
		'src/b.ts:2:14 L3 exact',
		'src/b.ts:2:42 L4 spelling',
	]);
	expect(findings).toMatchObject({ total: 4, searched: { files: 3, versions: 0 }, unsearchable: [], moreFiles: 0 });
	expect([...findings.entries]).toEqual([
		[3, 2],
		[4, 1],
		[8, 1],
	]);
});

test('texts in UTF-8, UTF-16 with a mark, and Latin-1 are read, mixed ones too', async () => {
	const text = '\n Jürgen Łukaszewski';
	const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
	const { search } = await createProject({
		'utf8.txt': text,
		'utf8-mark.txt': `\ufeff${text}`,
		'utf16le.txt': utf16,
		'utf16be.txt': Buffer.from(utf16).swap16(),
		'utf16-odd.txt': Buffer.concat([Buffer.from(utf16).swap16(), Buffer.of(0)]),
		'mixed.txt': Buffer.concat([Buffer.from('caf\xe9 ', 'latin1'), Buffer.from(text)]),
		'latin1.txt': Buffer.from('\n J\xfcrgen Lukaszewski', 'latin1'),
	});
	const files = ['latin1', 'mixed', 'utf16-odd', 'utf16be', 'utf16le', 'utf8-mark', 'utf8'];
	const certainty = (file: string) => (file === 'latin1' ? 'spelling' : 'exact');
	expect(placesOf(await search())).toEqual(files.map((file) => `${file}.txt:2:2 L5 ${certainty(file)}`));
});

test('a minified file with one line of megabytes is searched, and its columns are right', async () => {
	const part = 'var a=function(b){return"é";};';
	const { search } = await createProject({ 'a.min.js': `${part.repeat(200_000)}"QX-7781-MARK"` });
	expect(placesOf(await search())).toEqual([`a.min.js:1:${200_000 * part.length + 2} L8 exact`]);
});

test('what is no text is named with the reason', async () => {
	const { search, write } = await createProject({
		'image.bin': Buffer.from('Zebulon Quux-Marker\0'),
		'a.zip': 'PK\x03\x04 Zebulon Quux-Marker',
		'a.gz': gzipSync('Zebulon Quux-Marker'),
		'a.pdf': '%PDF-1.7 Zebulon Quux-Marker',
	});
	const tar = Buffer.alloc(1024);
	tar.write('ustar', 257);
	await write('a.tar', tar);
	await truncate(await write('huge.txt', 'Zebulon Quux-Marker'), 50 * 1024 * 1024 + 1);
	expect(unsearchedOf(await search())).toEqual({
		archive: ['a.gz', 'a.tar', 'a.zip'],
		binary: ['a.pdf', 'image.bin'],
		too_large: ['huge.txt'],
	});
});

test('what is no file is named, and holds nothing up', async () => {
	const { root, search } = await createProject();
	execFileSync('mkfifo', [join(root, 'pipe')]);
	expect(unsearchedOf(await search())).toEqual({ special: ['pipe'] });
});

test('in a repository the files of git are searched, hidden and untracked ones too, ignored ones on request', async () => {
	const text = 'Aloysia Brandenburgh';
	const { git, search, write } = await createProject({
		'tracked.txt': text,
		'.hidden/untracked.txt': text,
		'.gitignore': 'secret*\n/out/\n',
		'secret.txt': text,
		'out/made.txt': text,
	});
	git('init', '-q');
	await write('.git/description', text);
	git('add', 'tracked.txt', '.gitignore');
	const found = ['.hidden/untracked.txt:1:1 L4 exact', 'tracked.txt:1:1 L4 exact'];
	const findings = await search();
	expect(placesOf(findings)).toEqual(found);
	expect(unsearchedOf(findings)).toEqual({ ignored: ['out/', 'secret.txt'] });
	const all = [found[0], 'out/made.txt:1:1 L4 exact', 'secret.txt:1:1 L4 exact', found[1]];
	expect(placesOf(await search('', { ignored: true }))).toEqual(all);
	// What is asked for by its name is searched, and so is all where there is no git.
	expect(placesOf(await search('out/'))).toEqual(['out/made.txt:1:1 L4 exact']);
	expect(placesOf(await search('secret.txt'))).toEqual(['secret.txt:1:1 L4 exact']);
	expect(placesOf(await search('', { git: undefined }))).toEqual(all);
});

test('a repository in a folder or in another repository is listed by git as well', async () => {
	const text = 'Aloysia Brandenburgh';
	const { git, root, search } = await createProject({
		'outer.txt': text,
		'inner/in.txt': text,
		'inner/.gitignore': 'x',
		'inner/x': text,
	});
	execFileSync(GIT, ['-C', join(root, 'inner'), 'init', '-q']);
	const found = ['inner/in.txt:1:1 L4 exact', 'outer.txt:1:1 L4 exact'];
	expect(placesOf(await search())).toEqual(found);
	git('init', '-q');
	expect(placesOf(await search())).toEqual(found);
	git('-c', 'advice.addEmbeddedRepo=false', 'add', 'outer.txt');
	expect(placesOf(await search())).toEqual(found);
});

test('submodules are searched', async () => {
	const text = 'Aloysia Brandenburgh';
	const other = await createProject({ 'in.txt': text });
	other.git('init', '-q');
	other.git('add', '.');
	other.git('commit', '-qm', 'One');
	const { git, root, search } = await createProject({ 'outer.txt': text });
	git('init', '-q');
	git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other.root, 'lib/a b');
	git('add', '.');
	const found = ['lib/a b/in.txt:1:1 L4 exact', 'outer.txt:1:1 L4 exact'];
	const findings = await search();
	expect(placesOf(findings)).toEqual(found);
	expect(unsearchedOf(findings)).toEqual({});
	// Not checked out, gone, or a link in its place.
	git('submodule', '--quiet', 'deinit', '--force', 'lib/a b');
	expect(placesOf(await search())).toEqual([found[1]]);
	await rm(join(root, 'lib'), { recursive: true });
	expect(unsearchedOf(await search())).toEqual({ gone: ['lib/a b'] });
	await mkdir(join(root, 'lib'));
	await symlink(other.root, join(root, 'lib', 'a b'));
	expect(unsearchedOf(await search())).toEqual({ link: ['lib/a b'] });
});

test('a folder that the repository around it ignores is searched if it is all that is asked for', async () => {
	const { git, root, search } = await createProject({ '.gitignore': '*\n', 'work/a.txt': 'Aloysia Brandenburgh' });
	git('init', '-q');
	expect(placesOf(await search('', { root: join(root, 'work') }))).toEqual(['a.txt:1:1 L4 exact']);
});

test('a path with entries that overlap, or that go on behind a folder, shows none of them', async () => {
	const text = '- Jane Dorrington Harbour\n- Jane Dorrington\n- Zebulon Quux-Marker\n';
	const { search } = await createProject({ 'Jane Dorrington/Harbour-Zebulon/Quux-Marker.txt': 'x' });
	const { files } = await search('', { text });
	expect(files.map(({ path }) => path)).toEqual([
		'[context:L1]-[context:L3].txt',
		'[context:L1]-[context:L3]/',
		'[context:L1]/',
	]);
});

test('an entry is told where a longer one begins with it', async () => {
	const { search } = await createProject({ 'a.txt': 'Mary Youngs Harbour' });
	const text = '- Mary Youngs Harbour\n- Mary Youngs\n';
	expect(placesOf(await search('', { text }))).toEqual(['a.txt:1:1 L1 exact', 'a.txt:1:1 L2 exact']);
});

test('a date is found in a timestamp, and a surname with an apostrophe', async () => {
	const { search } = await createProject({ 'a.json': `{"born":"1984-03-07T00:00:00Z","by":"S. O'Shaughnessy"}` });
	const text = "- 1984-03-07\n- Seán O'Shaughnessy\n";
	expect(placesOf(await search('', { text }))).toEqual(['a.json:1:10 L1 exact', 'a.json:1:38 L2 spelling']);
});

test('settings of a repository start no program', async () => {
	const { git, root, search, write } = await createProject({ 'a.txt': 'Aloysia Brandenburgh' });
	git('init', '-q');
	const trap = join(root, '.git', 'trap');
	await writeFile(trap, `#!/bin/sh\ntouch '${root}/.git/sprung'\ncat\n`);
	await chmod(trap, 0o755);
	for (const name of ['core.fsmonitor', 'core.pager', 'diff.external', 'filter.x.clean', 'diff.x.textconv']) {
		git('config', name, trap);
	}
	await writeFile(join(root, '.gitattributes'), '* filter=x diff=x\n');
	git('-c', 'core.fsmonitor=false', '-c', 'filter.x.clean=', 'add', '.');
	git('-c', 'core.fsmonitor=false', '-c', 'filter.x.clean=', 'commit', '-qm', 'One');
	const [tree, head] = ['HEAD^{tree}', 'HEAD'].map((name) => git('rev-parse', name).trim());
	const by = 'Jo <jo@localhost> 0 +0000';
	const signed = `tree ${tree}\nparent ${head}\nauthor ${by}\ncommitter ${by}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nZebulon Quux-Marker\n`;
	git('update-ref', 'HEAD', git('hash-object', '-t', 'commit', '-w', await write('.git/signed', signed)).trim());
	git('config', 'log.showSignature', 'true');
	git('config', 'gpg.program', trap);
	await rm(join(root, '.git', 'sprung'), { force: true });
	expect(placesOf(await search('', { history: true }))).toHaveLength(3);
	await expect(rm(join(root, '.git', 'sprung'))).rejects.toThrow('ENOENT');
});

test('links are not followed: their targets are read as text, and those that lead out are named', async () => {
	const outside = await temporaryFolder();
	await writeFile(join(outside, 'a.txt'), 'Zebulon Quux-Marker');
	const { git, root, search } = await createProject({ 'in.txt': 'nothing', 'folder/b.txt': 'nothing' });
	await symlink(join(outside, 'a.txt'), join(root, 'out.txt'));
	await symlink(outside, join(root, 'out'));
	await symlink('in.txt', join(root, 'link.txt'));
	await symlink('/home/aloysia.brandenburgh/notes', join(root, 'nowhere'));
	const expected = { link: ['out', 'out.txt'] };
	const findings = await search();
	expect(unsearchedOf(findings)).toEqual(expected);
	expect(placesOf(findings)).toEqual(['nowhere:1:7 L4 spelling']);
	git('init', '-q');
	git('add', '.');
	expect(unsearchedOf(await search())).toEqual(expected);
	// Git still lists what was in a folder that became a link.
	await rm(join(root, 'folder'), { recursive: true });
	await writeFile(join(outside, 'b.txt'), 'Zebulon Quux-Marker');
	await symlink(outside, join(root, 'folder'));
	const changed = await search();
	expect(unsearchedOf(changed).link).toEqual(['folder', 'folder/b.txt', 'out', 'out.txt']);
	expect(placesOf(changed)).toEqual(['nowhere:1:7 L4 spelling']);
});

test('a folder that git may not read is named, also below a folder that is searched', async () => {
	const { git, root, search, write } = await createProject({ 'a/b/closed/one.txt': 'x', 'a/open.txt': 'QX-7781-MARK' });
	git('init', '-q');
	await chmod(root, 0o755);
	await chmod(join(root, 'a/b/closed'), 0o000);
	// Of another account, git reads nothing of its own accord.
	const program = await write(
		'.git/git',
		`#!/bin/sh\nexec ${withoutRights(GIT, '-c', 'safe.directory=*').join(' ')} "$@"\n`,
	);
	await chmod(program, 0o755);
	for (const path of ['', 'a/', 'a/b/']) {
		expect(unsearchedOf(await search(path, { git: program }))).toEqual({ unreadable: ['a/b/closed/'] });
	}
});

test('a repository that git does not read is searched as a folder, and named', async () => {
	const { git, search, write } = await createProject({
		'.gitignore': 'b.txt',
		'b.txt': 'QX-7781-MARK',
		'c/d.txt': 'x',
	});
	git('init', '-q');
	const program = await write('.git/git', '#!/bin/sh\nexit 128\n');
	await chmod(program, 0o755);
	for (const options of [{ git: program }, { git: undefined }]) {
		const findings = await search('', options);
		expect(placesOf(findings)).toEqual(['b.txt:1:1 L8 exact']);
		expect(unsearchedOf(findings)).toEqual({ unreadable: ['.git'] });
		expect(unsearchedOf(await search('c/', options))).toEqual({ unreadable: ['.git'] });
		expect(unsearchedOf(await search('', { ...options, ignored: true }))).toEqual({});
	}
	await expect(search('', { git: program, history: true })).rejects.toMatchObject({ code: 'git_failed' });
});

test('names of files and folders are searched, and stand nowhere in the findings', async () => {
	const { search } = await createProject({
		'zebulon-quux-marker/one.txt': '',
		'zebulon-quux-marker/two.txt': 'QX-7781-MARK',
		'docs/aloysia brandenburgh.md': '',
		'QX7781MARK/qx_7781_mark.bin': '\0',
	});
	const findings = await search();
	expect(placesOf(findings)).toEqual([
		'[context:L3]/ name L3 spelling',
		'[context:L3]/two.txt:1:1 L8 exact',
		'[context:L8]/ name L8 spelling',
		'[context:L8]/[context:L8].bin name L8 spelling',
		'docs/[context:L4].md name L4 spelling',
	]);
	expect(unsearchedOf(findings)).toEqual({ binary: ['[context:L8]/[context:L8].bin'] });
	expect(JSON.stringify([...findings.files, ...findings.unsearched])).not.toMatch(/zebulon|aloysia|7781/i);
});

test('any name is searched, with line breaks, quotes, or bytes that are no UTF-8', async () => {
	const { git, root, search, write } = await createProject();
	await write('a\nb "c".txt', 'Zebulon Quux-Marker');
	await writeFile(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.of(0xe9)]), 'Zebulon Quux-Marker');
	for (const _ of [1, 2]) {
		const findings = await search();
		expect(placesOf(findings)).toEqual(['a\nb "c".txt:1:1 L3 exact']);
		expect(unsearchedOf(findings)).toEqual({ unreadable: ['caf\ufffd'] });
		git('init', '-q');
	}
});

test('what vanishes while it is searched is named as gone', async () => {
	const { git, root, search, write } = await createProject({ 'a/one.txt': 'x', 'b/two.txt': 'QX-7781-MARK' });
	git('init', '-q');
	git('add', '.');
	await rm(join(root, 'a'), { recursive: true });
	const findings = await search();
	expect(unsearchedOf(findings)).toEqual({ gone: ['a/one.txt'] });
	expect(placesOf(findings)).toEqual(['b/two.txt:1:1 L8 exact']);
	await rm(join(root, '.git'), { recursive: true });
	for (let n = 0; n < 200; n++) await write(`c/${n}.txt`, 'QX-7781-MARK');
	let isFirst = true;
	const vanishing = await search('c/', {
		git: undefined,
		threads: 1,
		start: (start) => {
			const thread = createThread(start);
			return {
				...thread,
				search: async (listed) => {
					const found = await thread.search(listed);
					if (isFirst) await rm(join(root, 'c'), { recursive: true });
					isFirst = false;
					return found;
				},
			};
		},
	});
	expect(vanishing.total).toBe(64);
	expect(vanishing.unsearched.get('gone')?.count).toBe(136);
});

test('a file and the private file itself can be left out by their paths', async () => {
	const { root, search } = await createProject({ 'catalog.md': 'Zebulon Quux-Marker', 'b.md': 'Zebulon Quux-Marker' });
	expect(placesOf(await search('', { except: [join(root, 'catalog.md')] }))).toEqual(['b.md:1:1 L3 exact']);
});

test('of many places in a file, all are counted and the first are kept', async () => {
	const { search } = await createProject({ 'a.txt': 'QX-7781-MARK\n'.repeat(5_000) });
	const { files, total, entries } = await search();
	expect(files[0]?.places).toHaveLength(1_000);
	expect([files[0]?.count, total, entries.get(8)]).toEqual([5_000, 5_000, 5_000]);
});

test('of many places in many files, all are counted and a hundred thousand are kept', async () => {
	const text = 'QX-7781-MARK\n'.repeat(1_000);
	const names = Array.from({ length: 150 }, (_, n) => [`${1_000 + n}.txt`, text]);
	const { search } = await createProject(Object.fromEntries(names));
	const { files, total } = await search();
	expect([files.length, total]).toEqual([150, 150_000]);
	expect(files.reduce((sum, { places }) => sum + places.length, 0)).toBe(100_000);
});

test('of many files without text, all are counted and the first are named', async () => {
	const { root, search } = await createProject();
	await mkdir(join(root, 'd'));
	for (let n = 0; n < 150; n++) await writeFile(join(root, 'd', `${1_000 + n}`), '\0');
	const { unsearched, searched } = await search();
	expect(unsearched.get('binary')).toEqual({
		count: 150,
		paths: Array.from({ length: 20 }, (_, n) => `d/${1_000 + n}`),
	});
	expect(searched.files).toBe(0);
});

test('a search that is cancelled throws the reason, and no thread or program goes on', async () => {
	const { search } = await createProject({ 'a.txt': 'x' });
	const controller = new AbortController();
	let ended = 0;
	const cancelled = search('', {
		signal: controller.signal,
		start: (start) => {
			let fail = (_: Error) => {};
			return {
				...createThread(start),
				search: async () =>
					await new Promise((_, reject) => {
						fail = reject;
						controller.abort(new Error('cancelled'));
					}),
				end: () => {
					ended++;
					fail(new Error('ended'));
				},
			};
		},
	});
	await expect(cancelled).rejects.toThrow('cancelled');
	expect(ended).toBeGreaterThanOrEqual(2);
});

test('when a search is cancelled, its threads are ended at once', async () => {
	const { search } = await createProject({ 'a.txt': 'x' });
	const [controller, work] = [new AbortController(), new AbortController()];
	let ended = 0;
	const never = () =>
		new Promise<never>((_, reject) => work.signal.addEventListener('abort', () => reject(new Error('ended'))));
	const end = () => {
		ended += 1;
		work.abort();
	};
	const start = () => ({ list: never, search: never, unsearchable: never, history: never, end });
	const searching = search('', { signal: controller.signal, start });
	controller.abort(new Error('cancelled'));
	expect(ended).toBe(2);
	await expect(searching).rejects.toThrow('cancelled');
});
