import { isTable, meantBy } from './fields.ts';

/** No other files are loaded. */
const MARKDOWN = /\.md$/i;

/** What a value holds that can be the path of a private file, also where it is not what it has to be. */
export function pathsIn(value: unknown): string[] {
	const texts = textsIn(value).filter((text) => text !== '' && !text.includes('\0'));
	return [...new Set(texts.flatMap((text) => [text, meantBy(text)]))].filter((text) => text !== '');
}

/** The same of a value of which nobody knows what it is. */
export function markdownPathsIn(value: unknown): string[] {
	return pathsIn(value).filter((text) => MARKDOWN.test(text));
}

function textsIn(value: unknown): string[] {
	const texts: string[] = [];
	// No recursion: dotted names nest as deep as they are long.
	const waiting = [value];
	for (const each of waiting) {
		if (typeof each === 'string') texts.push(each);
		else if (Array.isArray(each) || isTable(each)) for (const inner of Object.values(each)) waiting.push(inner);
	}
	return texts;
}

/**
 * What can be the path of a private file in a text that does not parse: what ends in `.md`, from the last quote on, from
 * the last blank, comma or bracket on, and from the last equals sign on. Rather one too many than one too few.
 */
export function markdownPathsInText(text: string): string[] {
	const found = new Set<string>();
	let count = 0;
	for (const { index } of text.matchAll(/\.md(?![\w.])/gi)) {
		const before = text.slice(Math.max(0, index - LONGEST), index + '.md'.length);
		for (const marks of ['"\'\r\n', '"\'\r\n\t ,[]{}=', '=\r\n']) {
			const path = afterLast(marks, before).replace(/^[\s"'“”„‘’[{]+/, '');
			for (const reading of [path, unescaped(path)]) found.add(reading).add(meantBy(reading));
		}
		count += 1;
		if (count === MOST) break;
	}
	return [...found].filter((path) => !path.includes('\0'));
}

/** Characters; no path is longer, and a line can be. */
const LONGEST = 4_096;

/** How many are looked for: a map of 10,000 keys has fewer. */
const MOST = 20_000;

/** The end of a text, from behind the last of some characters on. */
function afterLast(marks: string, text: string): string {
	let start = text.length;
	while (start > 0 && !marks.includes(text.charAt(start - 1))) start--;
	return text.slice(start);
}

/** A text in double quotes as TOML means it: nearly all escapes are those of JSON. */
function unescaped(text: string): string {
	if (!text.includes('\\')) return text;
	try {
		return String(JSON.parse(`"${text}"`));
	} catch {
		return text;
	}
}
