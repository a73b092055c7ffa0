import { promises } from 'node:fs';
import { chmod, mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join, resolve as resolvePath } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { FileSystem } from '../../../server/paths/file-system.ts';
import { reachedBy } from '../../../server/paths/reached-by.ts';
import { temporaryFolder } from '../../support/temporary.ts';

describe('paths', () => {
	let folder: string;
	const realPath = (path: string, platform = process.platform) => new FileSystem(platform, () => 0).realPath(path);

	beforeEach(async () => {
		folder = await realpath(await temporaryFolder());
		await mkdir(join(folder, 'private', 'sub'), { recursive: true });
		await mkdir(join(folder, 'project'));
		await writeFile(join(folder, 'private', 'catalog.md'), '');
	});

	/** @param written as a map names it */
	async function expectReached(path: string, written: string): Promise<void> {
		const target = { path: join(folder, written), isFolder: false };
		const place = { cwd: join(folder, 'project'), home: folder, environment: {}, platform: process.platform };
		expect((await reachedBy('Bash', { command: `cat ${path}` }, [target], place, realPath))?.target).toBe(target);
		expect((await reachedBy('Read', { file_path: path }, [target], place, realPath))?.target).toBe(target);
		expect(await reachedBy('Read', { file_path: 'other.md' }, [target], place, realPath)).toBeUndefined();
	}

	/** Of a system's own way, and of Windows'. */
	async function expectLeads(path: string, real: string): Promise<void> {
		for (const platform of [process.platform, 'win32'] as const)
			expect(await realPath(join(folder, path), platform), platform).toBe(join(folder, real));
	}

	test.each(['private/catalog.md', 'project/none', 'project/none/at/all', 'private/catalog.md/below-a-file'])(
		'%s leads nowhere else',
		async (path) => {
			await expectLeads(path, path);
		},
	);

	test('of a folder it is known what is in it, of what is none nothing', async () => {
		const system = new FileSystem(process.platform, () => 0);
		const names = async (path: string) => (await system.entriesOf(join(folder, path))).map(({ name }) => name).sort();
		expect(await names('private')).toEqual(['catalog.md', 'sub']);
		expect(await system.isFolder(join(folder, 'private'))).toBe(true);
		for (const path of ['none', 'private/catalog.md']) {
			expect(await names(path)).toEqual([]);
			expect(await system.isFolder(join(folder, path))).toBe(false);
		}
	});

	test.each(['none/at/all', 'a'.repeat(300), `${'a/'.repeat(5000)}b`, 'a\0b'])('none throws: %#', async (path) => {
		const root = resolvePath('/');
		expect(await realPath(join(root, path))).toBe(join(root, path));
		expect(await realPath(root)).toBe(root);
	});

	test('the protected file is found by a path that climbs', async () => {
		await expectReached('../private/catalog.md', 'private/catalog.md');
	});

	describe('with links', () => {
		beforeEach(async () => {
			await symlink(join(folder, 'private', 'catalog.md'), join(folder, 'project', 'link.md'));
			await symlink(join('..', 'private'), join(folder, 'project', 'linked'));
			await symlink(join(folder, 'private', 'sub'), join(folder, 'project', 'deep'));
			await symlink('round', join(folder, 'project', 'round'));
		});

		test.each([
			['project/link.md', 'private/catalog.md'],
			['project/linked/catalog.md', 'private/catalog.md'],
			['project/linked/none/at/all', 'private/none/at/all'],
			['project/none', 'project/none'],
			['project/link.md/below-a-file', 'private/catalog.md/below-a-file'],
			['project/round', 'project/round'],
			['project/round/x', 'project/round/x'],
		])('%s leads to %s, also as Windows resolves it', async (path, real) => {
			await expectLeads(path, real);
		});

		test('of a folder it is known what is in it, of what is none nothing', async () => {
			const system = new FileSystem(process.platform, () => 0);
			const names = async (path: string) => (await system.entriesOf(join(folder, path))).map(({ name }) => name).sort();
			expect(await names('project/linked')).toEqual(['catalog.md', 'sub']);
			expect(await names('project/link.md')).toEqual([]);
			expect(await system.isFolder(join(folder, 'project/linked'))).toBe(true);
			expect(await system.isFolder(join(folder, 'project/link.md'))).toBe(false);
		});

		test('a folder that may not be looked into is no failure', async () => {
			await chmod(join(folder, 'private'), 0o000);
			expect(await realPath(join(folder, 'project', 'linked', 'x'))).toBe(join(folder, 'private', 'x'));
			await chmod(join(folder, 'private'), 0o700);
		});

		test.each([
			'link.md',
			'linked/catalog.md',
			'deep/../catalog.md',
			'../private/catalog.md',
			'linked/../private/catalog.md',
		])('%s is the protected file', async (path) => {
			for (const written of ['private/catalog.md', 'project/link.md']) await expectReached(path, written);
		});
	});
});

describe('drives that do not answer', () => {
	/** A Mac whose drives have names that begin with `gone` if they do not answer. */
	function createMac() {
		const clock = { now: 0 };
		const asked: string[] = [];
		const readLink = async (path: string) => {
			asked.push(path);
			return path.startsWith('/Volumes/gone') ? await new Promise<string>(() => {}) : '';
		};
		const system = new FileSystem('darwin', () => clock.now, readLink);
		const askedOf = (start: string) => asked.filter((path) => path.startsWith(start));
		return { clock, system, askedOf };
	}

	const TIMEOUT = expect.objectContaining({ code: 'check_timeout' });

	/** Lets all that can go on do so. */
	const turn = () => new Promise((resolve) => setImmediate(resolve));

	test('a drive that does not answer is asked one thing at a time, and nothing more once it has been silent for a second', async () => {
		const { clock, system, askedOf } = createMac();
		for (let file = 0; file < 8; file++) void system.realPath(`/Volumes/gone/${file}`, new Map());
		await turn();
		expect(askedOf('/Volumes/gone')).toEqual(['/Volumes/gone']);
		expect(await system.realPath('/Volumes/here/x')).toBe('/Volumes/here/x');
		clock.now = 1_001;
		await expect(system.realPath('/Volumes/gone/9', new Map())).rejects.toEqual(TIMEOUT);
		await expect(system.realPath('/Volumes/gone')).rejects.toEqual(TIMEOUT);
		expect(await system.realPath('/Users/u/x')).toBe('/Users/u/x');
		expect(askedOf('/Volumes/gone')).toHaveLength(1);
	});

	test('what is waited for is the drive on which a path lies, and nothing else', async () => {
		const { clock, system } = createMac();
		const stat = vi.spyOn(promises, 'stat').mockImplementation(() => new Promise(() => {}));
		onTestFinished(() => stat.mockRestore());
		await system.answers('/Users/u/x');
		let hasAnswered = false;
		void system.answers('/Volumes/here/x').then(() => {
			hasAnswered = true;
		});
		for (let turns = 0; turns < 5; turns++) await turn();
		expect([hasAnswered, stat.mock.calls]).toEqual([false, [['/Volumes/here/x']]]);
		clock.now = 1_001;
		await expect(system.answers('/Volumes/here/x')).rejects.toEqual(TIMEOUT);
	});

	test('on Windows a drive is asked once for all that is on it, and again after a while', async () => {
		const clock = { now: 0 };
		const system = new FileSystem('win32', () => clock.now);
		const realpath = vi.spyOn(promises, 'realpath');
		onTestFinished(() => realpath.mockRestore());
		const drive = resolvePath('/');
		const askAll = async () => {
			for (let file = 0; file < 9; file++) await system.answers(join(drive, 'none', `${file}.md`));
		};
		await askAll();
		expect(realpath.mock.calls).toEqual([[drive]]);
		clock.now = 5_001;
		await askAll();
		expect(realpath.mock.calls).toEqual([[drive], [drive]]);
	});

	test('of many drives that do not answer three are asked, and the others go on', async () => {
		const { clock, system, askedOf } = createMac();
		for (let drive = 0; drive < 8; drive++) void system.realPath(`/Volumes/gone${drive}/x`).catch(() => {});
		await turn();
		expect(askedOf('/Volumes/gone')).toHaveLength(3);
		expect(await system.realPath('/Users/u/x')).toBe('/Users/u/x');
		clock.now = 1_001;
		await expect(system.realPath('/Volumes/gone9/x')).rejects.toEqual(TIMEOUT);
		expect(askedOf('/Volumes/gone')).toHaveLength(3);
	});

	test('what others are compared with is taken as it is written if nobody answers', async () => {
		const { system } = createMac();
		expect(await system.placeOf('/Volumes/gone/catalog.md')).toBe('/Volumes/gone/catalog.md');
		expect(await system.isFolder('/Volumes/gone/catalog.md')).toBe(false);
	});

	test('an answer is taken for granted for a while, but not for what a call names', async () => {
		const clock = { now: 0 };
		let link = '/a';
		const system = new FileSystem(
			'darwin',
			() => clock.now,
			async (path) => (path === '/link' ? link : ''),
		);
		expect(await system.realPath('/link/x', new Map())).toBe('/a/x');
		link = '/b';
		expect(await system.realPath('/link/x', new Map())).toBe('/b/x');
		expect(await system.realPath('/link/x')).toBe('/b/x');
		link = '/c';
		expect(await system.realPath('/link/x')).toBe('/b/x');
		clock.now = 5_001;
		expect(await system.realPath('/link/x')).toBe('/c/x');
	});
});
