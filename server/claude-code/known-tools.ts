import { promises as fs } from 'node:fs';

/** Only this much is read: Claude Code lists the tools before the first answer. */
const MAX_HEAD_BYTES = 1_000_000;

/** The tools that Claude Code defers: it does not list them to the model. Undefined if none are recorded, as in 2.1.126. */
export async function toolsInTranscript(transcript: string): Promise<string[] | undefined> {
	const lines = (await readHead(transcript)).split('\n').filter((line) => line.includes('"deferred_tools_delta"'));
	const names = lines.flatMap((line) => {
		try {
			const { attachment } = Object(JSON.parse(line)) as { attachment?: { addedNames?: unknown } };
			return Array.isArray(attachment?.addedNames) ? attachment.addedNames : [];
		} catch {
			return []; // Cut off at the end of the part.
		}
	});
	return names.length === 0 ? undefined : names.filter((name) => typeof name === 'string');
}

async function readHead(file: string): Promise<string> {
	try {
		const handle = await fs.open(file);
		const read = handle.read(Buffer.alloc(MAX_HEAD_BYTES), 0, MAX_HEAD_BYTES, 0);
		const { buffer, bytesRead } = await read.finally(() => handle.close());
		return buffer.toString('utf8', 0, bytesRead);
	} catch {
		return ''; // Only a warning depends on it.
	}
}
