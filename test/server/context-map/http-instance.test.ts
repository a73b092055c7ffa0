import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { carryCredentials, isLoopback } from '../../../server/context-map/http-instance.ts';

const leadsHome = (host: string) => isLoopback(new URL(`http://${host}/mcp`).hostname);

describe('hosts', () => {
	test.each([
		...['localhost', 'LOCALHOST', 'localhost:80', 'localhost:8000', 'a.localhost', 'a.b.localhost', 'user:x@localhost'],
		...[
			'127.0.0.1',
			'127.0.0.1:8000',
			'127.255.255.254',
			'127.1',
			'2130706433',
			'0x7f000001',
			'0177.0.0.1',
			'127.0.0.1.',
		],
		...['[::1]', '[::1]:8000', '[0:0:0:0:0:0:0:1]', 'ｌocalhost'],
	])('%s stays on this machine', (host) => {
		expect(leadsHome(host)).toBe(true);
	});

	test.each([
		...[
			'example.com',
			'localhost.example.com',
			'notlocalhost',
			'localhost.',
			'localhost-',
			'local',
			'localhost@evil.com',
		],
		...[
			'127.0.0.1.example.com',
			'127.0.0.1@evil.com',
			'128.0.0.1',
			'126.255.255.255',
			'0.0.0.0',
			'10.127.0.1',
			'192.168.0.1',
		],
		...['[::]', '[::2]', '[1::1]', '[::ffff:10.0.0.1]', '[fe80::1]', '127-0-0-1.nip.io', 'data-tools'],
	])('%s does not', (host) => {
		expect(leadsHome(host)).toBe(false);
	});

	test('an IPv4 address does where it begins with 127, in whatever way it is written', () => {
		const octet = fc.nat(255);
		fc.assert(
			fc.property(fc.oneof(fc.constant(127), octet), octet, octet, octet, (a, b, c, d) => {
				const number = ((a * 256 + b) * 256 + c) * 256 + d;
				for (const host of [`${a}.${b}.${c}.${d}`, `${number}`, `0x${number.toString(16)}`, `${a}.${b}.${c * 256 + d}`])
					expect(leadsHome(host)).toBe(a === 127);
			}),
		);
	});

	test('no name of the public network does', () => {
		fc.assert(fc.property(fc.domain(), (domain) => !isLoopback(domain)));
	});
});

describe('credentials', () => {
	const carries = (url: string, headers: Record<string, string> = {}) =>
		carryCredentials(new URL(url), new Map(Object.entries(headers)));

	test.each([
		...['Authorization', 'AUTHORIZATION', 'authorization', 'Proxy-Authorization', 'cookie', 'Cookie'].map((name) => [
			name,
			'x',
		]),
		...['X-API-Key', 'X-Auth-Token', 'apikey', 'private-token'].map((name) => [name, 'x']),
		['X-A', `Bearer ${'a1'.repeat(10)}`],
		['X-A', `ghp_${'a1'.repeat(18)}`],
	])('%s: %s', (name, value) => {
		expect(carries('http://example.com/mcp', { Accept: 'text/plain', [name ?? '']: value ?? '' })).toBe(true);
	});

	test.each([
		'http://example.com/mcp?token=x',
		'http://example.com/mcp?a=b&api%5Fkey=x',
		`http://example.com/ghp_${'a1'.repeat(18)}/mcp`,
	])('%s', (url) => {
		expect(carries(url)).toBe(true);
	});

	test.each([
		['http://example.com/mcp', {}],
		['http://example.com/keys/token?page=1', { Accept: 'text/html', 'X-Team': 'docs', 'User-Agent': 'x' }],
	])('none in %s', (url, headers) => {
		expect(carries(url, { ...headers })).toBe(false);
	});
});
