/** How a piece of a line looks. */
export type Look = 'strong' | 'faint' | 'private' | 'reference' | 'good';

/** A piece of text. */
export interface Piece {
	readonly text: string;
	readonly look?: Look;
}

/** What begins at a column of the screen; pieces follow each other. */
export interface Cell {
	readonly column: number;
	readonly pieces: readonly Piece[];
}

/** A line of the screen, or a rule across it. */
export type Line = readonly Cell[] | 'rule';

/** How many characters a line has at most. */
export const COLUMNS = 82;

const [WIDTH, MARGIN, BAR, ROW] = [700, 22, 38, 20];
/** What a character of 13 pixels takes in most fixed-width fonts; in the others it takes less. */
const CHARACTER = 7.83;

const STYLE = `text { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: 13px; fill: #d7dce5 }
.strong { fill: #ffffff; font-weight: 600 } .faint { fill: #8b95a7 } .private { fill: #f2a63b } .reference { fill: #7cc7ff } .good { fill: #7ddc9a }`;

/**
 * A picture of a terminal. Cells stand at their columns' places, so that they are in line in every font.
 *
 * @param title what stands in the bar above
 * @param about what the picture shows, for those who do not see it
 */
export function drawTerminal(title: string, about: string, lines: readonly Line[]): string {
	const height = BAR + lines.length * ROW + MARGIN;
	const rows = lines.map((line, index) => drawLine(line, BAR + (index + 1) * ROW));
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img">
<title>${escaped(about)}</title>
<style>${STYLE}</style>
<rect x=".5" y=".5" width="${WIDTH - 1}" height="${height - 1}" rx="10" fill="#161b26" stroke="#3a4458" />
<g fill="#3a4458"><circle cx="20" cy="15" r="5" /><circle cx="37" cy="15" r="5" /><circle cx="54" cy="15" r="5" /></g>
<path d="M.5 ${BAR - 8}H${WIDTH - 0.5}" stroke="#3a4458" />
<text class="faint" x="${WIDTH / 2}" y="20" text-anchor="middle">${escaped(title)}</text>
${rows.filter((row) => row !== '').join('\n')}
</svg>
`;
}

function drawLine(line: Line, y: number): string {
	if (line === 'rule') return `<path d="M${MARGIN} ${y - 5}H${WIDTH - MARGIN}" stroke="#3a4458" />`;
	return line
		.map(({ column, pieces }) => {
			const x = Math.round(MARGIN + column * CHARACTER);
			const spans = pieces.map(({ text, look }) => {
				return look === undefined ? escaped(text) : `<tspan class="${look}">${escaped(text)}</tspan>`;
			});
			return `<text x="${x}" y="${y}">${spans.join('')}</text>`;
		})
		.join('\n');
}

function escaped(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
