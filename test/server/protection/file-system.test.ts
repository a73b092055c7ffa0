import { expect, test } from 'vitest';
import { FileSystem } from '../../../server/protection/file-system.ts';

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
