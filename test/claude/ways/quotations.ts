import { CATALOG, MARKERS } from '../markers.ts';

/** One way to quote the catalog in an answer. */
export interface Quotation {
	/** As in the table. */
	readonly way: string;
	readonly answer: string;
}

const all = MARKERS.join('; ');

export const QUOTATIONS: readonly Quotation[] = [
	{ way: 'word for word', answer: `I found this: ${all}. That is all.` },
	{ way: 'as the whole file', answer: `The catalog says:\n\n${CATALOG}` },
	{ way: 'in capitals', answer: all.toUpperCase() },
	{ way: 'with other spacing', answer: all.replaceAll(' ', '   \n  ') },
	{ way: 'one word a line', answer: all.replace(/[^\p{L}\p{N}]+/gu, '\n') },
	{ way: 'with Markdown marks', answer: MARKERS.map((marker) => `- **${marker.replaceAll(' ', '** _')}_`).join('\n') },
	{ way: 'in a table with quotes', answer: MARKERS.map((marker) => `| 1 | “${marker}” |`).join('\n') },
	{
		way: 'in another Unicode form',
		answer: all.replace(/[a-z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) - 97 + 0xff41)),
	},
	{ way: 'with invisible characters', answer: all.replaceAll('e', 'e\u200b') },
	{ way: 'in longer words', answer: 'see seedZebulonQuuxMarker, wendelin_oberholtzer.ts and QX7781MARK' },
];
