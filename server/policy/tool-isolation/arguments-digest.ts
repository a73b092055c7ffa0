import { sha256 } from '../../text/digest.ts';

/** SHA-256 of the arguments of a call as JSON without white space, the names of each object in the order of code units. */
export function argumentsDigest(input: unknown): string {
	return sha256(canonical(input ?? {}));
}

/** By hand, since a copy of the object would have its own order for names that are numbers. */
function canonical(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
	if (typeof value !== 'object' || value === null) return JSON.stringify(value);
	const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
	return `{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(',')}}`;
}
