import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { firstPart, measure, textOfResult } from '../../../../server/guard/tool-isolation/tool-result.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const blocks = (...texts: readonly string[]) => JSON.stringify(texts.map((text) => ({ type: 'text', text })));

test.each([
	['one text', blocks('hello'), 'hello'],
	['several texts', blocks('one', 'two'), 'one\ntwo'],
	['no text', '[]', ''],
	['an image', '[{"type":"image","data":"x"}]', '{"type":"image","data":"x"}'],
	['structured content', '{"a": 1}', '{"a": 1}'],
	['a plain text', 'hello', 'hello'],
	['a text that is a number', '12', '12'],
])('%s', async (_, response, text) => {
	expect(await textOfResult(response, '/nowhere/s1.jsonl')).toEqual({ text, isPutAside: false });
});

describe('what Claude Code has put aside', () => {
	/** What it says in the place of a result. @param format as the two versions call it */
	async function putAside(saved: string, format: string) {
		const folder = await temporaryFolder();
		const results = join(folder, 's1', 'tool-results');
		await mkdir(results, { recursive: true });
		const file = join(results, 'mcp-db-query-1.txt');
		await writeFile(file, saved);
		const response = `Error: result (200,046 characters across 1 line) exceeds maximum allowed tokens. Output has been saved to ${file}.\nFormat: ${format}\nUse offset and limit.`;
		return { folder, response, transcript: join(folder, 's1.jsonl') };
	}

	test.each([
		['Plain text', '[1, 2]', '[1, 2]'],
		['JSON array with schema: [{type: string, text: string}]', blocks('[1, 2]', 'x'), '[1, 2]\nx'],
	])('as %s', async (format, saved, text) => {
		const { response, transcript } = await putAside(saved, format);
		expect(await textOfResult(response, transcript)).toEqual({ text, isPutAside: true });
	});

	test('is looked for beside the transcript only', async () => {
		const { response } = await putAside('secret', 'Plain text');
		expect(await textOfResult(response, join(await temporaryFolder(), 's1.jsonl'))).toBeUndefined();
	});
});

test('a result that the agent does not get whole is given as far as that goes, and says so', () => {
	const text = 'x'.repeat(200_000);
	const part = firstPart({ text, isPutAside: true }, false) ?? '';
	expect(part).toMatch(/^\[Context Broker: this result has 200,000 characters, .* first 48,000; .*\]\nx+$/);
	expect(part.length).toBeLessThan(50_000);
	expect(firstPart({ text: text.slice(0, 60_000), isPutAside: false }, false)).toMatch(/has 60,000 characters/);
	expect(firstPart({ text: text.slice(0, 50_000), isPutAside: false }, false)).toBeUndefined();
	expect(firstPart({ text, isPutAside: false }, true)).toBeUndefined();
	expect(firstPart({ text, isPutAside: true }, true)).toBe(part);
});

test('size is counted in bytes', () => {
	expect(measure('é')).toEqual({
		bytes: 2,
		sha256: '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c',
	});
});
