import { unwatchFile } from 'node:fs';
import { appendFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { locateEnvFile, watchEnvFile } from '../../../server/env-file/env-file.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const atOnce = (work: () => void) => work();

test('an edit is told however it is made, and what was edited before it was watched', async () => {
	const file = join(await temporaryFolder(), '.env');
	onTestFinished(() => unwatchFile(file));
	let told = 0;
	watchEnvFile(
		() => file,
		atOnce,
	)(() => {
		told += 1;
	});
	expect(told).toBe(1);
	// Again and again, since the first look at it comes at a time of its own.
	const edited = async (edit: () => Promise<void>) => {
		const before = told;
		const tellings = async () => {
			await edit();
			return told;
		};
		await expect.poll(tellings, { interval: 300 }).toBeGreaterThan(before);
	};
	await edited(async () => await appendFile(file, 'A=1\n'));
	await edited(async () => {
		await writeFile(`${file}.new`, `A=${told}\n`);
		await rename(`${file}.new`, file);
	});
});

test('where its path can not be told nothing is watched, and nobody is told', () => {
	const environment = { CONTEXT_BROKER_ENV_FILE: 'mine.env' };
	watchEnvFile(() => locateEnvFile(environment, undefined, '/none'), atOnce)(expect.unreachable);
});
