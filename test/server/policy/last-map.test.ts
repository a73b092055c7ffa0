import { describe, expect, test } from 'vitest';
import { MapSyntaxError } from '../../../server/context-map/map-fault.ts';
import { type PrivateContent, parseContextMap } from '../../../server/context-map/parse.ts';
import { BrokerError } from '../../../server/errors.ts';
import { LastMap } from '../../../server/policy/last-map.ts';

const GOOD = '[keys]\na = "a.md"\n[guard]\nresuming = false\n[mcp_servers.db]\nisolated_tools = ["query"]\n';

/** A map that says one text after the other; undefined is none, an error why it can't be read. */
async function lastMap(...texts: readonly (string | undefined | BrokerError)[]): Promise<LastMap> {
	const waiting = [...texts];
	const map = new LastMap(async (): Promise<PrivateContent> => {
		const text = waiting.shift() ?? new BrokerError('config_missing');
		if (text instanceof BrokerError) throw text;
		return parseContextMap(Buffer.from(text));
	});
	for (const _ of texts) await map.read();
	return map;
}

const pathsOf = ({ content }: LastMap) =>
	[...content.paths, ...[...content.entries.values()].map(({ path }) => path)].sort();

test('a map in another place is looked for if there is none in its own, and what it names is protected', async () => {
	const elsewhere = { file: '/other/map.toml', paths: ['b.md'] };
	for (const code of ['config_missing', 'config_unreadable'] as const) {
		const read = async () => await Promise.reject(new BrokerError(code));
		const map = new LastMap(read, async () => elsewhere);
		await map.read();
		expect([map.elsewhere, map.wasRead]).toEqual([code === 'config_missing' ? elsewhere : undefined, false]);
		expect(pathsOf(map)).toEqual(code === 'config_missing' ? ['b.md'] : []);
	}
	const map = await lastMap(GOOD, undefined);
	expect([map.elsewhere, map.wasRead]).toEqual([undefined, true]);
});

describe('what is wrong from the start', () => {
	test('in one place leaves the rest in force', async () => {
		const map = await lastMap(`${GOOD}[gaurd]\nfiles = false\n`);
		expect(pathsOf(map)).toEqual(['a.md']);
		expect(map.content).toMatchObject({ off: ['resuming'], isolation: [{ server: 'db', tools: ['query'] }] });
		expect(map.fault).toBeUndefined();
	});

	test('in the whole text leaves what looks like a path protected', async () => {
		const map = await lastMap('[keys]\na = "a.md"\nb = b.md\n[guard]\nfiles = false\n');
		expect(pathsOf(map)).toEqual(expect.arrayContaining(['a.md', 'b.md']));
		expect(map.isOn('files')).toBe(true);
	});

	test.each([
		['no TOML', '[keys]\na = a.md\n[mcp_servers.db]\ncommand = "x"\nargs_isolated = ["x"]\nisolate_network = true\n'],
		['bytes that can not be read', new BrokerError('config_unreadable')],
		['a mistyped table', '[keys]\n[mcp_server.x]\ncommand = "x"\n'],
	])('leaves all tools of servers in use where nothing tells of isolation: %s', async (_, text) => {
		expect((await lastMap(text)).fault).toBeUndefined();
	});

	test('has all tools of servers refused where the text tells of isolation and is no TOML', async () => {
		const map = await lastMap('[keys]\na = a.md\n[mcp_servers.db]\nisolated_tools = ["query"]\n');
		expect(map.fault).toBeInstanceOf(MapSyntaxError);
	});

	test('has them refused in a table that can say what is isolated too', async () => {
		const map = await lastMap(`${GOOD}[mcp_server.x]\nisolated = true\n`);
		expect(map.fault).toMatchObject({ code: 'config_invalid', message: expect.stringContaining('Line 7, column 1') });
	});

	test('is over once it is corrected', async () => {
		const map = await lastMap('[keys]\na = ', GOOD);
		expect(map.fault).toBeUndefined();
		expect(map.content.paths).toEqual([]);
		expect(map.isOn('resuming')).toBe(false);
	});
});

describe('what breaks later', () => {
	test.each([
		['a path that is none', GOOD.replace('"a.md"', '5')],
		['a key that is gone, beside a mistyped table', '[keys]\n[gaurd]\n'],
		['no TOML', '[keys]\na = '],
		['bytes that can not be read', new BrokerError('config_unreadable')],
		['no map', undefined],
	])('leaves what was protected: %s', async (_, text) => {
		const map = await lastMap(GOOD, text);
		expect(pathsOf(map)).toEqual(['a.md']);
		const again = await lastMap(GOOD, text, '[keys]\nb = "b.md"\n[gaurd]\n');
		expect(pathsOf(again)).toEqual(['a.md', 'b.md']);
		const corrected = await lastMap(GOOD, text, '[keys]\nb = "b.md"\n');
		expect(pathsOf(corrected)).toEqual(['b.md']);
	});

	test('leaves nothing of a path that was being typed, such as the home folder', async () => {
		const typed = ['~', '~/', '~/no', '~/notes.md'].map((path) => `[keys]\nb = "${path}"\n[gaurd]\n`);
		expect(pathsOf(await lastMap(GOOD, ...typed))).toEqual(['a.md', '~/notes.md']);
		expect(pathsOf(await lastMap(GOOD, ...typed.slice(0, 2), '[keys'))).toEqual(['a.md', '~/']);
		expect(pathsOf(await lastMap(GOOD, ...typed.slice(0, 2), '[keys', '[keys]\n[gaurd]'))).toEqual(['a.md']);
	});

	test.each([
		[
			'a table that can say more',
			`[keys]\n[mcp_server.db]\nisolated = true\n[mcp_servers.x]\nisolated = true\n`,
			['x', 'db'],
		],
		['no TOML', '[keys', ['db']],
	])('leaves what was isolated: %s', async (_, text, servers) => {
		const map = await lastMap(GOOD, text);
		expect(map.fault).toBeUndefined();
		expect(map.content.isolation.map(({ server }) => server)).toEqual(servers);
	});

	test('and a server that was taken out beside another fault is not isolated any more', async () => {
		const map = await lastMap(GOOD, '[keys]\na = 5\n');
		expect(map.content.isolation).toEqual([]);
	});
});

test('where there is none, what a map elsewhere names is protected', async () => {
	let elsewhere: { file: string; paths: readonly string[] } | undefined = { file: '/b/map.toml', paths: ['/b/k.md'] };
	const read = async () => {
		throw new BrokerError('config_missing');
	};
	const map = new LastMap(read, async () => elsewhere);
	expect(await map.read()).toMatchObject({ code: 'config_missing' });
	expect(map).toMatchObject({ elsewhere, content: { paths: ['/b/k.md'] }, fault: undefined });
	elsewhere = undefined;
	await map.read();
	expect(map.elsewhere).toBeUndefined();
});
