import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { TranscriptLocator } from '../../../server/claude-code/transcript-locator.ts';
import { temporaryFolder } from '../../support/temporary.ts';

afterEach(() => vi.restoreAllMocks());

const PROJECTS = 20;

/** Remembered agents, each of a session in some project, of which no file is left. */
async function remembered(count: number) {
	const projects = await temporaryFolder();
	const folders = Array.from({ length: PROJECTS }, (_, index) => join(projects, `-p${index}`));
	await Promise.all(folders.map((folder) => fs.mkdir(folder)));
	const records = Array.from({ length: count }, (_, index) => {
		const transcript = join(folders[index % PROJECTS] as string, `S${index}.jsonl`);
		return { session: `S${index}`, agent: `a${index}`, transcript };
	});
	return { folders, records };
}

test('agents of which nothing is left cost one look at each folder, however many they are', async () => {
	const { records } = await remembered(500);
	const [look, read] = [vi.spyOn(fs, 'stat'), vi.spyOn(fs, 'readdir')];
	expect(await new TranscriptLocator(() => 0).locate(records)).toEqual(records);
	expect(read).toHaveBeenCalledTimes(PROJECTS + 1);
	expect(look).toHaveBeenCalledTimes(records.length);
});

test('the files of a session are found in another project, also if they were moved since', async () => {
	const { folders, records } = await remembered(2);
	const places = new TranscriptLocator(() => 0);
	const [record] = records as [(typeof records)[0]];
	for (const folder of [folders[5], folders[0], folders[7]] as string[]) {
		const others = folders.map((each) => fs.rm(join(each, 'S0'), { recursive: true, force: true }));
		await Promise.all(others);
		await fs.mkdir(join(folder, 'S0', 'subagents'), { recursive: true });
		await fs.writeFile(join(folder, 'S0', 'subagents', 'agent-a0.jsonl'), '');
		expect(await places.locate([record])).toEqual([{ ...record, transcript: join(folder, 'S0.jsonl') }]);
	}
});
