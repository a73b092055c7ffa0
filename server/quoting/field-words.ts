/**
 * Whether an ordinary word names a field of a form, or joins such words. Of these alone even capitals make a label, not
 * a name: `Customer Number`, `Date of Birth`.
 *
 * @param foldedWord letters in lower case, without accents
 */
export function isFieldWord(foldedWord: string): boolean {
	words ??= new Set(FIELD_WORDS.split(/\s+/));
	return words.has(foldedWord);
}

/** Split when first asked for. */
let words: ReadonlySet<string> | undefined;

/** In one string, parted by white space. */
export const FIELD_WORDS = `
access account accounts additional address addresses age alias alternative amount and annual api area at author bank
billing birth birthday blood box branch building business by card category cell city client clients code colleague
comment comments company completed contact contacts contract contractor cost country county created credentials
credit customer customers data database date day default department description details device direct district domain
domains driver due e email emails emergency employee employees employer end entry environment expiry extension family
favorite favourite fax field file files first folder for full gender given group health home host hostname hostnames
hosts hours house iban id identification identifier identifiers identity ids in insurance internal internet invoice
ip issue item job key keys kind label last legal letter level licence license line link list local location login mac
maiden mail main manager marital medical member membership middle mobile model month name names national nationality
network next nickname note notes number numbers of office on only or order organisation organization other owner page
passport password passwords patient payment people person personal personnel phone phones photo pin place plate
policy position postal postcode previous price primary private product profile project projects public purchase
record reference region registered registration related relation release repository responsible review role room
salary school secondary secret secrets section security serial server servers service services site social source
staff start state status street subject supplier suppliers surname system table tag task tax team telephone the time
title to token tokens topic total town type unit url urls user username users value values vehicle vendor vendors
version web website with work year zip
`.trim();
