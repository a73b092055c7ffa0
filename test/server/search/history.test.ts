import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject, placesOf, unsearchedOf } from './setting.ts';

async function repository() {
	const project = await createProject({ 'a.txt': 'Zebulon Quux-Marker\n' });
	const { git, write } = project;
	git('init', '-q');
	const commit = (message: string, ...args: readonly string[]) => {
		git('add', '-A');
		git('commit', '-q', '-m', message, ...args);
		return git('rev-parse', 'HEAD').trim();
	};
	return { ...project, commit, write };
}

test('a version that is gone is found, once, with the commit that brought it', async () => {
	const { git, commit, write, search } = await repository();
	const first = commit('One');
	await write('a.txt', 'Nobody\n');
	await write('b.txt', 'Zebulon Quux-Marker\n'); // The same blob.
	commit('Two');
	git('rm', '-q', 'b.txt');
	const third = commit('Three');
	await write('copy.txt', 'x\nQX-7781-MARK');
	const last = commit('Four');
	const now = await search();
	expect(placesOf(now)).toEqual(['copy.txt:2:1 L8 exact']);
	const findings = await search('', { history: true });
	expect(placesOf(findings)).toEqual([
		'copy.txt:2:1 L8 exact',
		'commit a.txt:1:1 L3 exact',
		'commit copy.txt:2:1 L8 exact',
	]);
	expect(findings.files.map((file) => file.commit)).toEqual([undefined, first, last]);
	expect(findings.searched).toMatchObject({ files: 2, versions: 3 });
	expect(third).not.toBe(last);
	// Of one file, its own history.
	expect(placesOf(await search('copy.txt', { history: true }))).toHaveLength(2);
});

test('branches, tags, merges and files that are binary or links are searched', async () => {
	const { git, commit, write, search } = await repository();
	await write('a.txt', 'x');
	commit('One');
	git('checkout', '-q', '-b', 'side');
	await write('side.txt', 'Aloysia Brandenburgh');
	commit('Two');
	git('checkout', '-q', 'main');
	await write('main.txt', 'x');
	await write('image.bin', '\0');
	commit('Three');
	git('merge', '-q', '--no-ff', '--no-commit', 'side');
	await write('merge.txt', 'QX-7781-MARK');
	commit('Four');
	git('rm', '-q', 'merge.txt', 'side.txt');
	commit('Five');
	git('checkout', '-q', '--orphan', 'other');
	git('rm', '-qrf', '.');
	await write('zebulon_quux_marker.txt', 'x');
	commit('Six');
	git('checkout', '-q', 'main');
	const findings = await search('', { history: true });
	expect(placesOf(findings)).toEqual([
		'commit [context:L3].txt name L3 spelling',
		'commit merge.txt:1:1 L8 exact',
		'commit side.txt:1:1 L4 exact',
	]);
	expect(unsearchedOf(findings)).toEqual({ binary: ['image.bin', 'image.bin'] });
});

test('messages, authors, branches and tags are searched, each author once', async () => {
	const { git, commit, write, search } = await repository();
	await write('a.txt', 'x');
	commit('One\n\nAs Aloysia Brandenburgh asked.', '--author', 'Zebulon Quux-Marker <z@localhost>');
	await write('a.txt', 'y');
	commit('Two', '--author', 'Zebulon Quux-Marker <z@localhost>');
	git('branch', 'for-aloysia-brandenburgh');
	git('tag', '-a', 'v1', '-m', 'Release for QX-7781-MARK');
	const findings = await search('', { history: true });
	expect(placesOf(findings).sort()).toEqual(
		[
			'commit author:1:1 L3 exact',
			'commit message:1:13 L8 exact',
			'commit message:3:4 L4 exact',
			'commit ref:1:16 L4 spelling',
		].sort(),
	);
	expect(findings.total).toBe(4);
});

test('what a tag names beside commits is searched if it is a file, and named if it is a folder', async () => {
	const { git, root, commit, write, search } = await repository();
	await write('in/key.txt', 'QX-7781-MARK');
	const object = git('hash-object', '-w', join(root, 'in', 'key.txt')).trim();
	git('tag', 'plain', object);
	git('tag', '-a', '-m', 'x', 'annotated', object);
	git('add', 'in');
	git('tag', 'folder', git('write-tree').trim());
	git('rm', '-qrf', 'in');
	commit('One');
	const findings = await search('', { history: true });
	expect(placesOf(findings)).toEqual([
		'a.txt:1:1 L3 exact',
		'commit a.txt:1:1 L3 exact',
		'commit refs/tags/annotated:1:1 L8 exact',
		'commit refs/tags/plain:1:1 L8 exact',
	]);
	expect(unsearchedOf(findings)).toEqual({ binary: ['refs/tags/folder'] });
});

test('a repository without commits has no history, and without a repository that is said', async () => {
	const { git, search } = await createProject({ 'a.txt': 'QX-7781-MARK' });
	await expect(search('', { history: true })).rejects.toMatchObject({ code: 'no_history' });
	await expect(search('', { history: true, git: undefined })).rejects.toMatchObject({ code: 'no_history' });
	git('init', '-q');
	expect(placesOf(await search('', { history: true }))).toEqual(['a.txt:1:1 L8 exact']);
});

test('settings of a repository leave nothing of its history out', async () => {
	const { git, commit, write, search } = await repository();
	commit('One');
	git('checkout', '-q', '-b', 'side');
	await write('b.txt', 'x');
	commit('Aloysia Brändenburgh');
	git('checkout', '-q', 'main');
	git('merge', '-q', '--no-ff', '--no-commit', 'side');
	await write('merge.txt', 'QX-7781-MARK');
	commit('Merge');
	const places = placesOf(await search('', { history: true }));
	expect(places).toHaveLength(5);
	for (const [name, value] of [
		['log.showRoot', 'false'],
		['log.diffMerges', 'off'],
		['i18n.logOutputEncoding', 'UTF-16LE'],
		['diff.orderFile', 'none'],
	] as const) {
		git('config', name, value);
		expect(placesOf(await search('', { history: true })), name).toEqual(places);
		git('config', '--unset', name);
	}
});

test('what stands in the place of an object is not searched for it', async () => {
	const { git, commit, write, search } = await repository();
	await write('old.txt', 'QX-7781-MARK');
	commit('One');
	const places = placesOf(await search('', { history: true }));
	git('replace', git('rev-parse', 'HEAD:old.txt').trim(), git('hash-object', '-w', await write('new.txt', 'x')).trim());
	expect(placesOf(await search('', { history: true }))).toEqual(places);
});

test('of a folder in a repository its own files are told, by their paths in it', async () => {
	const { root, commit, write, search } = await repository();
	await write('in/b.txt', 'Zebulon Quux-Marker');
	commit('One');
	const places = placesOf(await search('', { root: join(root, 'in'), history: true }));
	expect(places).toEqual(['b.txt:1:1 L3 exact', 'commit b.txt:1:1 L3 exact']);
});

test('what a shallow or partial clone has not fetched is named', async () => {
	const { root, git, commit, write } = await repository();
	commit('One');
	await write('a.txt', 'x');
	commit('Two');
	git('config', 'uploadpack.allowFilter', 'true');
	const { root: folder, search } = await createProject();
	const clone = async (name: string, ...args: readonly string[]) => {
		git('clone', '-q', ...args, `file://${root}`, join(folder, name));
		return await search('', { root: join(folder, name), history: true });
	};
	expect(unsearchedOf(await clone('shallow', '--depth=1'))).toEqual({ not_fetched: ['.git/shallow'] });
	const partial = await clone('partial', '--filter=blob:none');
	expect(unsearchedOf(partial)).toEqual({ not_fetched: ['a.txt'] });
	expect(partial.searched).toMatchObject({ files: 1, versions: 1 });
	// Without its trees, only what the commits say is known.
	commit('Aloysia Brandenburgh', '--allow-empty');
	const treeless = await clone('treeless', '--filter=tree:0');
	expect(unsearchedOf(treeless)).toEqual({ not_fetched: ['.git/objects'] });
	expect(placesOf(treeless)).toEqual(['commit message:1:1 L4 exact']);
	const options = { root: join(folder, 'treeless'), history: true };
	expect(unsearchedOf(await search('a.txt', options))).toEqual({ not_fetched: ['.git/objects'] });
});

test('a version that is damaged is named, and a damaged repository is an error', async () => {
	const { root, git, commit, write, search } = await repository();
	commit('One');
	await write('a.txt', 'x');
	commit('Two');
	const damage = async (object: string) => {
		const name = git('rev-parse', object).trim();
		const file = join(root, '.git', 'objects', name.slice(0, 2), name.slice(2));
		await rm(file);
		await writeFile(file, 'x');
	};
	await damage('HEAD~:a.txt');
	expect(unsearchedOf(await search('', { history: true }))).toEqual({ unreadable: ['a.txt'] });
	await damage('HEAD~^{tree}');
	await expect(search('', { history: true })).rejects.toMatchObject({ code: 'git_failed' });
	expect((await search()).searched.files).toBe(1);
	await writeFile(join(root, '.git', 'index'), 'x');
	await expect(search()).rejects.toMatchObject({ code: 'git_failed' });
	expect((await search('', { ignored: true })).searched.files).toBe(1);
});
