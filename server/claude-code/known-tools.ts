import { promises as fs } from 'node:fs';

/** Bytes of a transcript that are looked at: Claude Code lists the tools before the first answer. */
const BEGINNING = 1_000_000;

/**
 * The names of the tools that Claude Code says it has and does not list to the model, from a transcript. 2.1.126 does
 * not write them down.
 *
 * @returns undefined where nothing of the kind is there
 */
export async function toolsInTranscript(transcript: string): Promise<string[] | undefined> {
	const lines = (await beginningOf(transcript)).split('\n').filter((line) => line.includes('"deferred_tools_delta"'));
	const names = lines.flatMap((line) => {
		try {
			const { attachment } = Object(JSON.parse(line)) as { attachment?: { addedNames?: unknown } };
			return Array.isArray(attachment?.addedNames) ? attachment.addedNames : [];
		} catch {
			return []; // Cut at the end.
		}
	});
	return names.length === 0 ? undefined : names.filter((name) => typeof name === 'string');
}

async function beginningOf(file: string): Promise<string> {
	try {
		const handle = await fs.open(file);
		try {
			const { buffer, bytesRead } = await handle.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0);
			return buffer.toString('utf8', 0, bytesRead);
		} finally {
			await handle.close();
		}
	} catch {
		return ''; // Nothing depends on it but a warning.
	}
}
