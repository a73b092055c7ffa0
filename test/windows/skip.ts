import { lstatSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach } from 'vitest';
import { systemProgram } from '../../server/processes/system-program.ts';
import { IS_WINE } from '../support/wine.ts';
import { SKIPPED_TESTS } from './skipped-tests.ts';

const TESTS = fileURLToPath(new URL('..', import.meta.url));

/** Reasons that some machines with Windows do not have; what is named after Wine is none of Windows' at all. */
const DOES_NOT_HOLD: Readonly<Record<string, boolean>> = {
	'it needs links': hasLinks(),
	'it needs Git': systemProgram('git', process.env.PATH) !== undefined,
};

/** Windows makes them in developer mode. Wine only says that it has made one. */
function hasLinks(): boolean {
	const folder = mkdtempSync(join(tmpdir(), 'context-broker-'));
	try {
		symlinkSync('none', join(folder, 'link'));
		return lstatSync(join(folder, 'link'), { throwIfNoEntry: false }) !== undefined;
	} catch {
		return false;
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/** Why a test is skipped on Windows. @param file below `test/`, with slashes */
function reasonToSkip(file: string, name: string): string | undefined {
	for (const [reason, files] of Object.entries(SKIPPED_TESTS)) {
		const isNamed = ([place, names]: [string, readonly string[]]) =>
			(file === `${place}.test.ts` || file.startsWith(`${place}/`)) && names.some((start) => name.startsWith(start));
		const holds = DOES_NOT_HOLD[reason] !== true && (IS_WINE || !/\bWine\b/.test(reason));
		if (holds && Object.entries(files).some(isNamed)) return reason;
	}
	return undefined;
}

beforeEach(({ task, skip }) => {
	const file = relative(TESTS, task.file.filepath).replaceAll(sep, '/');
	const reason = reasonToSkip(file, task.fullTestName.replaceAll(' > ', ' '));
	skip(reason !== undefined, reason);
});
