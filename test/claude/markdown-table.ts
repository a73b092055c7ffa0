/** A table as Markdown, a line each. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
	const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
	return [row(head), row(head.map(() => '---')), ...rows.map(row)];
}
