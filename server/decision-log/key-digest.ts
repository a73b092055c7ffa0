import { createHmac, randomBytes } from 'node:crypto';
import { promises as fs } from 'node:fs';
import { join } from 'node:path';

/** In bytes: that of the digest. */
const SECRET_SIZE = 32;

/** Hexadecimal digits. */
const DIGITS = 12;

/**
 * What stands in the place of a key: the same for the same key. The secret keeps a short key from being found by trying.
 */
export function digestOf(key: string, secret: Buffer): string {
	return createHmac('sha256', secret).update(key).digest('hex').slice(0, DIGITS);
}

/**
 * The secret of a folder, made where there is none: by one of several processes that look at the same time, and whole.
 *
 * @throws Error where it can't be read or made
 */
export async function secretIn(folder: string): Promise<Buffer> {
	const file = join(folder, 'secret');
	const secret = (await readSecret(file)) ?? (await makeSecret(file));
	if (secret.length !== SECRET_SIZE) throw new Error(`${SECRET_SIZE} bytes were expected in the secret`);
	return secret;
}

async function readSecret(file: string): Promise<Buffer | undefined> {
	try {
		return await fs.readFile(file);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		throw error;
	}
}

async function makeSecret(file: string): Promise<Buffer> {
	const temporary = `${file}.${crypto.randomUUID()}`;
	try {
		await fs.writeFile(temporary, randomBytes(SECRET_SIZE), { mode: 0o600 });
		// Unlike a rename it leaves alone what another process has made in the meantime.
		await fs.link(temporary, file).catch((error: NodeJS.ErrnoException) => {
			if (error.code !== 'EEXIST') throw error;
		});
	} finally {
		await fs.rm(temporary, { force: true });
	}
	return await fs.readFile(file);
}
