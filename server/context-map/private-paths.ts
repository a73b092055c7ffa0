import { isTable, meantBy } from './fields.ts';

const MARKDOWN = /\.md$/i;

/** All texts in a value that can be a private file's path, also if the value has the wrong type. */
export function pathsIn(value: unknown): string[] {
	const texts = valuesIn(value).filter((each) => typeof each === 'string' && each !== '' && !each.includes('\0'));
	return [...new Set((texts as string[]).flatMap((text) => [text, meantBy(text)]))].filter((text) => text !== '');
}

/** The same for a value of unknown purpose: only Markdown files. */
export function markdownPathsIn(value: unknown): string[] {
	return pathsIn(value).filter((text) => MARKDOWN.test(text));
}

/** A value and all values in it. Iterative, because dotted names can nest arbitrarily deep. */
export function valuesIn(value: unknown): unknown[] {
	const values = [value];
	for (const each of values)
		if (Array.isArray(each) || isTable(each)) for (const inner of Object.values(each)) values.push(inner);
	return values;
}

/** For text that does not parse: what ends with `.md`, with several possible starts. Prefers too many to too few. */
export function markdownPathsInText(text: string): string[] {
	const found = new Set<string>();
	let count = 0;
	for (const { index } of text.matchAll(/\.md(?![\w.])/gi)) {
		const before = text.slice(Math.max(0, index - MAX_PATH_LENGTH), index + '.md'.length);
		for (const marks of ['"\'\r\n', '"\'\r\n\t ,[]{}=', '=\r\n']) {
			const path = afterLast(marks, before).replace(/^[\s"'“”„‘’[{]+/, '');
			for (const reading of [path, unescaped(path)]) found.add(reading).add(meantBy(reading));
		}
		count += 1;
		if (count === MAX_PATHS) break;
	}
	return [...found].filter((path) => !path.includes('\0'));
}

const MAX_PATH_LENGTH = 4_096;

/** More than a map of 10,000 keys has. */
const MAX_PATHS = 20_000;

function afterLast(marks: string, text: string): string {
	let start = text.length;
	while (start > 0 && !marks.includes(text.charAt(start - 1))) start--;
	return text.slice(start);
}

/** A TOML string in double quotes. Nearly all of its escapes are those of JSON. */
function unescaped(text: string): string {
	if (!text.includes('\\')) return text;
	try {
		return String(JSON.parse(`"${text}"`));
	} catch {
		return text;
	}
}
