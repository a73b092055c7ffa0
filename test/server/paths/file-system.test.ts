import { promises } from 'node:fs';
import { chmod, mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { FileSystem } from '../../../server/paths/file-system.ts';
import { reachedBy } from '../../../server/paths/reached-by.ts';
import { temporaryFolder } from '../../support/temporary.ts';

describe('links', () => {
	let folder: string;
	const realPath = (path: string, platform = process.platform) => new FileSystem(platform, () => 0).realPath(path);

	beforeEach(async () => {
		folder = await realpath(await temporaryFolder());
		await mkdir(join(folder, 'private', 'sub'), { recursive: true });
		await mkdir(join(folder, 'project'));
		await writeFile(join(folder, 'private', 'catalog.md'), '');
		await symlink(join(folder, 'private', 'catalog.md'), join(folder, 'project', 'link.md'));
		await symlink(join('..', 'private'), join(folder, 'project', 'linked'));
		await symlink(join(folder, 'private', 'sub'), join(folder, 'project', 'deep'));
		await symlink('round', join(folder, 'project', 'round'));
	});

	test.each([
		['private/catalog.md', 'private/catalog.md'],
		['project/link.md', 'private/catalog.md'],
		['project/linked/catalog.md', 'private/catalog.md'],
		['project/linked/none/at/all', 'private/none/at/all'],
		['project/none', 'project/none'],
		['project/link.md/below-a-file', 'private/catalog.md/below-a-file'],
		['project/round', 'project/round'],
		['project/round/x', 'project/round/x'],
	])('%s leads to %s, also as Windows resolves it', async (path, real) => {
		for (const platform of [process.platform, 'win32'] as const)
			expect(await realPath(join(folder, path), platform), platform).toBe(join(folder, real));
	});

	test('of a folder it is known what is in it, of what is none nothing', async () => {
		const system = new FileSystem(process.platform, () => 0);
		const names = async (path: string) => (await system.entriesOf(join(folder, path))).map(({ name }) => name).sort();
		expect(await names('project/linked')).toEqual(['catalog.md', 'sub']);
		for (const path of ['none', 'project/link.md']) expect(await names(path)).toEqual([]);
		expect([await system.isFolder(join(folder, 'project/linked')), await system.isFolder(folder)]).toEqual([
			true,
			true,
		]);
		for (const path of ['none', 'project/link.md']) expect(await system.isFolder(join(folder, path))).toBe(false);
	});

	test('a folder that may not be looked into is no failure', async () => {
		await chmod(join(folder, 'private'), 0o000);
		expect(await realPath(join(folder, 'project', 'linked', 'x'))).toBe(join(folder, 'private', 'x'));
		await chmod(join(folder, 'private'), 0o700);
	});

	test.each(['/', '/none/at/all', `/${'a'.repeat(300)}`, `/${'a/'.repeat(5000)}b`, '/a\0b'])(
		'no path throws: %#',
		async (path) => {
			expect(await realPath(path)).toBe(path);
		},
	);

	test.each([
		'link.md',
		'linked/catalog.md',
		'deep/../catalog.md',
		'../private/catalog.md',
		'linked/../private/catalog.md',
	])('with real links, %s is the protected file', async (path) => {
		const place = {
			cwd: join(folder, 'project'),
			home: folder,
			environment: {},
			platform: process.platform,
		};
		for (const written of ['private/catalog.md', 'project/link.md']) {
			const target = { path: join(folder, written), isFolder: false };
			expect((await reachedBy('Bash', { command: `cat ${path}` }, [target], place, realPath))?.target).toBe(target);
			expect((await reachedBy('Read', { file_path: path }, [target], place, realPath))?.target).toBe(target);
			expect(await reachedBy('Read', { file_path: 'other.md' }, [target], place, realPath)).toBeUndefined();
		}
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
