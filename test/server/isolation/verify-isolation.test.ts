import { mkdir, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Sandbox } from '../../../server/isolation/sandboxes.ts';
import { verifyIsolation } from '../../../server/isolation/verify-isolation.ts';
import { MAY_NOT_ISOLATE, mayUse, SANDBOXES } from '../../support/account.ts';
import { processesWith } from '../../support/shell.ts';
import { shortFolder, temporaryFolder } from '../../support/temporary.ts';

const ENVIRONMENT = { PATH: process.env.PATH ?? '' };

/** A sandbox that runs a script in the place of the attempt, which is its arguments. */
function sandbox(script: string): Sandbox {
	const wrap: Sandbox['wrap'] = ({ program, args }) => ({
		program: 'bash',
		args: ['-c', script, 'bash', program, ...args],
	});
	return { name: 'fake', hidesSockets: true, wrap };
}

test.for(SANDBOXES)('a sandbox that works isolates: $name', async (real, { skip }) => {
	skip(!mayUse(real), MAY_NOT_ISOLATE);
	expect(await verifyIsolation(real, tmpdir(), ENVIRONMENT)).toBeUndefined();
});

test.each([
	['takes nothing away', sandbox('exec "$@"'), 'it reached the listener'],
	['reaches the port and denies it', sandbox('"$@" >/dev/null; echo ran'), 'it reached the listener'],
	['says that it reached something', sandbox('echo port; echo ran'), 'it reached the listener'],
	['leaves the sockets', sandbox('echo socket; echo ran'), 'it reached the listener'],
	['prints nothing', sandbox('exit 3'), 'it did not run'],
	['says why it does not run', sandbox('echo no permission >&2; exit 1'), 'no permission'],
	['does not exist', { ...sandbox(''), wrap: () => ({ program: '/none', args: [] }) }, 'ENOENT'],
])('a sandbox that %s does not', async (_, fake, hole) => {
	expect(await verifyIsolation(fake, tmpdir(), ENVIRONMENT)).toBe(hole);
});

test('a sandbox that does not end is given up, with all that it started', async () => {
	const marker = `sleep 41${process.pid}`;
	expect(await verifyIsolation(sandbox(`${marker} & wait`), tmpdir(), ENVIRONMENT)).toBe('it did not run');
	expect(processesWith(marker)).toEqual([]);
});

test('where nothing is reached without isolation either, nothing is proven, and nothing is left', async () => {
	const folder = await shortFolder();
	const hole = await verifyIsolation(sandbox('echo ran'), folder, { PATH: '/none' });
	expect(hole).toBe('without isolation the listener could not be reached either');
	expect(await readdir(folder)).toEqual([]);
});

test.for(SANDBOXES)('nor in a folder too long for a socket: $name', async (real, { skip }) => {
	skip(!mayUse(real), MAY_NOT_ISOLATE);
	const parent = await temporaryFolder();
	const folder = join(parent, 'x'.repeat(100));
	await mkdir(folder);
	expect(await verifyIsolation(real, folder, ENVIRONMENT)).toBeUndefined();
	expect([await readdir(parent), await readdir(folder)]).toEqual([['x'.repeat(100)], []]);
});

test('in a folder that does not take a socket, it can not be tried', async () => {
	const folder = join(await shortFolder(), 'none');
	await expect(verifyIsolation(sandbox('echo ran'), folder, ENVIRONMENT)).rejects.toThrow();
});
