/**
 * Where each line of a text starts, in UTF-16 code units. A line ends as in Markdown: with a line feed, a carriage
 * return, or both. There is one start more than there are lines: the place where a further line would start.
 */
export function lineStarts(text: string): number[] {
	const starts = [0];
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === 0x0a || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) starts.push(at + 1);
	}
	starts.push(text.length + 1);
	return starts;
}
