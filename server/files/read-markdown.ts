import { BrokerError } from '../errors.ts';
import { decodeText } from './decode.ts';
import { ReadError, type ReadFile, readStable } from './read-stable.ts';

/**
 * In UTF-16 code units. Claude Code delivers a tool result of this size whole where the listing asks for it (its upper
 * bound for `_meta["anthropic/maxResultSizeChars"]`); a longer one it cuts down to a preview.
 */
export const CONTENT_LIMIT = 500_000;

/** In bytes: one code unit takes three at most, and a byte-order mark three more. */
const BYTE_LIMIT = 3 * CONTENT_LIMIT + 3;

/**
 * The text of a Markdown file, exactly, without a byte-order mark.
 *
 * @param path absolute
 * @throws BrokerError `file_missing`, `file_unreadable`, `not_markdown`, `not_a_file`, `not_text`, `too_large`
 */
export async function readMarkdown(path: string, readFile: ReadFile = readStable): Promise<string> {
	const content = await read(path, readFile);
	const text = decodeText(content);
	if (text === undefined) throw new BrokerError('not_text');
	if (text.length > CONTENT_LIMIT) throw tooLarge(text.length, 'characters', CONTENT_LIMIT);
	return text;
}

async function read(path: string, readFile: ReadFile): Promise<Buffer> {
	try {
		return await readFile(path, { limit: BYTE_LIMIT, acceptsName: (name) => /\.md$/i.test(name) });
	} catch (cause) {
		if (!(cause instanceof ReadError)) throw cause;
		switch (cause.failure) {
			case 'missing':
				throw new BrokerError('file_missing', { cause });
			case 'not_a_file':
				throw new BrokerError('not_a_file', { cause });
			case 'refused_name':
				throw new BrokerError('not_markdown', { cause });
			case 'too_large':
				throw tooLarge(cause.size ?? Number.NaN, 'bytes', BYTE_LIMIT);
			case 'unreadable':
				throw new BrokerError('file_unreadable', { detail: `Reason: ${cause.message}.`, cause });
		}
	}
}

function tooLarge(size: number, unit: string, limit: number): BrokerError {
	return new BrokerError('too_large', { detail: `It has ${size} ${unit}; the limit is ${limit}.` });
}
