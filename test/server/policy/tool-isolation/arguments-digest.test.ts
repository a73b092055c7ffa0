import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { argumentsDigest } from '../../../../server/policy/tool-isolation/arguments-digest.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test.each([
	[{}, '{}'],
	[undefined, '{}'],
	[{ b: 1, a: [true, null, 'x'] }, '{"a":[true,null,"x"],"b":1}'],
	[{ b: { d: 1, c: 2 }, 10: 0, 9: 0 }, '{"10":0,"9":0,"b":{"c":2,"d":1}}'],
	[JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
])('%j is taken as %s', (input, json) => {
	expect(argumentsDigest(input)).toBe(sha256(json));
});

test('the order of names means nothing, all else does', () => {
	fc.assert(
		fc.property(
			fc.dictionary(fc.string(), fc.jsonValue()),
			fc.dictionary(fc.string(), fc.jsonValue()),
			(one, other) => {
				const turned = Object.fromEntries(Object.entries(one).reverse());
				expect(argumentsDigest(turned)).toBe(argumentsDigest(one));
				const asJson = (value: object) => JSON.parse(JSON.stringify(value)) as unknown;
				const isSame = isDeepStrictEqual(asJson(one), asJson(other));
				if (!isSame) expect(argumentsDigest(other)).not.toBe(argumentsDigest(one));
			},
		),
	);
});
