import { mkdir, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findHole } from '../../../server/isolation/prove.ts';
import type { IsolationWay } from '../../../server/isolation/ways.ts';
import { ISOLATION_WAYS, MAY_NOT_ISOLATE, mayUse } from '../../support/account.ts';
import { processesWith } from '../../support/shell.ts';
import { shortFolder, temporaryFolder } from '../../support/temporary.ts';

const ENVIRONMENT = { PATH: process.env.PATH ?? '' };

/** A way that runs a script in the place of the attempt, which is its arguments. */
function way(script: string): IsolationWay {
	const wrap: IsolationWay['wrap'] = ({ program, args }) => ({
		program: 'bash',
		args: ['-c', script, 'bash', program, ...args],
	});
	return { name: 'fake', hidesSockets: true, wrap };
}

test.for(ISOLATION_WAYS)('a way that works has no hole: $name', async (real, { skip }) => {
	skip(!mayUse(real), MAY_NOT_ISOLATE);
	expect(await findHole(real, tmpdir(), ENVIRONMENT)).toBeUndefined();
});

test.each([
	['takes nothing away', way('exec "$@"'), 'it reached the listener'],
	['reaches the port and denies it', way('"$@" >/dev/null; echo ran'), 'it reached the listener'],
	['says that it reached something', way('echo port; echo ran'), 'it reached the listener'],
	['leaves the sockets', way('echo socket; echo ran'), 'it reached the listener'],
	['prints nothing', way('exit 3'), 'it did not run'],
	['says why it does not run', way('echo no permission >&2; exit 1'), 'no permission'],
	['does not exist', { ...way(''), wrap: () => ({ program: '/none', args: [] }) }, 'ENOENT'],
])('a way that %s has one', async (_, fake, hole) => {
	expect(await findHole(fake, tmpdir(), ENVIRONMENT)).toBe(hole);
});

test('a way that does not end is given up, with all that it started', async () => {
	const marker = `sleep 41${process.pid}`;
	expect(await findHole(way(`${marker} & wait`), tmpdir(), ENVIRONMENT)).toBe('it did not run');
	expect(processesWith(marker)).toEqual([]);
});

test('where nothing is reached without isolation either, nothing is proven', async () => {
	const hole = await findHole(way('echo ran'), tmpdir(), { PATH: '/none' });
	expect(hole).toBe('without isolation the listener could not be reached either');
});

test.for(ISOLATION_WAYS)('nor in a folder too long for a socket: $name', async (real, { skip }) => {
	skip(!mayUse(real), MAY_NOT_ISOLATE);
	const parent = await temporaryFolder();
	const folder = join(parent, 'x'.repeat(100));
	await mkdir(folder);
	expect(await findHole(real, folder, ENVIRONMENT)).toBeUndefined();
	expect([await readdir(parent), await readdir(folder)]).toEqual([['x'.repeat(100)], []]);
});

test('in a folder that does not take a socket, it can not be tried', async () => {
	const folder = join(await shortFolder(), 'none');
	await expect(findHole(way('echo ran'), folder, ENVIRONMENT)).rejects.toThrow();
});
