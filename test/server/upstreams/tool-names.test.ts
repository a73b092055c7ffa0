import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ToolOrigin } from '../../../server/context-map/isolated-tools.ts';
import { MAX_NAME_LENGTH, nameOf, namePrefixes, nameTools } from '../../../server/upstreams/tool-names.ts';

const origin = (server: string, tool: string): ToolOrigin => ({ server, tool });
const spelling = (name: string) => name.replaceAll('-', '_');
const namesOf = <T extends ToolOrigin>(origins: readonly T[]) =>
	nameTools(
		origins,
		origins.map(({ server }) => server),
	);
const sorted = (origins: readonly ToolOrigin[]) =>
	origins.map(({ server, tool }) => JSON.stringify([server, tool])).sort();

test.each([
	['server', 'tool', 'server__tool'],
	['a', 'b_c', 'a__b_c'],
	['a_b', 'c', 'a_b__c'],
	['my-server', 'read-file', 'my-server__read-file'],
	['s', 'UpperCase', 's__UpperCase'],
	['s', 'a.b/c d', 's__a_b_c_d'],
	['s', 'é', 's___'],
	['s', '😀', 's____'],
	['s', 'a\nb', 's__a_b'],
	['s', '', 's__'],
])('tool %j + %j is offered as %s', (server, tool, name) => {
	expect(nameOf({ server, tool }, [server])).toBe(name);
	expect([...namesOf([origin(server, tool)]).byName.keys()]).toEqual([name]);
});

test('servers a and a_b with the tools b_c and c stay apart, since nothing is split', () => {
	const origins = [origin('a', 'b_c'), origin('a_b', 'c'), origin('a', 'c'), origin('a_b', 'b_c')];
	const { byName, clashes } = namesOf(origins);
	expect(Object.fromEntries(byName)).toEqual({
		a__b_c: origins[0],
		a_b__c: origins[1],
		a__c: origins[2],
		a_b__b_c: origins[3],
	});
	expect(clashes).toEqual([]);
});

test.each([
	['an underscore at the border', origin('a__b', 'c'), origin('a', 'b__c')],
	['an underscore more on one side', origin('evil_', '_thing'), origin('evil', '__thing')],
	['a hyphen for an underscore', origin('s', 'a-b'), origin('s', 'a_b')],
	['characters that a name may not have', origin('s', 'a.b'), origin('s', 'a/b')],
	['a tool that is listed twice', origin('s', 'a'), origin('s', 'a')],
])('%s: neither is offered and both are named, whatever the order', (_, one, other) => {
	const bystander = origin('other', 'tool');
	for (const pair of [
		[one, other],
		[other, one],
	]) {
		const { byName, clashes } = namesOf([...pair, bystander]);
		expect([...byName.values()]).toEqual([bystander]);
		expect(clashes.map(sorted)).toEqual([sorted(pair)]);
	}
});

test('the name of a tool stays whole as long as a letter of its server fits before it', () => {
	expect(MAX_NAME_LENGTH).toBe(29);
	const ofLength = (length: number) => nameOf(origin('server', 'x'.repeat(length)), ['server']);
	expect(ofLength(21)).toBe(`server__${'x'.repeat(21)}`);
	// Names that users may have written into their settings: they do not change.
	expect(ofLength(22)).toBe(`serve__${'x'.repeat(22)}`);
	expect(ofLength(26)).toBe(`s__${'x'.repeat(26)}`);
	expect(ofLength(27)).toBe('ser__xxxxxxxxxxxxxxxxxxx_7fcb');
	expect(ofLength(100)).toBe('ser__xxxxxxxxxxxxxxxxxxx_941f');
});

test.each([
	['playwright', 'browser_take_screenshot', 'play__browser_take_screenshot'],
	['chrome-devtools', 'performance_start_trace', 'chro__performance_start_trace'],
	['a-server', 'browser_network_requests_', 'a__browser_network_requests_'],
	['a-server-with-a-name-of-fifty-letters-and-a-little-m', 'query', 'a-server-with-a-name-o__query'],
])('of a long name the part of the server is shortened: %s, %s', (server, tool, name) => {
	expect(nameOf({ server, tool }, [server, 'other'])).toBe(name);
});

test('a short form that can be another server of the map ends with a digest, whichever was reached', () => {
	const tool = 'browser_take_screenshot';
	const servers = ['playwright', 'play'];
	expect(nameOf({ server: 'play', tool }, servers)).toBe(`play__${tool}`);
	expect(nameOf({ server: 'playwright', tool }, servers)).toMatch(/^pla__browser_take_screen_[0-9a-f]{4}$/);
	const both = [origin('playwright-one', tool), origin('playwright-two', tool)];
	expect(namesOf(both).byName.size).toBe(2);
	expect([...nameTools(both.slice(1), ['playwright-one', 'playwright-two']).byName.keys()][0]).toMatch(/_[0-9a-f]{4}$/);
});

test('two long names with the same beginning stay apart', () => {
	const long = 'a_very_long_name_of_a_tool_that_ends_in_';
	const { byName, clashes } = namesOf([origin('server', `${long}one`), origin('server', `${long}two`)]);
	expect(clashes).toEqual([]);
	expect([...byName.keys()]).toEqual([
		expect.stringMatching(/^ser__a_very_long_name_of_[0-9a-f]{4}$/),
		expect.stringMatching(/^ser__a_very_long_name_of_[0-9a-f]{4}$/),
	]);
	expect(byName.size).toBe(2);
});

test('long names that differ only in what a name may not have stay apart by their digests', () => {
	const { byName } = namesOf([origin('s', `${'x'.repeat(40)}.`), origin('s', `${'x'.repeat(40)}/`)]);
	expect(byName.size).toBe(2);
});

/** Made of few parts, so that names often meet. */
const part = fc.oneof(
	fc.array(fc.constantFrom('a', 'b', '_', '-', '.', '__'), { maxLength: 4 }).map((parts) => parts.join('')),
	fc.constantFrom('x'.repeat(27), 'x'.repeat(40), `${'x'.repeat(40)}-y`, `${'x'.repeat(40)}_y`),
	fc.string({ unit: 'binary', maxLength: 6 }),
);
const origins = fc.array(fc.record({ server: part, tool: part }), { maxLength: 30 });

test('all names are valid, and unique also where - and _ are the same', () => {
	fc.assert(
		fc.property(origins, (some) => {
			const names = [...namesOf(some).byName.keys()];
			for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,29}$/);
			expect(new Set(names.map(spelling)).size).toBe(names.length);
		}),
	);
});

test('every tool is either offered under its name or in exactly one clash', () => {
	fc.assert(
		fc.property(origins, (some) => {
			const servers = some.map(({ server }) => server);
			const { byName, clashes } = namesOf(some);
			for (const [name, one] of byName) expect(nameOf(one, servers)).toBe(name);
			for (const clash of clashes) {
				expect(clash.length).toBeGreaterThan(1);
				expect(new Set(clash.map((one) => spelling(nameOf(one, servers)))).size).toBe(1);
			}
			expect(sorted([...byName.values(), ...clashes.flat()])).toEqual(sorted(some));
		}),
	);
});

test('the order in which servers come does not matter', () => {
	const shuffled = origins.chain((some) =>
		fc.tuple(fc.constant(some), fc.shuffledSubarray(some, { minLength: some.length })),
	);
	const normal = (some: readonly ToolOrigin[]) => {
		const { byName, clashes } = namesOf(some);
		return { names: Object.fromEntries(byName), clashes: clashes.map((clash) => sorted(clash).join()).sort() };
	};
	fc.assert(
		fc.property(shuffled, ([some, other]) => {
			expect(normal(other)).toEqual(normal(some));
		}),
	);
});

test('what is known of the names of a server before its tools holds for shortened ones too', () => {
	fc.assert(
		fc.property(
			fc.stringMatching(/^[A-Za-z0-9_-]{1,60}$/),
			fc.string({ minLength: 1, maxLength: 60 }),
			(server, tool) => {
				const name = nameOf({ server, tool }, [server, 'a', `${server}x`]);
				expect(namePrefixes(server).some((beginning) => name.startsWith(beginning))).toBe(true);
			},
		),
	);
});
