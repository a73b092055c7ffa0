import { looksSecret } from '../text/secrets.ts';
import { Fault } from './expand.ts';
import type { HttpInstance } from './server-config.ts';

/** Latin-1, as HTTP sends it, without control characters (RFC 9110, section 5.5; the tab is excluded too). */
const HEADER_VALUE = /^[\x20-\x7e\xa0-\xff]*$/;

/** @throws Fault */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
	const seen = new Set<string>();
	for (const [name, value] of Object.entries(headers)) {
		const path = ['headers', name];
		if (!HEADER_VALUE.test(value))
			throw new Fault(path, 'the value of a header must be Latin-1 without control characters');
		if (seen.has(name.toLowerCase())) throw new Fault(path, 'this header is there twice, in different letter case');
		seen.add(name.toLowerCase());
	}
}

/** @param field the name of the field that has the URL @param text the URL, variables substituted @throws Fault */
export function toHttpInstance(field: string, text: string, headers: Readonly<Record<string, string>>): HttpInstance {
	const url = parseUrl(field, text);
	const all = new Map(Object.entries(headers));
	if (url.username !== '' || url.password !== '') {
		if ([...all.keys()].some((name) => name.toLowerCase() === 'authorization'))
			throw new Fault([field], `${field} has user information, and headers already has an Authorization`);
		all.set('Authorization', basic(field, url));
		url.username = '';
		url.password = '';
	}
	if (url.protocol === 'http:' && !isLoopback(url.hostname) && carryCredentials(url, all))
		throw new Fault([field], 'credentials over http:// can be read on the way; use https://');
	return { kind: 'http', url: url.href, headers: Object.fromEntries(all) };
}

function parseUrl(field: string, text: string): URL {
	if (!URL.canParse(text)) throw new Fault([field], `${field} is not a complete URL`);
	const url = new URL(text);
	if (url.protocol !== 'https:' && url.protocol !== 'http:')
		throw new Fault([field], `${field} must begin with https:// or http://`);
	// `hash` is empty for a bare # at the end.
	if (url.href.includes('#')) throw new Fault([field], `${field} cannot have a fragment; write # as %23`);
	return url;
}

/** Basic authentication (RFC 7617), in UTF-8. */
function basic(field: string, { username, password }: URL): string {
	try {
		const both = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
		return `Basic ${Buffer.from(both).toString('base64')}`;
	} catch {
		// Without a cause: it could hold the text.
		throw new Fault([field], 'user information must be percent-encoded UTF-8; write % as %25');
	}
}

const CREDENTIALS = new Set(['authorization', 'proxy-authorization', 'cookie']);

export function carryCredentials(url: URL, headers: ReadonlyMap<string, string>): boolean {
	const named = [...headers, ...url.searchParams];
	return (
		[...headers.keys()].some((name) => CREDENTIALS.has(name.toLowerCase())) ||
		named.some(([name, value]) => looksSecret(name, value)) ||
		looksSecret('', url.href)
	);
}

/** RFC 6761, section 6.3. @param hostname from a URL: in lower case, IPv4 as four decimal numbers */
export function isLoopback(hostname: string): boolean {
	return /^(?:(?:.*\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
