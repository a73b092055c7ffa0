import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { firstPart, measure, textOfResult } from '../../../server/claude-code/tool-results.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const blocks = (...texts: readonly string[]) => JSON.stringify(texts.map((text) => ({ type: 'text', text })));

const PLACE = { tool: 'mcp__db__query', transcript: '/nowhere/s1.jsonl', since: 0, isTaken: () => false };

test.each([
	['one text', blocks('hello'), 'hello', true],
	['several texts', blocks('one', 'two'), 'one\ntwo', true],
	['no text', '[]', '', true],
	['an image', '[{"type":"text","text":"a"},{"type":"image","data":"x"}]', 'a\n{"type":"image","data":"x"}', false],
	['structured content', '{"a": 1}', '{"a": 1}', true],
	['a plain text', 'hello', 'hello', true],
	['a text that is a number', '12', '12', true],
])('%s', async (_, response, text, isTextAlone) => {
	expect(await textOfResult(response, PLACE)).toEqual({ text, isTextAlone });
});

describe('what Claude Code has put aside', () => {
	/** What it says in the place of a result. @param format as the two versions call it */
	async function putAside(saved: string, format = 'Plain text', name = 'mcp-db-query-1.txt') {
		const folder = await temporaryFolder();
		const results = join(folder, 's1', 'tool-results');
		await mkdir(results, { recursive: true });
		const file = join(results, name);
		await writeFile(file, saved);
		const response = `Error: result (200,046 characters across 1 line) exceeds maximum allowed tokens. Output has been saved to ${file}.\nFormat: ${format}\nUse offset and limit.`;
		return { file, response, place: { ...PLACE, transcript: join(folder, 's1.jsonl'), since: Date.now() } };
	}

	test.each([
		['Plain text', '[1, 2]', '[1, 2]'],
		['JSON array with schema: [{type: string, text: string}]', blocks('[1, 2]', 'x'), '[1, 2]\nx'],
	])('as %s', async (format, saved, text) => {
		const { file, response, place } = await putAside(saved, format);
		expect(await textOfResult(response, place)).toEqual({ text, isTextAlone: true, file });
	});

	test('a server that only says so gets the receipt of its words', async () => {
		const { file, response, place } = await putAside('secret of another');
		const own = { text: response, isTextAlone: true };
		expect(await textOfResult(response, { ...place, tool: 'mcp__evil__x' })).toEqual(own);
		expect(await textOfResult(response, { ...place, isTaken: (taken) => taken === file })).toEqual(own);
		expect(await textOfResult(response, { ...place, since: Date.now() + 60_000 })).toEqual(own);
		expect(await textOfResult(response, { ...place, transcript: '/elsewhere/s1.jsonl' })).toEqual(own);
		const climbing = response.replace('tool-results', ['tool-results', '..', 'tool-results'].join(sep));
		expect(await textOfResult(climbing, place)).toEqual({ text: climbing, isTextAlone: true });
	});

	test('what is gone has no measure', async () => {
		const { file, response, place } = await putAside('x');
		await rm(file);
		expect(await textOfResult(response, place)).toBeUndefined();
	});

	test("names are written in Claude Code's way", async () => {
		const { response, place } = await putAside('x', 'Plain text', 'mcp-every__thing-get-env-1.txt');
		expect(await textOfResult(response, { ...place, tool: 'mcp__every__thing__get-env' })).toMatchObject({ text: 'x' });
	});
});

test('a result that the agent does not get whole is given as far as that goes, and says so', () => {
	const text = 'x'.repeat(200_000);
	const given = (length: number, isListedLarge: boolean, more: object = {}) =>
		firstPart({ text: text.slice(0, length), isTextAlone: true, ...more }, isListedLarge);
	const part = given(200_000, false) ?? '';
	expect(part).toMatch(/^\[Context Broker: this result has 200,000 characters, .* first 48,000; .*\]\nx+$/);
	expect(part.length).toBeLessThan(50_000);
	expect(given(60_000, false)).toMatch(/has 60,000 characters/);
	expect(given(50_000, false)).toBeUndefined();
	expect(given(200_000, true)).toBeUndefined();
	expect(given(200_000, true, { file: '/x' })).toBe(part);
	expect(given(10_000, false, { file: '/x' })).toMatch(/has 10,000 characters/);
	const emoji = firstPart({ text: `x${'🎉'.repeat(30_000)}`, isTextAlone: true }, false);
	expect(emoji?.endsWith('🎉')).toBe(true);
	// An image is no text to be cut.
	expect(given(200_000, false, { isTextAlone: false })).toBeUndefined();
});

test('size is counted in bytes', () => {
	expect(measure('é')).toEqual({
		bytes: 2,
		sha256: '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c',
	});
});
