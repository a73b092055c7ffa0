import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
	delegationHint,
	digestOf,
	EXECUTOR,
	parseRequest,
	taskDescription,
} from '../../../../server/policy/tool-isolation/delegate.ts';

const ERRAND = { server: 'db', tool: 'query', name: 'mcp__db__query', arguments: { sql: 'select "{" from x' } };

/** The input of the tool Agent in what the main agent is told. */
const inputIn = (text: string) => JSON.parse(text.slice(text.indexOf('{"subagent_type"')));

test('what is handed over is the whole input of the tool Agent', () => {
	const text = delegationHint({ server: 'db', tool: 'query' }, 'mcp__db__query', ERRAND.arguments);
	expect(text).toMatch(/^Call the Agent tool with exactly this input\. You may change its last sentence /);
	expect(inputIn(text)).toEqual({
		subagent_type: EXECUTOR,
		description: 'query of db',
		prompt: `${JSON.stringify(ERRAND)}\nAnswer with the result as it is if it is short, else with what matters in it.`,
	});
});

test('whatever the arguments are, the executor is told them as they are', () => {
	fc.assert(
		fc.property(fc.string(), fc.string(), fc.dictionary(fc.string(), fc.jsonValue()), (server, tool, input) => {
			const { prompt } = inputIn(delegationHint({ server, tool }, 'mcp__s__t', input));
			expect(parseRequest(prompt)).toEqual({
				server,
				tool,
				name: 'mcp__s__t',
				arguments: JSON.parse(JSON.stringify(input)),
			});
		}),
	);
});

test('arguments that would be cut on the way are to be put in by whoever has them', () => {
	const text = delegationHint({ server: 'db', tool: 'query' }, 'mcp__db__query', { sql: 'x'.repeat(30_000) });
	expect(text.length).toBeLessThan(1_000);
	expect(text).toContain('with the arguments of your call in place of the {} after "arguments"');
	expect(inputIn(text).prompt).toContain('"arguments":{}}');
});

test('a prompt of any length is read', () => {
	const long = { ...ERRAND, arguments: { text: '\\"{'.repeat(5_000_000) } };
	expect(parseRequest(JSON.stringify(long))).toEqual(long);
});

test.each([
	['as it is', JSON.stringify(ERRAND)],
	['on several lines', JSON.stringify(ERRAND, null, 2)],
	['between words', `Please run this:\n\n\`\`\`json\n${JSON.stringify(ERRAND)}\n\`\`\`\nAnswer {"with": "rows"}.`],
	['with a field that nobody knows', JSON.stringify({ ...ERRAND, answer: 'raw' })],
])('%s', (_, prompt) => {
	expect(parseRequest(prompt)).toEqual(ERRAND);
});

test('an argument of any name is kept', () => {
	const input = JSON.parse('{"__proto__":1,"constructor":2}');
	expect(parseRequest(JSON.stringify({ ...ERRAND, arguments: input }))?.arguments).toEqual(input);
});

test('control characters are read as they are too, which is how they come from 2.1.126', () => {
	const input = { sql: 'a\0b\u001b[31m\r\n\t\u007f', '\u0001"\\': ['"}{\u001f'] };
	const prompt = JSON.stringify({ ...ERRAND, arguments: input });
	const raw = prompt.replace(/\\u[0-9a-f]{4}/g, (written) => JSON.parse(`"${written}"`));
	expect(raw).not.toBe(prompt);
	expect(parseRequest(raw)?.arguments).toEqual(input);
});

test('arguments can be left out', () => {
	expect(parseRequest('{"server":"a","tool":"b","name":"mcp__a__b"}')?.arguments).toEqual({});
});

test.each([
	['', 'nothing'],
	[undefined, 'no prompt'],
	['Run the tool query of db.', 'words'],
	['{"server":"db","tool":"query","arguments":{}}', 'no full name'],
	['{"server":"db","tool":"query","name":"Bash","arguments":{}}', 'no tool of a server'],
	['{"server":"db","tool":"query","name":"mcp__db__query","arguments":[1]}', 'arguments that are none'],
	['{"server":"db","tool":"query","name":"mcp__db__query"', 'no end'],
	['{ not JSON } {"server":"db","tool":"query","name":"mcp__db__query"}', 'another object first'],
	['}{', 'braces'],
])('%j says no tool: %s', (prompt, _) => {
	expect(parseRequest(prompt)).toBeUndefined();
});

test('names too long for a person are cut', () => {
	expect(taskDescription({ server: 's'.repeat(100), tool: 'query' })).toBe(`query of ${'s'.repeat(39)}…`);
	expect(taskDescription({ server: `s${'🎉'.repeat(30)}`, tool: 'query' })).toBe(`query of s${'🎉'.repeat(19)}…`);
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test.each([
	[{}, '{}'],
	[undefined, '{}'],
	[{ b: 1, a: [true, null, 'x'] }, '{"a":[true,null,"x"],"b":1}'],
	[{ b: { d: 1, c: 2 }, 10: 0, 9: 0 }, '{"10":0,"9":0,"b":{"c":2,"d":1}}'],
	[JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
])('%j is taken as %s', (input, json) => {
	expect(digestOf(input)).toBe(sha256(json));
});

test('the order of names means nothing, all else does', () => {
	fc.assert(
		fc.property(
			fc.dictionary(fc.string(), fc.jsonValue()),
			fc.dictionary(fc.string(), fc.jsonValue()),
			(one, other) => {
				const turned = Object.fromEntries(Object.entries(one).reverse());
				expect(digestOf(turned)).toBe(digestOf(one));
				const asJson = (value: object) => JSON.parse(JSON.stringify(value)) as unknown;
				const isSame = isDeepStrictEqual(asJson(one), asJson(other));
				if (!isSame) expect(digestOf(other)).not.toBe(digestOf(one));
			},
		),
	);
});
