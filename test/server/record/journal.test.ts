import { promises } from 'node:fs';
import { appendFile, chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Journal } from '../../../server/record/journal.ts';
import { sha256 } from '../../../server/text/digest.ts';
import { IS_ROOT, NOT_FOR_ROOT } from '../../support/account.ts';
import { pretendPlatform } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { addInOneStep, timesOf } from '../../support/wine.ts';

const CALLER = { session: 's1', agent: 'a1', type: 'plugin:agent', transcript: '/p/s1.jsonl' };
const LOADED = { ...CALLER, loaded: true, private: true };
const DAY = 24 * 60 * 60 * 1_000;

async function createJournal(folder?: string, clock = { now: 1_000 }) {
	const data = folder ?? join(await temporaryFolder(), 'data');
	const reported: string[] = [];
	const journal = new Journal(
		data,
		() => clock.now,
		({ code }) => reported.push(code),
	);
	return { journal, data, clock, reported, file: join(data, 'record', 'record.ndjson') };
}

const agentsOf = async (journal: Journal) => (await journal.loads()).map(({ agent }) => agent);

describe('what nothing is left of', () => {
	test('is no load any more, in every process, and is one again if the agent loads again', async () => {
		const { journal, data } = await createJournal();
		const other = (await createJournal(data)).journal;
		await journal.add([LOADED, { ...LOADED, agent: 'a2' }]);
		await other.forget([CALLER, { session: 's9', agent: 'a9' }]);
		const all = async () => [journal, other, (await createJournal(data)).journal];
		for (const each of await all()) expect(await agentsOf(each)).toEqual(['a2']);
		// The session stays private.
		for (const each of await all()) expect(await each.holds({ session: 's1', agent: 'a1' })).toBe(true);
		await journal.add([LOADED]);
		for (const each of await all()) expect((await agentsOf(each)).sort()).toEqual(['a1', 'a2']);
	});

	test('stays so when the file is compacted', async () => {
		const { journal, data, clock } = await createJournal();
		await journal.add([LOADED, { ...LOADED, agent: 'a2' }]);
		await (await createJournal(data)).journal.forget([CALLER]);
		expect(await agentsOf(journal)).toEqual(['a2']);
		clock.now += 31 * DAY;
		await journal.add([{ ...LOADED, agent: 'a3' }]);
		const later = await createJournal(data, clock);
		await later.journal.compact();
		for (const each of [journal, later.journal]) expect(await agentsOf(each)).not.toContain('a1');
		expect(await later.journal.holds({ session: 's1', agent: 'a1' })).toBe(true);
	});

	test('is all that goes: what others have loaded counts in memory even if the folder is removed', async () => {
		const { journal, data } = await createJournal();
		await journal.add([LOADED, { ...LOADED, agent: 'a2' }]);
		await (await createJournal(data)).journal.forget([CALLER]);
		expect(await agentsOf(journal)).toEqual(['a2']);
		await rm(data, { recursive: true });
		expect(await agentsOf(journal)).toEqual(['a2']);
	});

	test('needs no note, and no folder, if nothing was written down', async () => {
		const { journal, data } = await createJournal();
		await journal.forget([CALLER]);
		await expect(readdir(data)).rejects.toMatchObject({ code: 'ENOENT' });
	});
});

test('of a load it is known since when, and which process of the client runs the agent, the last one if there were several', async () => {
	const { data } = await createJournal();
	for (const pid of [11, 12])
		await new Journal(
			data,
			() => pid,
			() => {},
			pid,
		).add([LOADED]);
	const { journal } = await createJournal(data);
	expect(await journal.loads()).toMatchObject([{ agent: 'a1', client: 12, since: 11 }]);
});

describe('what was added', () => {
	test('is known to every process at once, and is one line, written once', async () => {
		const { journal, data, file } = await createJournal();
		const other = (await createJournal(data)).journal;
		expect([await journal.loads(), await other.loads()]).toEqual([[], []]);
		await journal.add([LOADED, { session: 's0', private: true }]);
		const { size } = await stat(file);
		await journal.add([LOADED]);
		expect((await stat(file)).size).toBe(size);
		for (const each of [journal, other, (await createJournal(data)).journal]) {
			expect(await each.loads()).toEqual([{ ...CALLER, since: 1_000, isPrivate: true }]);
			const holders = [
				{ session: 's1' },
				{ session: 's0' },
				{ session: 's1', agent: 'a1' },
				{ session: 'x', agent: 'a1' },
			];
			for (const holder of holders) expect(await each.holds(holder), JSON.stringify(holder)).toBe(true);
			const others = [{ session: 's2' }, { session: 's1', agent: '' }, { session: 's1', agent: 'a2' }, { session: '' }];
			for (const holder of others) expect(await each.holds(holder), JSON.stringify(holder)).toBe(false);
		}
		expect((await readFile(file, 'utf8')).split('\n').filter(Boolean)).toHaveLength(2);
	});

	test('of one agent of a private session is written, though the session is known to be private', async () => {
		const { journal, data } = await createJournal();
		await journal.add([{ session: 's1', private: true }]);
		await journal.add([{ session: 's1', agent: 'a1', private: true }]);
		expect(await (await createJournal(data)).journal.holds({ session: 's1', agent: 'a1' })).toBe(true);
	});

	test('is seen however soon after it was added, in the order of whoever asks', async () => {
		const { journal, data } = await createJournal();
		const other = (await createJournal(data)).journal;
		for (let agent = 0; agent < timesOf(200); agent++) {
			await other.add([{ ...LOADED, agent: `a${agent}` }]);
			expect(await journal.loads()).toHaveLength(agent + 1);
		}
	});

	test('is the same list as long as nothing changes', async () => {
		const { journal, data } = await createJournal();
		await journal.add([LOADED]);
		const loads = await journal.loads();
		expect(await journal.loads()).toBe(loads);
		await (await createJournal(data)).journal.add([{ ...LOADED, agent: 'a2' }]);
		expect(await journal.loads()).not.toBe(loads);
	});

	test('as private is never taken back by what is not, from whatever process', async () => {
		addInOneStep();
		const { journal, data } = await createJournal();
		const other = (await createJournal(data)).journal;
		for (let agent = 0; agent < timesOf(50); agent++) {
			const ofAgent = { ...LOADED, agent: `a${agent}` };
			const open = { ...ofAgent, private: false };
			await Promise.all([journal.add([open]), journal.add([ofAgent]), other.add([open]), journal.add([open])]);
			for (const one of [journal, other, (await createJournal(data)).journal]) {
				expect((await one.loads()).find((load) => load.agent === ofAgent.agent)).toMatchObject({ isPrivate: true });
				expect(await one.holds(ofAgent)).toBe(true);
			}
		}
		await journal.add([{ ...LOADED, session: 'open', agent: 'open', private: false }]);
		expect([await journal.holds({ session: 'open' }), await journal.holds({ session: 'open', agent: 'open' })]).toEqual(
			[false, false],
		);
	});

	test('holds nothing but what is said, for the user alone', async () => {
		const { journal, file } = await createJournal();
		await journal.add([{ ...LOADED, session: 'a/../b\n', agent: '' }]);
		const modes = [file, dirname(file)].map(async (path) => (await stat(path)).mode & 0o777);
		// Windows has no modes: folders of the account are for it alone.
		if (process.platform !== 'win32') expect(await Promise.all(modes)).toEqual([0o600, 0o700]);
		const [line = '', ...more] = (await readFile(file, 'utf8')).split('\n').filter(Boolean);
		expect(more).toEqual([]);
		expect(JSON.parse(line)).toEqual({ ...LOADED, session: 'a/../b\n', agent: '', since: 1_000 });
	});

	test('counts in memory even if somebody removes the folder, and the next one is written', async () => {
		const { journal, data } = await createJournal();
		await journal.add([LOADED]);
		expect(await agentsOf(journal)).toEqual(['a1']);
		await rm(data, { recursive: true });
		expect(await agentsOf(journal)).toEqual(['a1']);
		expect(await (await createJournal(data)).journal.loads()).toEqual([]);
		await journal.add([{ ...LOADED, agent: 'a2' }]);
		expect(await agentsOf((await createJournal(data)).journal)).toEqual(['a2']);
	});

	test.each(['itself', 'another process'])(
		'by %s and was removed is written when it happens once more',
		async (who) => {
			const { journal, data } = await createJournal();
			const both = [LOADED, { ...LOADED, agent: 'a2', private: false }];
			await (who === 'itself' ? journal : (await createJournal(data)).journal).add(both);
			expect(await agentsOf(journal)).toEqual(['a1', 'a2']);
			await rm(data, { recursive: true });
			for (const each of both) await journal.add([each]);
			for (const each of [journal, (await createJournal(data)).journal]) {
				expect([await agentsOf(each), await each.holds({ session: 's1' })]).toEqual([['a1', 'a2'], true]);
			}
		},
	);

	test.skipIf(process.platform === 'win32')(
		'is on the disk before it counts: the file, its folder, and a new folder above; none stays open',
		async () => {
			const { journal, data } = await createJournal();
			const done: string[] = [];
			let opened = 0;
			const { open } = promises;
			const spy = vi.spyOn(promises, 'open').mockImplementation(async (path, ...how) => {
				const handle = await open(path, ...how);
				const sync = handle.sync.bind(handle);
				const close = handle.close.bind(handle);
				opened += 1;
				handle.close = async () => {
					await close();
					opened -= 1;
				};
				handle.sync = async () => {
					await sync();
					done.push(relative(dirname(data), String(path)));
				};
				return handle;
			});
			onTestFinished(() => spy.mockRestore());
			await journal.add([LOADED]);
			expect(done).toEqual(['data/record/record.ndjson', 'data/record', 'data', '']);
			done.length = 0;
			await journal.add([{ ...LOADED, agent: 'a2' }]);
			expect(done).toEqual(['data/record/record.ndjson']);
			await journal.loads();
			expect(opened).toBe(0);
		},
	);
});

describe('what cannot be written or read', () => {
	test('is an error before anything goes out, counts as private, and is written the next time', async () => {
		const { journal, data, file } = await createJournal();
		await writeFile(data, 'a file in place of the folder');
		await expect(journal.add([LOADED])).rejects.toMatchObject({ code: 'state_unwritable' });
		expect(await journal.holds({ session: 's1' })).toBe(true);
		await rm(data);
		await journal.add([LOADED]);
		expect(await readFile(file, 'utf8')).toContain('"s1"');
	});

	test('is an error if the disk is full in the middle of a line', async () => {
		const { journal } = await createJournal();
		const { open } = promises;
		const spy = vi.spyOn(promises, 'open').mockImplementation(async (path, ...how) => {
			const handle = await open(path, ...how);
			const write = handle.write.bind(handle);
			handle.write = (async (text: Uint8Array) => await write(text, 0, 9)) as typeof write;
			return handle;
		});
		onTestFinished(() => spy.mockRestore());
		await expect(journal.add([LOADED])).rejects.toMatchObject({ code: 'state_unwritable' });
	});

	test.each(['EACCES', 'EPERM', 'ELOOP', 'EIO', 'ENOTDIR'])('%s: everybody may hold private data', async (code) => {
		const { journal, reported } = await createJournal();
		const looking = vi.spyOn(promises, 'stat').mockRejectedValue(Object.assign(new Error(code), { code }));
		onTestFinished(() => looking.mockRestore());
		for (let turn = 0; turn < 3; turn++) expect(await journal.holds({ session: 's1' })).toBe(true);
		expect(reported).toEqual(['state_unreadable']);
		looking.mockRestore();
		expect(await journal.holds({ session: 's1' })).toBe(false);
	});

	test.each(['.', 'record', 'private-agents', 'private-sessions'])(
		'a file in the place of the folder %s, of which Windows says that nothing is in it',
		async (name) => {
			const { journal, data } = await createJournal();
			await mkdir(dirname(join(data, name)), { recursive: true });
			await writeFile(join(data, name), '');
			for (const method of ['readdir', 'stat'] as const) {
				const original = promises[method].bind(promises) as (...args: unknown[]) => Promise<never>;
				const asOnWindows = async (...args: unknown[]) =>
					await original(...args).catch((error: NodeJS.ErrnoException) => {
						throw error.code === 'ENOTDIR' ? Object.assign(new Error('ENOENT'), { code: 'ENOENT' }) : error;
					});
				const spy = vi.spyOn(promises, method).mockImplementation(asOnWindows);
				onTestFinished(() => spy.mockRestore());
			}
			expect(await journal.holds({ session: 's1' })).toBe(true);
		},
	);

	test('a folder that leads to itself', async () => {
		const data = join(await temporaryFolder(), 'loop');
		await symlink(data, data);
		const { journal } = await createJournal(data);
		expect(await journal.holds({ session: 's1' })).toBe(true);
		await expect(journal.add([LOADED])).rejects.toMatchObject({ code: 'state_unwritable' });
	});

	test('without permission', async ({ skip }) => {
		skip(IS_ROOT, NOT_FOR_ROOT);
		const { journal, data, file } = await createJournal();
		await journal.add([LOADED]);
		await chmod(file, 0o000);
		expect(await (await createJournal(data)).journal.holds({ session: 's2' })).toBe(true);
		await expect(journal.add([{ ...LOADED, agent: 'a2' }])).rejects.toMatchObject({ code: 'state_unwritable' });
		await chmod(file, 0o600);
	});

	test('a line that is damaged or cut off is reported once, and takes no other along', async () => {
		const { journal, data, file } = await createJournal();
		await journal.add([LOADED]);
		await appendFile(file, '{"session":"s2","agent":"x"\n[]\nno JSON\n{"session":5}\n{"session":"s3","priv');
		const other = await createJournal(data);
		for (let turn = 0; turn < 3; turn++) expect(await agentsOf(other.journal)).toEqual(['a1']);
		expect(other.reported).toEqual(['state_unreadable']);
		await other.journal.add([{ ...LOADED, agent: 'a2' }]);
		expect(await agentsOf((await createJournal(data)).journal)).toEqual(['a1', 'a2']);
		expect(await agentsOf(journal)).toEqual(['a1', 'a2']);
	});

	test.each(['[]', 'null', '{"session":5}', '{"marks":null}', '{"session":"s1","loaded":"no"}'])(
		'the line %s is reported and says nothing',
		async (line) => {
			const { journal, file, reported } = await createJournal();
			await mkdir(dirname(file), { recursive: true });
			await writeFile(file, `${line}\n`);
			expect([await journal.loads(), reported]).toEqual([[], ['state_unreadable']]);
		},
	);

	test('very many lines are read, and made fewer', async () => {
		const { journal, data, file, reported } = await createJournal();
		await mkdir(dirname(file), { recursive: true });
		await writeFile(file, `${JSON.stringify({ session: 's1', private: true })}\n`.repeat(200_000));
		expect([await journal.holds({ session: 's1' }), await journal.holds({ session: 's2' })]).toEqual([true, false]);
		await journal.compact();
		expect([reported, (await stat(file)).size < 1_000]).toEqual([[], true]);
		expect(await (await createJournal(data)).journal.holds({ session: 's1' })).toBe(true);
	});

	test('fields of a later version are let be', async () => {
		const { data, file } = await createJournal();
		await mkdir(dirname(file), { recursive: true });
		await writeFile(file, `${JSON.stringify({ ...LOADED, since: 1_000, later: { x: 1 } })}\n`);
		expect(await agentsOf((await createJournal(data)).journal)).toEqual(['a1']);
	});
});

describe('compaction', () => {
	test('after 30 days loads go; who holds private data is known for good', async () => {
		const { journal, data, clock, file } = await createJournal();
		await journal.add([LOADED, { session: 's0', private: true }, { ...LOADED, session: 's7', agent: '' }]);
		clock.now += 29 * DAY;
		await journal.add([{ ...LOADED, session: 's2', agent: 'a2' }]);
		const later = (await createJournal(data, clock)).journal;
		await later.compact();
		expect(await later.loads()).toHaveLength(3);
		clock.now += 2 * DAY;
		const latest = (await createJournal(data, clock)).journal;
		expect(await agentsOf(latest)).toEqual(['a2']);
		await latest.compact();
		const text = await readFile(file, 'utf8');
		for (const gone of ['"a1"', '"s1"', '"s7"', 'p/s1.jsonl"}']) expect(text).not.toContain(gone);
		for (const each of [latest, journal, (await createJournal(data, clock)).journal]) {
			expect((await each.loads()).map(({ agent }) => agent)).toContain('a2');
			const holders = [
				{ session: 's1' },
				{ session: 's0' },
				{ session: 'x', agent: 'a1' },
				{ session: 's7', agent: '' },
			];
			for (const holder of holders) expect(await each.holds(holder), JSON.stringify(holder)).toBe(true);
			expect(await each.holds({ session: 's9' })).toBe(false);
		}
	});

	test('happens only if there is something to leave out, and leaves one file', async () => {
		const { journal, file } = await createJournal();
		await journal.add([LOADED]);
		const { ino } = await stat(file);
		await journal.compact();
		expect((await stat(file)).ino).toBe(ino);
		for (let n = 0; n < 150; n++) await journal.add([{ session: `s${n}`, private: true }]);
		await journal.compact();
		expect(await readdir(dirname(file))).toEqual(['record.ndjson']);
		expect((await readFile(file, 'utf8')).split('\n').filter(Boolean)).toHaveLength(2);
		expect(await journal.holds({ session: 's149' })).toBe(true);
	});

	test('keeps to a bound, and forgets the oldest marks first', async () => {
		const { journal, data, file } = await createJournal();
		await journal.add(Array.from({ length: 20_100 }, (_, n) => ({ session: `s${n}`, private: true })));
		await journal.compact();
		const other = (await createJournal(data)).journal;
		expect([await other.holds({ session: 's99' }), await other.holds({ session: 's100' })]).toEqual([false, true]);
		expect((await stat(file)).size).toBeLessThan(500_000);
	});

	test('is seen before the new file is there, and so is a file that somebody has cut', async () => {
		const { journal, data, file } = await createJournal();
		expect(await journal.loads()).toEqual([]);
		const other = (await createJournal(data)).journal;
		await other.add([LOADED]);
		const { size } = await stat(file);
		const renamed = join(dirname(file), 'x.ndjson');
		await promises.rename(file, renamed);
		expect(await agentsOf(journal)).toEqual(['a1']);
		await promises.rename(renamed, file);
		await other.add([{ ...LOADED, agent: 'a2' }]);
		expect(await agentsOf(journal)).toEqual(['a1', 'a2']);
		await promises.truncate(file, size);
		expect(await agentsOf(journal)).toEqual(['a1']);
	});

	test('lets other files of the folder be', async () => {
		const { journal, data, clock, file } = await createJournal();
		await journal.add([LOADED]);
		const other = join(dirname(file), 'notes.txt');
		await writeFile(other, `${JSON.stringify({ ...LOADED, agent: 'a2', since: 1_000 })}\n`);
		expect(await agentsOf((await createJournal(data)).journal)).toEqual(['a1']);
		clock.now += 31 * DAY;
		await journal.compact();
		expect((await readdir(dirname(file))).sort()).toEqual(['notes.txt', 'record.ndjson']);
	});

	test('on Windows, and lines that are added, go through if other processes look at the files', async () => {
		const { journal, data, clock, file, reported } = await createJournal();
		pretendPlatform('win32');
		for (const name of ['open', 'readdir', 'rename', 'rm'] as const) {
			const own = promises[name] as (...args: unknown[]) => Promise<never>;
			const failed = new Set<string>();
			const spy = vi.spyOn(promises, name).mockImplementation(async (...args: unknown[]) => {
				const call = args.slice(0, 2).join(' ');
				if (failed.has(call)) return await own(...args);
				failed.add(call);
				throw Object.assign(new Error(), { code: 'EPERM' });
			});
			onTestFinished(() => spy.mockRestore());
		}
		await journal.add([LOADED]);
		clock.now += 31 * DAY;
		await journal.compact();
		expect(reported).toEqual([]);
		expect(await readdir(dirname(file))).toEqual(['record.ndjson']);
		expect(await (await createJournal(data)).journal.holds({ session: 's1' })).toBe(true);
	});

	test('that was broken off has lost nothing', async () => {
		const { journal, data, file } = await createJournal();
		await journal.add([LOADED]);
		const renamed = join(dirname(file), 'x.ndjson');
		await promises.rename(file, renamed);
		for (const each of [journal, (await createJournal(data)).journal]) expect(await agentsOf(each)).toEqual(['a1']);
		await journal.add([{ ...LOADED, agent: 'a2' }]);
		for (const each of [journal, (await createJournal(data)).journal]) {
			expect((await agentsOf(each)).sort()).toEqual(['a1', 'a2']);
		}
	});

	test('takes no line along that is being added', async () => {
		const { journal, data, file } = await createJournal();
		await journal.add(Array.from({ length: 150 }, (_, n) => ({ session: `s${n}`, private: true })));
		const other = (await createJournal(data)).journal;
		const { open } = promises;
		let compactions = 0;
		const spy = vi.spyOn(promises, 'open').mockImplementation(async (path, flags, ...mode) => {
			const handle = await open(path, flags, ...mode);
			if (path === file && flags === 'a' && compactions === 0) {
				compactions += 1;
				await other.compact();
			}
			return handle;
		});
		onTestFinished(() => spy.mockRestore());
		await journal.add([LOADED]);
		expect(compactions).toBe(1);
		for (const each of [other, (await createJournal(data)).journal]) expect(await agentsOf(each)).toEqual(['a1']);
	});

	test('loses nothing that others add meanwhile, nor hides it from them', async () => {
		addInOneStep();
		const { data } = await createJournal();
		const added = new Set<string>();
		let compactions = 0;
		const work = Array.from({ length: 4 }, async (_, id) => {
			const { journal } = await createJournal(data);
			for (let n = 0; n < 60; n++) {
				const before = [...added];
				const seen = new Set(await agentsOf(journal));
				expect(before.filter((agent) => !seen.has(agent))).toEqual([]);
				const marks = Array.from({ length: 30 }, (_, m) => ({ session: `s${id}-${n}-${m}`, private: true }));
				await journal.add([{ ...LOADED, agent: `a${id}-${n}` }, ...marks]);
				added.add(`a${id}-${n}`);
				if (n % 5 === id) {
					await journal.compact();
					compactions += 1;
				}
			}
		});
		await Promise.all(work);
		const { journal } = await createJournal(data);
		expect(new Set(await agentsOf(journal))).toEqual(added);
		expect(await journal.holds({ session: 's3-59-29' })).toBe(true);
		expect([added.size, compactions]).toEqual([240, 48]);
	});
});

describe('what older versions wrote', () => {
	async function older(data: string, since = 900) {
		const [agents, holders] = [join(data, 'private-agents'), join(data, 'private-sessions')];
		await Promise.all([mkdir(agents, { recursive: true }), mkdir(holders, { recursive: true })]);
		const write = async (name: string, load: object) => await writeFile(join(agents, name), JSON.stringify(load));
		await write('aa.json', { ...CALLER, since });
		await write('bb.open.json', { ...CALLER, session: 's5', agent: 'open', since, isPrivate: false });
		await writeFile(join(agents, 'cc.json'), '{"session":');
		await writeFile(join(agents, '.all'), '[]');
		for (const name of ['s8', '\0a8', 's8\0main']) await writeFile(join(holders, sha256(name).slice(0, 32)), '');
		return [agents, holders];
	}

	test('counts, and is taken over', async () => {
		const { journal, data, reported, clock } = await createJournal(undefined, { now: Date.now() + 8 * DAY });
		const folders = await older(data, clock.now);
		for (let turn = 0; turn < 3; turn++) {
			const each = turn === 1 ? (await createJournal(data, clock)).journal : journal;
			expect((await agentsOf(each)).sort()).toEqual(['a1', 'open']);
			const holders = [
				{ session: 's1' },
				{ session: 's8' },
				{ session: 'x', agent: 'a8' },
				{ session: 's8', agent: '' },
			];
			for (const holder of holders) expect(await each.holds(holder), JSON.stringify(holder)).toBe(true);
			for (const holder of [{ session: 's5' }, { session: 's5', agent: 'open' }, { session: 's8\0main' }]) {
				expect(await each.holds(holder), JSON.stringify(holder)).toBe(holder.session === 's8\0main');
			}
			if (turn === 0) await journal.compact();
		}
		for (const folder of folders) await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
		expect(reported).toEqual(['state_unreadable']);
	});

	test('is neither missed nor called unreadable while it is taken over', async () => {
		for (let turn = 0; turn < timesOf(60); turn++) {
			const { journal, data, clock } = await createJournal(undefined, { now: Date.now() + 8 * DAY });
			const [agents = ''] = await older(data, clock.now);
			await rm(join(agents, 'cc.json'));
			let isOver = false;
			const compaction = journal.compact().then(() => {
				isOver = true;
			});
			while (!isOver) {
				const other = await createJournal(data, clock);
				expect((await agentsOf(other.journal)).sort()).toEqual(['a1', 'open']);
				expect(await other.journal.holds({ session: 's8' })).toBe(true);
				expect(other.reported).toEqual([]);
			}
			await compaction;
		}
	});

	test('on Windows, is read again if another process is removing it', async () => {
		const { journal, data, reported, clock } = await createJournal();
		const [agents = ''] = await older(data, clock.now);
		await rm(join(agents, 'cc.json'));
		pretendPlatform('win32');
		const busy = Object.assign(new Error(), { code: 'EPERM' });
		const spy = vi.spyOn(promises, 'readFile').mockRejectedValueOnce(busy).mockRejectedValueOnce(busy);
		onTestFinished(() => spy.mockRestore());
		expect([(await agentsOf(journal)).sort(), reported]).toEqual([['a1', 'open'], []]);
	});

	test('stays for a week after its last change, since a session of theirs can still run, and costs no compaction', async () => {
		const { data, clock, file } = await createJournal(undefined, { now: Date.now() });
		const [agents = ''] = await older(data, clock.now - 40 * DAY);
		await Promise.all(
			Array.from({ length: 150 }, async (_, n) => {
				const load = { ...CALLER, agent: `o${n}`, since: clock.now };
				await writeFile(join(agents, `${n}.json`), JSON.stringify(load));
			}),
		);
		await (await createJournal(data, clock)).journal.compact();
		expect((await readdir(data)).sort()).toEqual(['private-agents', 'private-sessions']);
		await (await createJournal(data, clock)).journal.add([
			LOADED,
			...Array.from({ length: 300 }, () => ({ session: 's1', private: true })),
		]);
		for (const isFirst of [true, false]) {
			const { ino } = await stat(file);
			await (await createJournal(data, clock)).journal.compact();
			expect((await stat(file)).ino === ino, String(isFirst)).toBe(!isFirst);
		}
		clock.now += 8 * DAY;
		const { journal } = await createJournal(data, clock);
		await journal.compact();
		expect(await readdir(data)).toEqual(['record']);
		expect([await journal.loads(), await journal.holds({ session: 's8' })]).toMatchObject([{ length: 151 }, true]);
	});

	test.each([0, 1])('can be in one of the folders alone: %i', async (index) => {
		const { journal, data, clock } = await createJournal(undefined, { now: Date.now() });
		const folders = await older(data, clock.now);
		await rm(folders[1 - index] ?? '', { recursive: true });
		expect([await journal.loads(), await journal.holds({ session: 's8' })]).toMatchObject([
			{ length: index === 0 ? 2 : 0 },
			index === 1,
		]);
		await journal.compact();
		expect(await readdir(data)).toContain(['private-agents', 'private-sessions'][index]);
		clock.now += 8 * DAY;
		const later = (await createJournal(data, clock)).journal;
		await later.compact();
		expect(await readdir(data)).toEqual(['record']);
		expect(await later.loads()).toHaveLength(index === 0 ? 2 : 0);
	});

	test('if nobody can look there, everybody may hold private data, and it stays', async () => {
		const { journal, data } = await createJournal();
		await mkdir(data, { recursive: true });
		await writeFile(join(data, 'private-sessions'), '');
		expect(await journal.holds({ session: 's1' })).toBe(true);
		await journal.compact();
		expect(await readdir(data)).toEqual(['private-sessions']);
	});
});
