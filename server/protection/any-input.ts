import { expandBraces } from './braces.ts';
import type { Inspection, Use } from './inspection.ts';
import { LONGEST_PATH, requireDepth } from './limits.ts';
import { literalPath } from './pattern.ts';

/** What a tool's name says where it goes through folders. */
const RECURSIVE_NAME = /search|grep|find|tree|recurs|walk/i;

/**
 * Takes every string in the input of a tool that is not known for a path. A folder above a protected path counts where
 * the tool's name, or a field such as `recursive: true`, says that it goes through folders.
 *
 * @throws TooComplexError where the input is nested too deeply
 */
export function judgeAnyInput(tool: string, input: unknown, inspection: Inspection): void {
	const isRecursive = RECURSIVE_NAME.test(tool) || stringsAndFlags(input).isRecursive;
	judgeStrings(input, inspection, isRecursive ? { levels: Number.POSITIVE_INFINITY } : {});
}

/**
 * Takes every string in a value for a path.
 *
 * @param except fields that hold text
 * @throws TooComplexError where the value is nested too deeply
 */
export function judgeStrings(
	value: unknown,
	inspection: Inspection,
	use: Use = {},
	except: readonly string[] = [],
): void {
	const { place, cwd } = inspection;
	for (const text of stringsAndFlags(value, except).strings) {
		inspection.spend(text.length);
		for (const path of new Set([text, text.trim()])) {
			if (path === '') continue;
			inspection.look(literalPath(path, place.platform), cwd, use);
			if (path.length > LONGEST_PATH || !/[*?[{]/.test(path)) continue;
			const pattern = place.platform === 'win32' ? path.replaceAll('\\', '/') : path;
			for (const each of expandBraces(pattern)) inspection.look(each, cwd, { ...use, coversHidden: true });
		}
	}
}

/** Every string in a value. @throws TooComplexError where it is nested too deeply */
export function stringsIn(value: unknown): readonly string[] {
	return stringsAndFlags(value).strings;
}

interface Gathered {
	readonly strings: readonly string[];
	readonly isRecursive: boolean;
}

function stringsAndFlags(value: unknown, except: readonly string[] = []): Gathered {
	const strings: string[] = [];
	let isRecursive = false;
	const gather = (current: unknown, depth: number) => {
		requireDepth(depth);
		if (typeof current === 'string') strings.push(current);
		if (typeof current !== 'object' || current === null) return;
		for (const [name, field] of Object.entries(current)) {
			if (/^-?-?recurs/i.test(name) && field !== false && field !== 'false') isRecursive = true;
			if (!except.includes(name)) gather(field, depth + 1);
		}
	};
	gather(value, 0);
	return { strings, isRecursive };
}
