/** How a row came out. */
export interface Outcome {
	readonly name: string;
	readonly holds: string;
	/** How many were to be tried, and were. */
	readonly wanted: number;
	readonly tried: number;
	readonly failed: number;
	/** Why it could not be tried here. */
	readonly reason: string | undefined;
	readonly ms: number;
}

const HEAD = ['what was tried', 'how many', 'failed', 'seconds', 'must hold'];

/** The columns of numbers. */
const RIGHT = [1, 2, 3];

export function toTable(outcomes: readonly Outcome[]): string {
	const lines = [HEAD, ...outcomes.map(cells)];
	const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
	const rule = widths.map((width) => '─'.repeat(width));
	return [lines[0] ?? [], rule, ...lines.slice(1)]
		.map((line) =>
			widths
				.map((width, column) => padded(line[column] ?? '', width, column))
				.join('  ')
				.trimEnd(),
		)
		.join('\n');
}

function padded(text: string, width: number, column: number): string {
	return RIGHT.includes(column) ? text.padStart(width) : text.padEnd(width);
}

function cells({ name, holds, wanted, tried, failed, reason, ms }: Outcome): string[] {
	const many = (count: number) => count.toLocaleString('en');
	const count = tried === wanted ? many(tried) : `${many(tried)} of ${many(wanted)}`;
	return [name, reason === undefined ? count : `not here: ${reason}`, many(failed), (ms / 1_000).toFixed(1), holds];
}
