import { knownNames } from '../../../../server/context-map/schema.ts';
import { anyValue, inlineTable, key, list, plainText, type Source, text } from './values.ts';

/** Fields that take true or false. */
const SWITCHES = ['private', 'quoting', 'background', 'resuming', 'files', 'decisions', 'isolate_network', 'isolated'];

/** Fields that take a list of names or texts. */
const LISTS = ['agents', 'allow_tools', 'args', 'args_isolated', 'private_tools', 'isolated_tools'];

/** Fields that take a table of texts. */
const TABLES = ['headers', 'env'];

/** A document of tables that the map has, or nearly has, with values that are right more often than not. */
export function document(source: Source): string {
	const { random } = source;
	const sections = Array.from({ length: random.below(6) }, () => section(source));
	// Without it nothing else is looked at.
	if (random.chance(0.8)) sections.unshift(keys(source));
	return random.shuffled(sections).join(random.pick(['\n', '\n\n', '\n# a comment\n']));
}

function section(source: Source): string {
	const { random } = source;
	const names = knownNames();
	const kind = random.below(10);
	if (kind < 2) return table(source, `keys.${key(source)}`, names.keys, ['path']);
	if (kind < 6) {
		const [needed, other] = random.shuffled(['url', 'command'] as const);
		// Both kinds of servers are together in one table now and then only.
		const known = names.mcp_servers.filter((name) => random.chance(0.1) || !belongsTo(name, other));
		return table(source, `mcp_servers.${key(source)}`, known, random.chance(0.9) ? [needed ?? ''] : []);
	}
	if (kind < 8) {
		const name = random.pick(['guard', 'shell', 'log', 'private_data'] as const);
		return table(source, name, names[name]);
	}
	if (kind === 8) return `${random.pick(names.document)} = ${anyValue(source)}`;
	return random.chance(0.5) ? table(source, key(source), names.keys) : deepTable(source);
}

/** Whether a field is of the servers that have this other one. */
function belongsTo(field: string, owner: 'url' | 'command' | undefined): boolean {
	if (owner === 'url') return field.startsWith('url') || field === 'headers';
	return /^(command|args|env$|cwd$|isolate_network)/.test(field);
}

function keys(source: Source): string {
	const entries = Array.from({ length: source.random.below(5) }, () => {
		const value = source.random.chance(0.93) ? plainText(source, '~/', '.md') : anyValue(source);
		return `${key(source)} = ${value}`;
	});
	return ['[keys]', ...entries].join('\n');
}

/** @param needed fields without which nothing else is looked at */
function table(source: Source, name: string, known: readonly string[], needed: readonly string[] = []): string {
	const { random } = source;
	const picked = random.shuffled(known).slice(0, random.below(Math.min(known.length, 5) + 1));
	const fields = random.shuffled([...new Set([...picked, ...needed])]);
	const lines = fields.map((field) => `${field} = ${random.chance(0.9) ? fitting(source, field) : anyValue(source)}`);
	if (random.chance(0.15)) lines.push(`${slip(source, random.pick(known))} = ${anyValue(source)}`);
	if (random.chance(0.05)) lines.push(...lines.slice(0, 1));
	return [random.chance(0.05) ? `[[${name}]]` : `[${name}]`, ...lines].join('\n');
}

/** A value of the field's own kind. */
function fitting(source: Source, field: string): string {
	const { random } = source;
	if (SWITCHES.includes(field)) return random.pick(['true', 'false']);
	if (LISTS.includes(field)) return list(source, () => plainText(source, '', random.pick(['', '*', ':agent'])));
	if (TABLES.includes(field)) return inlineTable(source, () => (random.chance(0.7) ? plainText(source) : text(source)));
	if (field !== 'when_private' && !field.endsWith('timeout') && random.chance(0.3)) return text(source);
	if (field.startsWith('url')) return plainText(source, random.pick(['https://', 'http://', 'http://localhost/']));
	if (field.endsWith('timeout')) return random.pick(['1', '60', '86400', '0.5', '1e3']);
	if (field === 'when_private') return random.pick(['"open"', '"refuse"']);
	return plainText(source, random.pick(['', '~/', './']), random.pick(['', '.md']));
}

/** A name that a slip of the finger has made of a known one, or one of the user's own. */
function slip({ random, markers }: Source, name: string): string {
	if (random.chance(0.5)) return markers.next();
	const at = random.below(name.length);
	return `${name.slice(0, at)}x${name.slice(at + 1)}`;
}

function deepTable(source: Source): string {
	const depth = source.random.pick([2, 5, 50, 999, 1_001, 20_000]);
	const name = key(source);
	const path = Array.from({ length: depth }, () => name).join('.');
	return source.random.chance(0.5) ? `[${path}]` : `${path} = ${anyValue(source)}`;
}
