import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, failure, ok, warning } from './finding.ts';
import type { Patient } from './patient.ts';

const CHECK = 'data folder';

/** Where the broker is built, and keeps what outlasts it. */
export async function checkDataFolder({ data }: Patient): Promise<Finding[]> {
	if (!existsSync(data)) {
		return [warning(CHECK, `${data} does not exist yet.`, 'Start a session: its first one makes the folder.')];
	}
	try {
		accessSync(data, constants.R_OK | constants.W_OK | constants.X_OK);
		const builds = readdirSync(join(data, 'builds')).filter((name) => name.endsWith('.cjs'));
		if (builds.length > 0) return [ok(CHECK, data)];
		return [notBuilt(data)];
	} catch (error) {
		const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
		if (code === 'ENOENT') return [notBuilt(data)];
		return [
			failure(CHECK, `${data} can not be used (${code}).`, 'Make it a folder that your account may read and write.'),
		];
	}
}

function notBuilt(data: string): Finding {
	return warning(CHECK, `${data} holds no build yet.`, 'Start a session: its first one makes it.');
}
