import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentInput, describe, EXECUTOR, errandOf } from '../../../../server/guard/tool-isolation/hand-over.ts';

const ERRAND = { server: 'db', tool: 'query', name: 'mcp__db__query', arguments: { sql: 'select "{" from x' } };

test('what is handed over is the whole input of the tool Agent', () => {
	expect(agentInput({ server: 'db', tool: 'query' }, 'mcp__db__query', ERRAND.arguments)).toEqual({
		subagent_type: EXECUTOR,
		description: 'query of db',
		prompt: `${JSON.stringify(ERRAND)}\nAnswer with the result as it is if it is short, else with what matters in it.`,
	});
});

test('whatever the arguments are, the executor is told them as they are', () => {
	fc.assert(
		fc.property(fc.string(), fc.string(), fc.dictionary(fc.string(), fc.jsonValue()), (server, tool, input) => {
			const { prompt } = agentInput({ server, tool }, 'mcp__s__t', input) as { prompt: string };
			expect(errandOf(prompt)).toEqual({
				server,
				tool,
				name: 'mcp__s__t',
				arguments: JSON.parse(JSON.stringify(input)),
			});
		}),
	);
});

test.each([
	['as it is', JSON.stringify(ERRAND)],
	['on several lines', JSON.stringify(ERRAND, null, 2)],
	['between words', `Please run this:\n\n\`\`\`json\n${JSON.stringify(ERRAND)}\n\`\`\`\nAnswer {"with": "rows"}.`],
	['with a field that nobody knows', JSON.stringify({ ...ERRAND, answer: 'raw' })],
])('%s', (_, prompt) => {
	expect(errandOf(prompt)).toEqual(ERRAND);
});

test('an argument of any name is kept', () => {
	const input = JSON.parse('{"__proto__":1,"constructor":2}');
	expect(errandOf(JSON.stringify({ ...ERRAND, arguments: input }))?.arguments).toEqual(input);
});

test('arguments can be left out', () => {
	expect(errandOf('{"server":"a","tool":"b","name":"mcp__a__b"}')?.arguments).toEqual({});
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
	expect(errandOf(prompt)).toBeUndefined();
});

test('names too long for a person are cut', () => {
	expect(describe({ server: 's'.repeat(100), tool: 'query' })).toBe(`query of ${'s'.repeat(39)}…`);
});
