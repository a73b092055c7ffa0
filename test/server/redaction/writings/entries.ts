/** Entries of twelve kinds, and how people write them. */

/** Rare surnames, from the census of the United States in 1990. */
const RARE = (
	'Guilmain Denapoli Cockman Platero Sypher Sarbacher Nesselrodt Dileonardo Meinerding Moutray Mormann ' +
	'Bartolomucci Mcchristion Almand Demesa Aanenson Sowders Dhruva Lamark Arnesen Degasperis Paytes Matturro ' +
	'Rahall Muwwakkil Babjeck Desanty Beakley Struckman Iacovetto Konkle Tenneson Linnan Dorich Kienow ' +
	'Parliman Donahoo Dahlin Rothbart Marzano Lorton Tefera Sladky Fruehauf Stoudenmire Eveleigh ' +
	'Lanzillotti Bethurum Amerman Kalbach Collinsworth Warriner Carreira Rottinghaus Perego Bartelt Pensinger ' +
	'Litchfield Szypowski Latorre Aragaki Lockbaum Gautreau Pollman Mcgrant Respress Telleria Winick ' +
	'Gantzler Mattlin Dumond Arambulo Pekarek Croslin Missler Catton Zwanzig Cerasoli Petkus Staberg Lynskey Gergel ' +
	'Thilges Dellum Amison Paysinger Mertel Pertsovsky Geisinsky Pencek Armento Abbate Celmer Mazzini Gamello ' +
	'Withfield Morneau Schepker Chadick Terbush Schriever Scheffer Richbourg Barkenhagen Heppler Zaremba Tadesse ' +
	'Michocki Jannsen Raffaele Schoof Cregeen Dinwiddie Scarset Klimczyk Fralix Allegrucci Karpiak Osterdyk ' +
	'Bunselmeyer Meekins Chubbuck Maciver Pratte Pefanis Johannsen Camenisch Kochis Yoshimoto Ellingsworth ' +
	'Accomando Nakken Burlison Dezern Calderwood Newlan Sedlak Lauture Bohrman Arnette Tietjen Golias Bayird ' +
	'Couturier Sindel Clawges Bollman Placko Stiner Derrington Norlund Prowell Wehnes Wicklin Telesco Tabisola ' +
	'Mcgiveron Faraone Signorino Weidig Lanman Roeger Puddephatt Hardey Fleishman Cruser Friskney Addario Skiver ' +
	'Grzebien Vanacker Warran Dusenbury Friberg Llanas Launer Montellano Pestana Vanorder Minero Drouin Blecha ' +
	'Mergenthaler Lujano Barberi Merkey Rulison Chapdelaine Felsenthal Mccartan Folkers'
).split(' ');

const FIRST = 'Anna Samuel Maria Peter Laura Thomas Julia David Sarah Daniel Emma Simon Nina Paul Clara'.split(' ');
const COMMON = 'Jackson Smith Miller Garcia Wilson Murphy Novak Rossi Martin Schmidt Kim Silva Weber'.split(' ');
const UMLAUTS = 'Jürgen Björn Günther Jörg Käthe Sören Rüdiger'.split(' ');
const UMLAUT_NAMES = 'Müller Schröder Köhler Jäger Krüger Böhm Fößel Grünwäldchen Möckel Lüdke Bräuniger'.split(' ');
const STROKES = ['Łukasz Żółć', 'Søren Ødegård', 'Đorđe Þórsson', 'Zoë Ærøskøbing', 'Raúl Íñiguez', 'Štěpán Dvořáček'];
const SYLLABLES = 'bra dok fel gim hur jas kep lom nuv pir quo rax sil tev vob wex yul zan'.split(' ');

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** A writing, and whether it is only likely to mean the entry. */
export type Writing = readonly [text: string, certainty: 'certain' | 'likely'];

export interface Entry {
	readonly kind: string;
	readonly text: string;
	readonly writings: readonly Writing[];
}

/** @param next the next random number, from 0 up to but not 1 */
export function makeEntries(count: number, next: () => number): Entry[] {
	const below = (limit: number) => Math.floor(next() * limit);
	const oneOf = <Item>(list: readonly Item[]) => list[below(list.length)] as Item;
	const digits = (length: number) => String(10 ** (length - 1) + below(9 * 10 ** (length - 1)));
	/** A word that stands nowhere else. */
	const word = () => Array.from({ length: 4 }, () => oneOf(SYLLABLES)).join('');
	const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
	const certain = (...texts: string[]): Writing[] => texts.map((text) => [text, 'certain']);
	const likely = (...texts: string[]): Writing[] => texts.map((text) => [text, 'likely']);
	let rare = 0;

	const kinds: Record<string, () => [string, ...Writing[]]> = {
		'a rare name': () => {
			const [first, last] = [oneOf(FIRST), rare < RARE.length ? (RARE[rare++] as string) : capital(word())];
			return [
				`${first} ${last}`,
				...certain(
					`${last}, ${first}`,
					`${first.charAt(0)}. ${last}`,
					`${first}_${last}`.toLowerCase(),
					`${first}${last}`,
				),
				...certain(`${first} "Zed" ${last}`, `${first} L. ${last}`, `${first} ${last}`.toUpperCase()),
				...certain(`${last.toLowerCase()}-${first.toLowerCase()}`, `${first}\n\t${last}`, `${first}\n// ${last}`),
				...likely(last, ...(last.length > 5 ? [last.toLowerCase()] : [])),
				...likely(`${first} Maria ${last}`),
			];
		},
		'a common name': () => {
			const [first, last] = [oneOf(FIRST), oneOf(COMMON)];
			return [
				`${first} ${last}`,
				...certain(`${last}, ${first}`, `${first} Q. ${last}`, `${first} (Zed) ${last}`, `${first}${last}`),
				...certain(`${first}-${last}`.toLowerCase()),
				...likely(`${first.charAt(0)}. ${last}`, `${first} Leroy ${last}`),
			];
		},
		'a name with umlauts': () => {
			const [first, last] = [oneOf(UMLAUTS), oneOf(UMLAUT_NAMES)];
			const spelled = (text: string) =>
				text.replace(/[äöü]/g, (letter) => ({ ä: 'ae', ö: 'oe', ü: 'ue' })[letter] ?? letter);
			const plain = `${first} ${last}`.normalize('NFD').replace(/\p{M}/gu, '');
			return [
				`${first} ${last}`,
				...certain(plain, spelled(`${first} ${last}`), spelled(`${last}, ${first}`), `${first} ${last}`.toUpperCase()),
				...certain(spelled(`${first}.${last}`).toLowerCase().replace('ß', 'ss')),
			];
		},
		'a name with strokes': () => {
			const text = `${oneOf(STROKES)}${word()}`;
			const [first = '', last = ''] = text.split(' ');
			return [text, ...certain(text.normalize('NFD'), `${last}, ${first}`, text.toLowerCase()), ...likely(last)];
		},
		'an address': () => {
			const [local, domain] = [`${word()}.${word()}`, `${word()}.${oneOf(['com', 'de', 'example'])}`];
			return [
				`${local}@${domain}`,
				...certain(`${local}@${domain}`.toUpperCase(), `${local}@\n${domain}`),
				...likely(local, domain),
			];
		},
		'an international number': () => {
			const [area, number] = [digits(3), digits(7)];
			return [
				`+49 ${area} ${number}`,
				...certain(`0${area} ${number}`, `0${area}/${number}`, `0049 ${area} ${number}`, `49 (0)${area} ${number}`),
				...certain(`49-${area}-${number}`, `0${area}${number}`, `${area} ${number.slice(0, 3)} ${number.slice(3)}`),
			];
		},
		'a national number': () => {
			const [area, number] = [digits(3), digits(7)];
			return [
				`0${area} ${number}`,
				...certain(`0${area}-${number}`, `0${area}${number}`),
				...likely(`${area} ${number}`),
			];
		},
		'a date': () => {
			const [year, month, day] = [1930 + below(80), 1 + below(12), 1 + below(28)];
			const [m, d] = [month, day].map((part) => String(part).padStart(2, '0'));
			const name = MONTHS[month - 1] as string;
			const american: Writing = [`${m}/${d}/${year}`, day > 12 || day === month ? 'certain' : 'likely'];
			return [
				`${year}-${m}-${d}`,
				...certain(`${d}.${m}.${year}`, `${day} ${name} ${year}`, `${name} ${day}, ${year}`, `${year}${m}${d}`),
				...certain(`${day}.${month}.${year}`, `${year}/${m}/${d}`, `${name.slice(0, 3)} ${d} ${year}`),
				american,
			];
		},
		'a street': () => {
			const [street, number] = [`${capital(word())} Lane`, digits(2)];
			return [`${number} ${street}`, ...certain(`${number}, ${street.toUpperCase()}`, `${number}\n${street}`)];
		},
		'a customer number': () => {
			const [letters, number] = [oneOf(['EX', 'KD', 'C']), digits(6)];
			return [`${letters}-${number}`, ...certain(`${letters}${number}`, `${letters}_${number}`.toLowerCase())];
		},
		'a host': () => {
			const [host, zone] = [word(), word()];
			return [`${host}.${zone}.example`, ...certain(`${host}-${zone}-example`, `${host}.${zone}.EXAMPLE`)];
		},
		'a user name': () => {
			const name = `${word()}${below(90) + 10}`;
			return [`\`${name}\``, ...certain(name.toUpperCase())];
		},
	};
	const makers = Object.entries(kinds);
	const entries = new Map<string, Entry>();
	for (let n = 0; entries.size < count; n++) {
		const [kind, make] = makers[n % makers.length] as (typeof makers)[number];
		const [text, ...writings] = make();
		entries.set(text, { kind, text, writings: [[text.replaceAll('`', ''), 'certain'], ...writings] });
	}
	return [...entries.values()];
}

/** How programs write it: no writing is found less in any of these. */
export const ESCAPES: Readonly<Record<string, (text: string) => string>> = {
	'as it is': (text) => text,
	JSON: (text) =>
		JSON.stringify(text)
			.slice(1, -1)
			.replace(/[^\0-\x7f]/g, (unit) => `\\u${hex(unit, 4)}`),
	'JSON in JSON': (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
	'percent-encoded': (text) => encodeURIComponent(text),
	'HTML, by number': (text) => text.replace(/[^ -~]|["&]/g, (unit) => `&#${unit.charCodeAt(0)};`),
	'HTML, by hexadecimal number': (text) => text.replace(/[^\w ]/g, (unit) => `&#x${hex(unit, 1)};`),
	'HTML, by name': (text) =>
		text
			.replace(/[äöü]/gi, (letter) => `&${letter.normalize('NFD').charAt(0)}uml;`)
			.replaceAll('ß', '&szlig;')
			.replaceAll(' ', '&nbsp;'),
	'a pattern': (text) => text.replace(/[.()+"]/g, '\\$&').replace(/\s+/g, '\\s+'),
	colours: (text) => text.replace(/(?<= )\S+/g, '\x1b[1;31m$&\x1b[0m'),
	'quoted-printable': (text) =>
		text.replace(/[^\0-\x7f]/gu, (letter) => encodeURIComponent(letter).replaceAll('%', '=')),
};

function hex(unit: string, length: number): string {
	return unit.charCodeAt(0).toString(16).padStart(length, '0');
}
