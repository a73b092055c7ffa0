import { expect } from 'vitest';
import { BrokerError, type ErrorCode } from '../../../server/errors.ts';
import { readMarkdown } from '../../../server/files/read-markdown.ts';

/** The error that reading a file ends with. */
export async function failure(path: string): Promise<BrokerError> {
	const error = await readMarkdown(path).then(
		() => undefined,
		(thrown: unknown) => thrown,
	);
	if (!(error instanceof BrokerError)) throw new Error('no BrokerError', { cause: error });
	return error;
}

export async function expectCode(path: string, code: ErrorCode): Promise<void> {
	expect((await failure(path)).code).toBe(code);
}
