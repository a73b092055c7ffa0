import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach } from 'vitest';
import { NOT_UNDER_WINE } from './not-under-wine.ts';

const TESTS = fileURLToPath(new URL('..', import.meta.url));

/** Why a test is skipped on Windows. @param file below `test/`, with slashes */
function reasonToSkip(file: string, name: string): string | undefined {
	for (const [reason, files] of Object.entries(NOT_UNDER_WINE)) {
		const isNamed = ([place, names]: [string, readonly string[]]) =>
			(file === `${place}.test.ts` || file.startsWith(`${place}/`)) && names.some((start) => name.startsWith(start));
		if (Object.entries(files).some(isNamed)) return reason;
	}
	return undefined;
}

beforeEach(({ task, skip }) => {
	const file = relative(TESTS, task.file.filepath).replaceAll(sep, '/');
	const reason = reasonToSkip(file, task.fullTestName.replaceAll(' > ', ' '));
	skip(reason !== undefined, reason);
});
