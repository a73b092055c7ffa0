import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandLineOf, forkedFrom } from '../../../server/claude-code/forked-from.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const ID = '5f2c9a14-7d30-4c52-9a0e-1f6d1b9e7c55';

test('the command line tells of what a session is a fork', async () => {
	const folder = await temporaryFolder();
	for (const [index, name] of ['a', 'b', 'c', 'd', 'own'].entries()) {
		await writeFile(join(folder, `${name}.jsonl`), 'x');
		await utimes(join(folder, `${name}.jsonl`), 1_000 + index, 1_000 + index);
	}
	const own = join(folder, 'own.jsonl');
	const of = (...names: string[]) => names.map((name) => join(folder, `${name}.jsonl`));
	expect(await forkedFrom(own, ['claude', '--continue'])).toEqual([]);
	expect(await forkedFrom(own, ['claude', '--resume', ID])).toEqual([]);
	expect(await forkedFrom(own, ['claude', '--resume', ID, '--fork-session'])).toEqual(of(ID));
	expect(await forkedFrom(own, ['claude', `--resume=${ID}`, '--fork-session'])).toEqual(of(ID));
	expect(await forkedFrom(own, ['claude', '-c', '--fork-session'])).toEqual(of('d', 'c', 'b'));
	expect(await forkedFrom(own, ['claude', '--resume', '--fork-session'])).toEqual(of('d', 'c', 'b', 'a'));
});

test('a process has a command line, but not on Windows, and one that is gone has none', async () => {
	const words = await commandLineOf(process.pid, process.platform);
	expect(words.join(' ')).toContain(process.platform === 'win32' ? '' : 'node');
	expect(await commandLineOf(process.pid, 'win32')).toEqual([]);
	expect(await commandLineOf(2 ** 30, process.platform)).toEqual([]);
});
