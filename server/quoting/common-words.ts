import { FIELD_WORDS } from './field-words.ts';
import { PhraseTable } from './phrase-table.ts';
import { RangeHashes } from './range-hashes.ts';

/**
 * Whether a word is one of the most frequent of English, or names a field of a form: a run of nothing but such words
 * (`on the way to the`, `the e-mail address of the customer`) tells nothing, and anybody writes it.
 *
 * @param hash of the range, from `RangeHashes`
 */
export function isCommonWord(stream: Uint16Array, start: number, end: number, hash: number): boolean {
	common ??= tableOf(`${FREQUENT_WORDS} ${FIELD_WORDS}`.split(/\s+/));
	return common.lineOf(stream, start, end, hash) !== undefined;
}

/** Built when first asked for. */
let common: PhraseTable | undefined;

function tableOf(words: readonly string[]): PhraseTable {
	const stream = Uint16Array.from(words.join(''), (letter) => letter.charCodeAt(0));
	const hashes = new RangeHashes(stream);
	const table = new PhraseTable(stream);
	let start = 0;
	for (const word of words) {
		table.add(start, start + word.length, hashes.of(start, start + word.length), 0);
		start += word.length;
	}
	return table;
}

const FREQUENT_WORDS = `
a able about above after again against ago all almost also although always am among an and another any anything are
as ask at away back be became because become been before being below best better between both but by call came can
cannot case change check come could d did different do does done down during each either else end enough even ever
every everything far few find first for found from full further gave get give given go goes going good got had has
have he help her here hers him his how however i if in instead into is it its itself just keep kept knew know known
last later least left less let like likely ll long look made make makes many matter may me mean means mentioned might
mine more most much must my need needs neither never new next no none nor not nothing now of off often on once one
only onto or other others our out over own part place please point possible put quite rather re really right s said
same saw say says see seem seen set several shall she should show side since so some something soon still such sure t
take taken than that the their them then there therefore these they thing things think this those though three
through thus time times to together too two under until up us use used using ve very want wants was way we well went
were what when where whether which while who whole whom whose why will with within without work works would yes yet
you your
`.trim();
