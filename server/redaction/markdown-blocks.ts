import { PartReader } from './markdown-parts.ts';
import type { UnitSink } from './unit-sink.ts';

const FENCE = /`{3,}(?=[^`\r\n]*$)|~{3,}/my;
const HEADING = /#{1,6}(?=\s|$)/y;
const FRONT_MATTER = /^\ufeff?---[ \t]*$/;
const FRONT_MATTER_END = /^(?:---|\.\.\.)[ \t]*$/;
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;
const TABLE_DELIMITERS = /^[ \t>|:-]*-[ \t>|:-]*$/;
const CONTAINER = /[ \t]*(?:>|[-*+](?=\s|$)|\d{1,9}[.)](?=\s|$)|\[[ xX]\](?=\s))/y;

/**
 * Tells the units, labels and keys of a Markdown file, line by line. What spans lines (a paragraph, an item with a line
 * break in it) is told as its lines; that is enough, as longer text is found by its runs of words.
 *
 * @param starts where the lines start, from `lineStarts`
 */
export function readMarkdown(text: string, starts: readonly number[], sink: UnitSink): void {
	const parts = new PartReader(text, sink);
	const lineText = (line: number) => text.slice(starts[line], (starts[line + 1] ?? 0) - 1).trimEnd();
	let line = lineText(0);
	let inFrontMatter = FRONT_MATTER.test(line);
	let fence = '';
	for (let number = 0, next: string; number < starts.length - 1; number++, line = next) {
		next = number + 2 < starts.length ? lineText(number + 1) : '';
		const start = starts[number] ?? 0;
		const content = afterContainers(line);
		const end = start + line.length;
		if (content === line.length) {
			parts.endParagraph();
			continue;
		}
		const mark = matchAt(FENCE, line, content);
		if (fence !== '') {
			if (mark.startsWith(fence) && line.length === content + mark.length) fence = '';
			else parts.read('code', start + content, end);
		} else if (mark !== '' && !inFrontMatter) {
			fence = mark;
			parts.endParagraph();
		} else if (inFrontMatter) {
			if (number > 0 && FRONT_MATTER_END.test(line)) inFrontMatter = false;
			else parts.read('entry', start + content, end);
		} else if (matchAt(HEADING, line, content) !== '' || (isPlain(line, content) && UNDERLINE.test(next))) {
			parts.read('heading', start + content, end);
		} else {
			const isHeader = line.includes('|') && next.includes('|') && TABLE_DELIMITERS.test(next);
			parts.read(isHeader ? 'header' : 'entry', start + content, end);
		}
	}
}

/** The offset behind white space and the marks of quotations, list items and tasks. */
function afterContainers(line: string): number {
	let at = 0;
	for (let mark = matchAt(CONTAINER, line, at); mark !== ''; mark = matchAt(CONTAINER, line, at)) at += mark.length;
	while (at < line.length && line.charAt(at).trim() === '') at++;
	return at;
}

/** Whether a line is neither in a list nor a quotation nor indented code. */
function isPlain(line: string, content: number): boolean {
	return content < 4 && line.slice(0, content).trim() === '';
}

function matchAt(pattern: RegExp, text: string, at: number): string {
	pattern.lastIndex = at;
	return pattern.exec(text)?.[0] ?? '';
}
