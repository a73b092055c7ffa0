import { looksSecret } from '../text/secrets.ts';

const CREDENTIALS = new Set(['authorization', 'proxy-authorization', 'cookie']);

/** Whether a request has something to log in with, as far as one can tell: in its headers, or in its URL. */
export function carryCredentials(url: URL, headers: ReadonlyMap<string, string>): boolean {
	const named = [...headers, ...url.searchParams];
	return (
		[...headers.keys()].some((name) => CREDENTIALS.has(name.toLowerCase())) ||
		named.some(([name, value]) => looksSecret(name, value)) ||
		looksSecret('', url.href)
	);
}

/**
 * Whether what is sent to a host stays on this machine: `localhost` and what is below it (RFC 6761, section 6.3),
 * 127.0.0.0/8, and ::1.
 *
 * @param hostname as a URL of a special scheme has it: in lower case, each IPv4 address as four decimal numbers
 */
export function isLoopback(hostname: string): boolean {
	return (
		hostname === 'localhost' ||
		hostname.endsWith('.localhost') ||
		/^127\.\d+\.\d+\.\d+$/.test(hostname) ||
		hostname === '[::1]'
	);
}
