import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { connectBroker, INITIALIZE, KEY_ONLY, loadRequest, startBroker } from '../support/broker.ts';
import { createUser } from '../support/user.ts';

const REAL_KEY = 'catalog-é-key';

async function userWithKey() {
	const user = await createUser();
	await user.write('catalog.md', 'private');
	await user.writeMap(`[keys]\n"${REAL_KEY}" = "catalog.md"\n`);
	return user;
}

const HOSTILE: readonly [string, string][] = [
	['an inherited name', '__proto__'],
	['another inherited name', 'constructor'],
	['a method', 'toString'],
	['a dotted path', '__proto__.polluted'],
	['the empty string', ''],
	['a blank', ' '],
	['a megabyte', 'k'.repeat(1_000_000)],
	['control characters', 'a\u0000\u001b[2J\u0007\r\n'],
	['a path', '../../etc/passwd'],
	['a Markdown file', '/etc/x.md'],
	['a pattern', '*'],
	['a regular expression', '.*'],
	['a prefix of the key', REAL_KEY.slice(0, -1)],
	['the key and more', `${REAL_KEY}x`],
	['the key in capitals', REAL_KEY.toUpperCase()],
	['the key with blanks', ` ${REAL_KEY} `],
	['the key in another Unicode form', REAL_KEY.normalize('NFD')],
	['a look-alike', REAL_KEY.replace('a', '\u0430')],
	['an invisible character', `${REAL_KEY}\u200b`],
	['a lone surrogate', '\ud800'],
	['the key and a NUL', `${REAL_KEY}\0`],
	['the table', 'keys'],
	['the full TOML name', `keys.${REAL_KEY}`],
];

test('every key that the map does not hold gets the very same answer', async () => {
	const user = await userWithKey();
	const { load, errors } = await connectBroker(user.home);
	const expected = await load('unlike-any-key');
	expect(expected._meta).toMatchObject({ 'context-broker/error': { code: 'unknown_key' } });
	for (const [name, key] of HOSTILE) expect(await load(key), name).toEqual(expected);
	expect(new Set(errors().slice(KEY_ONLY.length).trimEnd().split('\n')).size).toBe(1);
	expect(await load(REAL_KEY)).toEqual({ content: [{ type: 'text', text: 'private' }] });
});

test('so does any text whatever', async () => {
	const user = await userWithKey();
	const { load } = await connectBroker(user.home);
	const expected = await load('unlike-any-key');
	await fc.assert(
		fc.asyncProperty(fc.string({ unit: 'binary' }), async (key) => {
			fc.pre(key !== REAL_KEY);
			expect(await load(key)).toEqual(expected);
		}),
	);
});

test.each([
	['no arguments', undefined],
	['an empty object', {}],
	['null', { key: null }],
	['a number', { key: 1 }],
	['a list', { key: ['k'] }],
	['an object', { key: { toString: 'k' } }],
	['one argument too many', { key: REAL_KEY, path: '/etc/passwd' }],
])('arguments that do not fit are told so: %s', async (_, args) => {
	const user = await userWithKey();
	const { client } = await connectBroker(user.home);
	const result = (await client.callTool({ name: 'load_context', ...(args && { arguments: args }) })) as CallToolResult;
	expect(result.isError).toBe(true);
	expect(result._meta).toMatchObject({ 'context-broker/error': { code: 'invalid_arguments' } });
});

test('a key as raw bytes that are not UTF-8 is unknown', async () => {
	const user = await userWithKey();
	const broker = startBroker(user.home);
	const [before, after] = JSON.stringify(loadRequest(1, '|')).split('|');
	broker.send(
		INITIALIZE,
		Buffer.concat([Buffer.from(before ?? ''), Buffer.from([0xff, 0xfe]), Buffer.from(`${after}\n`)]),
	);
	const { rest } = await broker.finish();
	expect(rest.find(({ id }) => id === 1)?.result).toMatchObject({
		_meta: { 'context-broker/error': { code: 'unknown_key' } },
	});
});
