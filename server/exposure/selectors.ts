import type { ExposableTool } from './policy.ts';

/** One word of a list: a group of tools, a tool, or all tools with a prefix. */
export interface Selector {
	readonly kind: 'all' | 'none' | 'default' | 'safe' | 'name' | 'prefix';
	/** As written. */
	readonly text: string;
}

export const GROUPS: Readonly<Record<string, Selector['kind']>> = {
	all: 'all',
	'*': 'all',
	none: 'none',
	default: 'default',
	safe: 'safe',
};

/** The selectors of a list: separated by commas, semicolons and white space. */
export function parseSelectors(text: string): Selector[] {
	const words = text.split(/[\s,;]+/).filter((word) => word !== '');
	return words.map((word) => {
		const group = Object.hasOwn(GROUPS, word.toLowerCase()) ? GROUPS[word.toLowerCase()] : undefined;
		return { kind: group ?? (word.endsWith('*') ? 'prefix' : 'name'), text: word };
	});
}

/** Whether a selector covers a tool. Only a `*` at the end is a wildcard. */
export function matches({ kind, text }: Selector, tool: ExposableTool): boolean {
	switch (kind) {
		case 'all':
			return true;
		case 'none':
			return false;
		case 'safe':
			return tool.exposure === 'safe';
		case 'default':
			return tool.exposure !== 'named';
		case 'name':
			return namesOf(tool).some((name) => spelling(name) === spelling(text));
		case 'prefix':
			return namesOf(tool).some((name) => spelling(name).startsWith(spelling(text.slice(0, -1))));
	}
}

/** Its own first. */
export function namesOf({ name, origin }: ExposableTool): string[] {
	return origin === undefined ? [name] : [name, origin];
}

/** `-` and `_` are the same in a tool's name. */
export function spelling(name: string): string {
	return name.replaceAll('-', '_');
}
